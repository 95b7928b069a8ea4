/** What else clients say about a server: switches, tool filters, deadlines, and what is not carried over with the reason why. */
import { carried, type Draft, type Handler, notCarried, type Outcome } from "./draft.ts";
import { isPlainList, isPlainObject, type Plain } from "./read.ts";

const LONGEST_MS = 900_000;
const LONGEST_SUMMARY = 1000;

/** Off wins, whichever field says it. */
const switchedOff =
  (means: boolean): Handler =>
  (value, draft, field) => {
    if (typeof value !== "boolean") return notCarried("it is neither true nor false");
    const isOff = value === means || draft.entry.get("disabled") === true;
    if (isOff || field === "disabled") draft.entry.set("disabled", isOff);
    return carried("disabled");
  };

const filter =
  (ours: "allowedTools" | "deniedTools"): Handler =>
  (value, draft, field) => {
    if (!isPlainList(value) || !value.every((tool) => typeof tool === "string")) return notCarried("it is no list of tools");
    const before = draft.entry.get(ours);
    const isAll = value.length === 1 && value[0] === "*" && ours === "allowedTools";
    const tools = [...new Set([...(isPlainList(before) ? before : []), ...(isAll ? [] : value)])];
    if (tools.length > 0 || field === ours) draft.entry.set(ours, tools);
    if (value.length === 0 && ours === "allowedTools") draft.warn(field, "an empty list means all tools here");
    const patterns = tools.filter((tool) => String(tool).includes("*")).join(", ");
    if (patterns !== "")
      draft.warn(field, `tools are named exactly here: ${patterns} ${ours === "allowedTools" ? "lets none through" : "keeps none out"}`);
    return carried(ours);
  };

/** A list filters; an object holds approvals or what tools may do. */
const tools: Handler = (value, draft, field) =>
  isPlainList(value)
    ? filter("allowedTools")(value, draft, field)
    : notCarried("what each tool may do, and who is asked, is decided here anew");

const deadline =
  (unitMs: (value: number, draft: Draft) => number, isTold = false): Handler =>
  (value, draft, field) => {
    if (typeof value !== "number" || !Number.isFinite(value) || value <= 0) return notCarried("it is no number above 0");
    if (draft.entry.has("toolTimeoutMs")) return notCarried("another field says the deadline already");
    const unit = unitMs(value, draft);
    const ms = Math.round(value * unit);
    if (ms > LONGEST_MS && ms <= Number.MAX_SAFE_INTEGER) draft.warn(field, `${ms} ms is cut to bridge.maxTimeoutMs (${LONGEST_MS})`);
    if (isTold) draft.warn(field, `read as ${unit === 1000 ? "seconds" : "milliseconds"}`);
    draft.entry.set("toolTimeoutMs", Math.min(ms, Number.MAX_SAFE_INTEGER));
    return carried("toolTimeoutMs");
  };
const seconds = deadline(() => 1000);
const milliseconds = deadline(() => 1);
/** Where the client is not known, nobody waits less than a second on purpose. */
const byDialect = deadline((value, { dialect }) => (dialect.seconds || (dialect.name === "mcp-servers" && value < 1000) ? 1000 : 1), true);

const description: Handler = (value, draft) => {
  if (typeof value !== "string" || value.trim() === "") return notCarried("it is no text");
  if (draft.entry.has("summary")) return notCarried("another field says it already");
  draft.entry.set("summary", value.trim().slice(0, LONGEST_SUMMARY));
  return carried("summary");
};

/** The name in a list of servers. */
const name: Handler = () => carried("name");

const not =
  (reason: string, warning?: string): Handler =>
  (_, draft, field) => {
    if (warning !== undefined) draft.warn(field, warning);
    return notCarried(reason);
  };
const LOGIN = 'a login is set up here: write a profile under auth, name it at the server, and run "toolcrib auth login"';
const login = not(LOGIN);
const approval = not("approvals are not carried over: who may do what is decided here anew");
const starting = not("there is no limit of a server's own for its start");
const development = not("it is for developing the server");
const sandbox = not("servers are not put into a sandbox here", "the client ran this server in a sandbox, toolcrib does not");
const loading = not("which tools are shown at once is decided by bridge.wrapperMode");

/** By their names without case, `_` and `-`. */
export const settingFields: Readonly<Record<string, Handler>> = {
  disabled: switchedOff(true),
  enabled: switchedOff(false),
  isactive: switchedOff(false),
  allowedtools: filter("allowedTools"),
  enabledtools: filter("allowedTools"),
  includetools: filter("allowedTools"),
  deniedtools: filter("deniedTools"),
  disabledtools: filter("deniedTools"),
  excludetools: filter("deniedTools"),
  tools,
  timeout: byDialect,
  timeoutms: milliseconds,
  tooltimeoutms: milliseconds,
  calltimeoutms: milliseconds,
  requesttimeoutms: milliseconds,
  tooltimeoutsec: seconds,
  description,
  summary: description,
  name,
  autoapprove: approval,
  alwaysallow: approval,
  alwaysapprove: approval,
  approvetools: approval,
  trust: approval,
  trusted: approval,
  permissions: approval,
  defaulttoolsapprovalmode: approval,
  approvalmode: approval,
  starttimeoutms: starting,
  startuptimeoutsec: starting,
  startuptimeoutms: starting,
  connecttimeoutms: starting,
  inittimeout: starting,
  oauth: login,
  authprovidertype: login,
  requiresauth: login,
  oauthresource: login,
  scopes: login,
  headershelper: not("a command would have to be run for it, which is not done: write the headers, or references"),
  bearertoken: not("a token in the file is refused by the client too: store it, and write a header that names it"),
  envfile: not("no file of variables is read: write them under env, or give them to toolcrib's own environment"),
  dev: development,
  watchpaths: development,
  sandbox,
  sandboxenabled: sandbox,
  required: not("no server is required: a missing one delays nobody"),
  alwaysload: loading,
  directtools: loading,
  source: not("it says where the client has the entry from"),
  settings: not("they belong to an extension of the client, which knows the program to start: write its command"),
};

/** Of our own release or a later one: carried over where our schema knows it. */
export const asItIs =
  (ours: string): Handler =>
  (value, draft) => {
    draft.entry.set(ours, value);
    return carried(ours);
  };

/** An entry in our own form names a profile; everywhere else `auth` is a login. */
export const auth = (value: Plain, draft: Draft, field: string): Outcome =>
  draft.dialect.ours && (typeof value === "string" || (isPlainObject(value) && typeof value["profile"] === "string"))
    ? asItIs("auth")(value, draft, field)
    : login(value, draft, field);
