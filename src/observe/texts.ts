/** Every text that stands in arguments, and the hosts that they name. */

const MAX_HOSTS = 100;
/** Each of them costs; the same host may be meant by all. */
const MAX_ADDRESSES = 10_000;
const SCHEMES = "https?|wss?|ftp";
/** Parsers take one slash for two, either way round, and drop tabs and line breaks between them; `\/` is how JSON may write one. */
const ADDRESS = new RegExp(`(${SCHEMES}):[\\t\\r\\n]*[\\\\/][\\t\\r\\n\\\\/]*`, "gi");
/** Where an address ends for whoever looks for it in a text, and for whoever takes the text for one. */
const NEAR_END = /[/?#\s"'<>`\\]/;
const FAR_END = /[/?#\s]/;
/** What ends a sentence, a bracket or an emphasis behind an address. No name of a host has it there, but for the dot, which changes nothing. */
const PROSE = ".,;:!*~|)}]>’”»›…。，、；：！）】」』";
/** In a list without spaces the next address follows. */
const NEXT_IN_LIST = new RegExp(`[,;|](?:${SCHEMES}):?$`, "i");
/** Of the part with the host. */
const MAX_AUTHORITY = 2_048;
const DEFAULT_PORT: Readonly<Record<string, string>> = { http: "80", https: "443", ws: "80", wss: "443", ftp: "21" };
/** Stand for what no list allows. Nothing of the text: it may hold a secret. */
const UNREADABLE = "(unreadable)";
const TOO_MANY = "(too many)";

/** `host:port`, and the host as it stands in the text. */
export interface Host {
  readonly host: string;
  readonly written: string;
}
const NONE: Host = { host: UNREADABLE, written: "" };

/** The texts of a JSON value, its keys among them: a tool may be given places as keys. */
export function textsIn(value: unknown, into: string[] = []): readonly string[] {
  if (typeof value === "string") into.push(value);
  else if (Array.isArray(value)) for (const entry of value) textsIn(entry, into);
  else if (typeof value === "object" && value !== null)
    for (const [key, entry] of Object.entries(value)) {
      into.push(key);
      textsIn(entry, into);
    }
  return into;
}

/**
 * `host:port` of every http, ws and ftp address in the texts, each once, in lower case; the port of the scheme where none is written.
 * Where parsers may read an address in several ways every reading counts; what cannot be read, or may not be told, is a host that no list allows.
 */
export function hostsIn(texts: readonly string[], mayBeTold: (host: Host) => boolean = () => true): readonly string[] {
  const hosts = new Set<string>();
  let addresses = 0;
  for (const text of texts)
    for (const found of hostsOf(text)) {
      const host = mayBeTold(found) ? found.host : UNREADABLE;
      addresses += 1;
      if (hosts.has(host) && addresses <= MAX_ADDRESSES) continue;
      if (hosts.size === MAX_HOSTS || addresses > MAX_ADDRESSES) return [...hosts, TOO_MANY];
      hosts.add(host);
    }
  return [...hosts];
}

function* hostsOf(text: string): Generator<Host> {
  yield* hostsWithin(text);
  yield* hostOfWhole(text);
}

function* hostsWithin(text: string): Generator<Host> {
  for (const { index, 0: start, 1: scheme = "" } of text.matchAll(ADDRESS)) {
    const from = index + start.length;
    const rest = text.slice(from, from + MAX_AUTHORITY);
    const far = upTo(rest, FAR_END);
    if (far.length === MAX_AUTHORITY) yield NONE;
    const near = upTo(rest, NEAR_END);
    // Where a path begins, what stands in front of it is the host, whatever it ends with.
    const named = /[/?#\\]/.test(rest.charAt(near.length)) ? near.replace(NEXT_IN_LIST, "") : withoutProse(near);
    if (named !== "") yield hostOf(scheme, named);
    // What stands in front of an @ is a user's name, whatever signs it has.
    const behind = far.lastIndexOf("@");
    if (behind >= near.length) yield hostOf(scheme, upTo(far.slice(behind + 1), NEAR_END));
  }
}

const WHOLE = new RegExp(`^[\\0- ]*(?:${SCHEMES}):`, "i");
const MAY_BE_WHOLE = /^[\0- ]*[hwf][\t\r\n]*[tsf]/i;
/** Parsers drop these wherever they stand; but in a list they stand between addresses. */
const DROPPED = /[\t\r\n]+/g;
const NEXT = new RegExp(`[\\t\\r\\n]\\s{0,20}(?:${SCHEMES}):`, "i");

/** Of a text that as a whole is taken for an address, when its tool parses it as browsers do. */
function hostOfWhole(text: string): readonly Host[] {
  if (!MAY_BE_WHOLE.test(text)) return [];
  const bare = withoutProse(upTo(text.trim(), NEXT).replace(DROPPED, ""));
  const url = WHOLE.test(bare) ? URL.parse(bare) : null;
  return url && url.host !== "" ? [read(url, bare)] : [];
}

/** A bracket that an address itself has opened stays: `[::1]`. */
function withoutProse(text: string): string {
  let end = text.length;
  while (end > 0 && PROSE.includes(text.charAt(end - 1)) && !(text[end - 1] === "]" && text.includes("["))) end -= 1;
  return text.slice(0, end);
}

function upTo(text: string, end: RegExp): string {
  const at = text.search(end);
  return at < 0 ? text : text.slice(0, at);
}

function hostOf(scheme: string, authority: string): Host {
  const url = URL.parse(`${scheme}://${authority}`);
  return url && url.host !== "" ? read(url, authority) : NONE;
}

function read({ hostname, port, protocol }: URL, text: string): Host {
  const name = hostname.toLowerCase().replace(NEXT_IN_LIST, "");
  const at = text.toLowerCase().lastIndexOf(name);
  const written = at < 0 ? hostname : text.slice(at, at + name.length);
  return { host: `${name}:${port || DEFAULT_PORT[protocol.toLowerCase().slice(0, -1)]}`, written };
}
