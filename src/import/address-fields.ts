/** How a server is reached: program, arguments, environment, folder, address, headers, and the words that clients have for them. */
import { carried, type Draft, type Handler, type Kind, notCarried, type Outcome, RUNS, UNUSABLE } from "./draft.ts";
import { normalised } from "./kind.ts";
import { isPlainList, isPlainObject, type Plain } from "./read.ts";

type Texts = "env" | "headers";

const isScalar = (value: Plain): value is string | number | boolean => ["string", "number", "boolean"].includes(typeof value);
const reference = (name: string): string => `\${env:${name}}`;

/** A program; also as a list with its arguments, or as an object with everything that belongs to it. */
const command: Handler = (value, draft, field) => {
  if (isPlainList(value)) {
    const [program = null, ...args] = value;
    const outcome = text(program, draft, field, "command");
    return "as" in outcome && args.length > 0 ? firstFault(outcome, list(args, draft, field)) : outcome;
  }
  if (!isPlainObject(value)) return text(value, draft, field, "command");
  const { path = null, args, env } = value;
  return firstFault(
    text(path, draft, `${field}.path`, "command"),
    ...(args === undefined ? [] : [list(args, draft, `${field}.args`)]),
    ...(env === undefined ? [] : [texts("env")(env, draft, `${field}.env`)]),
  );
};

const firstFault = (first: Outcome, ...others: readonly Outcome[]): Outcome =>
  [first, ...others].find((outcome) => !("as" in outcome)) ?? first;

function text(value: Plain, draft: Draft, field: string, ours: string): Outcome {
  if (typeof value !== "string" || value.trim() === "") return notCarried("it is no text");
  if (draft.entry.has(ours)) return notCarried(`another field says the ${ours} already`);
  const translated = draft.text(value, field);
  if (translated === undefined) return notCarried(RUNS);
  draft.entry.set(ours, translated);
  return carried(ours);
}

const textOf =
  (ours: string): Handler =>
  (value, draft, field) =>
    text(value, draft, field, ours);

/** Arguments: without one of them the others would mean something else, so it is all or none. */
const list: Handler = (value, draft, field) => {
  if (draft.entry.has("args")) return notCarried("another field says the args already");
  const translated = isPlainList(value) && value.every(isScalar) ? value.map((item, i) => draft.text(String(item), `${field}[${i}]`)) : [];
  const known = translated.filter((item) => item !== undefined);
  if (isPlainList(value) && known.length === value.length) {
    draft.entry.set("args", known);
    return carried("args");
  }
  draft.entry.set("disabled", true);
  draft.warn(field, "the server would start without its arguments, so it is disabled: put them right first");
  return notCarried(translated.length > 0 ? RUNS : "it is no list of texts");
};

/** Names with texts. A number or a switch is its text; `{ env: NAME }` and null stand for a variable. */
const texts =
  (ours: Texts): Handler =>
  (value, draft, field) => {
    if (!isPlainObject(value)) return notCarried("it is no object of texts");
    const known = Object.entries(value).flatMap(([key, item]): [string, string][] => {
      const path = `${field}.${key}`;
      const named = isPlainObject(item) ? item["env"] : undefined;
      if (item === null || typeof named === "string") return [[key, reference(typeof named === "string" ? named : key)]];
      const translated = isScalar(item) ? draft.text(String(item), path) : undefined;
      if (translated === undefined) draft.notCarried.push({ field: path, reason: isScalar(item) ? RUNS : "it is no text" });
      return translated === undefined ? [] : [[key, translated]];
    });
    return add(known, draft, ours);
  };

function add(more: readonly (readonly [string, string])[], draft: Draft, ours: Texts): Outcome {
  const before = draft.entry.get(ours);
  draft.entry.set(ours, Object.fromEntries([...Object.entries(isPlainObject(before) ? before : {}), ...more]));
  return carried(ours);
}

const isName = (name: unknown): name is string => typeof name === "string" && /^[A-Za-z_]\w*$/.test(name);

/** Header names with the variables that hold their values. */
const headersFromEnv: Handler = (value, draft) => {
  const named = isPlainObject(value)
    ? Object.entries(value).map(([header, name]) => [header, isName(name) ? reference(name) : ""] as const)
    : [];
  if (named.length === 0 || named.some(([, text]) => text === "")) return notCarried("it is no object of variable names");
  return add(named, draft, "headers");
};

const tokenFromEnv: Handler = (name, draft) =>
  isName(name) ? add([["Authorization", `Bearer ${reference(name)}`]], draft, "headers") : notCarried("it is no variable name");

/** Variables that are passed on: names, or tables with a name. */
const passedOn: Handler = (value, draft) => {
  const names = isPlainList(value) ? value.map((item) => (isPlainObject(item) ? item["name"] : item)) : [undefined];
  if (!names.every(isName)) return notCarried("it is no list of variable names");
  return add(
    names.map((name) => [name, reference(name)] as const),
    draft,
    "env",
  );
};

/** `mode`: what the field says about the transport, where the entry has no type. */
const address =
  (mode?: (draft: Draft) => string | undefined): Handler =>
  (value, draft, field) => {
    if (typeof value === "string" && /^(?:unix|npipe|wss?):/i.test(value))
      return notCarried("only http and https addresses can be reached");
    const outcome = text(value, draft, field, "url");
    const transport = "as" in outcome && !draft.isTyped ? mode?.(draft) : undefined;
    if (transport !== undefined && !draft.entry.has("transportMode")) draft.entry.set("transportMode", transport);
    return outcome;
  };

const MODES: Readonly<Record<string, string>> = {
  auto: "auto",
  sse: "sse",
  http: "streamable-http",
  streamable: "streamable-http",
  streamablehttp: "streamable-http",
};
const transportMode: Handler = (value, draft) => {
  const word = normalised(String(value));
  const mode = Object.hasOwn(MODES, word) ? MODES[word] : undefined;
  if (mode === undefined) return notCarried("it is none of auto, streamable-http and sse");
  draft.entry.set("transportMode", mode);
  return carried("transportMode");
};

const only =
  (kind: Kind, handler: Handler): Handler =>
  (value, draft, field) => {
    if (draft.kind === kind) return handler(value, draft, field);
    return notCarried(draft.kind === undefined ? UNUSABLE : `it belongs to ${kind === "http" ? "an http" : "a stdio"} server`);
  };

/** By their names without case, `_` and `-`. */
export const addressFields: Readonly<Record<string, Handler>> = {
  command: only("stdio", command),
  cmd: only("stdio", command),
  args: only("stdio", list),
  env: only("stdio", texts("env")),
  envs: only("stdio", texts("env")),
  environment: only("stdio", texts("env")),
  envvars: only("stdio", passedOn),
  cwd: only("stdio", textOf("cwd")),
  workingdirectory: only("stdio", textOf("cwd")),
  url: only(
    "http",
    address(({ dialect }) => (dialect.urlIsSse ? "sse" : undefined)),
  ),
  serverurl: only("http", address()),
  httpurl: only(
    "http",
    address(() => "streamable-http"),
  ),
  headers: only("http", texts("headers")),
  httpheaders: only("http", texts("headers")),
  envhttpheaders: only("http", headersFromEnv),
  transportmode: only("http", transportMode),
  bearertokenenvvar: only("http", tokenFromEnv),
};
