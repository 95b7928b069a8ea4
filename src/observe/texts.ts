/** Every text that stands in arguments, and the hosts that they name. */

const MAX_TEXTS = 10_000;
const MAX_HOSTS = 100;
const URL_START = /\bhttps?:\/\//gi;
const URL_END = /[\s"'<>`\\]/;
const MAX_URL = 2_048;
const DEFAULT_PORT: Readonly<Record<string, string>> = { "http:": "80", "https:": "443" };

/** The strings of a JSON value, keys left out. */
export function textsIn(value: unknown, into: string[] = []): readonly string[] {
  if (into.length >= MAX_TEXTS) return into;
  if (typeof value === "string") into.push(value);
  else if (Array.isArray(value)) for (const entry of value) textsIn(entry, into);
  else if (typeof value === "object" && value !== null) for (const entry of Object.values(value)) textsIn(entry, into);
  return into;
}

/** `host:port` of every http address in the texts, each once, in lower case; the port of the scheme where none is written. */
export function hostsIn(texts: readonly string[]): readonly string[] {
  const hosts = new Set<string>();
  for (const text of texts)
    for (const { index } of text.matchAll(URL_START)) {
      const rest = text.slice(index, index + MAX_URL);
      const end = rest.search(URL_END);
      const url = URL.parse(end < 0 ? rest : rest.slice(0, end));
      if (url && url.host !== "" && hosts.size < MAX_HOSTS)
        hosts.add(`${url.hostname.toLowerCase()}:${url.port || DEFAULT_PORT[url.protocol]}`);
    }
  return [...hosts];
}
