/** A daemon with secrets of every origin and the servers that get them; and everything that may be looked at afterwards. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Canary, makeCanary, shownIn, shownInFolder } from "./canary-forms.ts";
import { asOperator, makePlace, type Place, send, verb } from "./daemon-fixture.ts";

export interface Secrets {
  readonly env: Canary;
  readonly file: Canary;
  readonly literal: Canary;
  readonly header: Canary;
  readonly registered: Canary;
  /** Without special characters, so that it can stand in a name. */
  readonly name: Canary;
}
export const makeSecrets = (): Secrets => ({
  env: makeCanary("env"),
  file: makeCanary("file"),
  literal: makeCanary("literal"),
  header: makeCanary("header", true),
  registered: makeCanary("registered"),
  name: makeCanary("name", true),
});

/** A place whose canaries may stand nowhere. */
export interface WatchedPlace extends Place {
  readonly all: readonly Canary[];
}
export interface CanaryPlace extends WatchedPlace {
  readonly secrets: Secrets;
  /** One line of JSON for every call of `echo`. */
  readonly record: string;
  /** For the daemon. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Servers `canary`, `dies`, `fails` and `listless` have the secrets under credential-like keys; `web` at `url`, in its headers. */
export function makeCanaryPlace(url: string): CanaryPlace {
  const secrets = makeSecrets();
  const all = Object.values(secrets) as Canary[];
  const place = makePlace();
  const record = join(place.root, "record");
  writeFileSync(record, "");
  writeFileSync(join(place.root, "secret.txt"), `${secrets.file.value}\n`);
  const server = (MODE: string) => ({
    command: process.execPath,
    args: [join(import.meta.dir, "canary-server.ts"), `--api-key=${secrets.literal.value}`, secrets.literal.value],
    env: {
      MODE,
      RECORD: record,
      API_KEY: reference("env", "CANARY_API_KEY"),
      FILE_TOKEN: reference("file", "secret.txt"),
      DB_PASSWORD: secrets.literal.value,
      PLAIN: reference("env", "CANARY_PLAIN"),
      NAME_TOKEN: reference("env", "CANARY_NAME_TOKEN"),
      // All of them, for what the server tells.
      CANARIES: reference("env", "CANARY_LIST"),
    },
  });
  place.configure({
    secrets: { register: [reference("env", "CANARY_PLAIN")] },
    bridge: { connectRetryBaseDelayMs: 50 },
    mcpServers: {
      ...Object.fromEntries(["canary", "dies", "fails", "listless"].map((name) => [name, server(name)])),
      web: { url, headers: { Authorization: `Bearer ${secrets.header.value}`, "X-Api-Key": secrets.header.value } },
    },
  });
  const environment = {
    CANARY_API_KEY: secrets.env.value,
    CANARY_PLAIN: secrets.registered.value,
    CANARY_NAME_TOKEN: secrets.name.value,
    CANARY_LIST: JSON.stringify(all.map(({ value }) => value)),
  };
  return { ...place, secrets, all, record, environment };
}

const reference = (kind: "env" | "file", name: string) => `\${${kind}:${name}}`;

interface Listed {
  readonly calls?: readonly { readonly call: string }[];
  readonly servers?: readonly { readonly name: string }[];
  readonly sessions?: readonly { readonly id: string }[];
}

/** What metrics and all debug views of a running daemon show of the canaries. */
export async function shownInViews(url: string, place: WatchedPlace): Promise<readonly string[]> {
  const headers = asOperator(place);
  const view = async (path: string) => {
    const { status, text, json } = await send(url, path, undefined, headers);
    if (status !== 200) throw new Error(`${path} answers ${status}: ${text}`);
    return { path, text, json: (path.endsWith("status") ? {} : json) as Listed };
  };
  const lists = await Promise.all(
    ["status", "head", "servers", "servers?type=builtin", "sessions", "calls?limit=1000", "doubts", "events?limit=1000", "streams"].map(
      (path) => view(`/debug/api/${path}`),
    ),
  );
  const ids = lists.flatMap(({ json: { calls = [], servers = [], sessions = [] } }) => [
    ...calls.map(({ call }) => `calls/${call}`),
    ...servers.map(({ name }) => `servers/${name}`),
    ...sessions.flatMap(({ id }) => [`sessions/${id}`, `state/${encodeURIComponent(`session/${id}`)}`]),
  ]);
  const single = await Promise.all([...ids, "state/registry", "state/server%2Fcanary"].map((path) => view(`/debug/api/${path}`)));
  const sql = encodeURIComponent("select json from definitions");
  const others = await Promise.all(
    ["/metrics", `/debug/api/sql?q=${sql}`, "/readyz?verbose", "/version", "/v1/doubts", "/v1/tools"].map(view),
  );
  return [...lists, ...single, ...others].flatMap(({ path, text }) => shownIn(text, place.all).map((found) => `${path}: ${found}`));
}

/** What the files and the verbs that read them show, once the daemon has stopped. */
export async function shownAfterwards(place: WatchedPlace): Promise<readonly string[]> {
  const exported = await verb(place, "export");
  const events = await verb(place, "events", "--json");
  const calls = [...new Set(events.output.match(/"c_[0-9a-z-]+"/g))].slice(0, 3).map((id) => id.slice(1, -1));
  const sessions = [...new Set(events.output.match(/s_[0-9a-f]{32}/g))].slice(0, 1);
  const shown = await Promise.all([...calls, ...sessions].map((id) => verb(place, "show", id)));
  const plain = await verb(place, "events");
  const said = [exported, events, plain, ...shown].map(({ output }) => output);
  return [
    ...shownInFolder(place.data, place.all),
    ...said.flatMap((output) => shownIn(output, place.all).map((found) => `verb: ${found}`)),
  ];
}
