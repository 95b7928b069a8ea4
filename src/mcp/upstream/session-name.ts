/** Which session a client asks for, and how it introduces itself. */
import type { ClientDescription } from "./backend.ts";
import { isObject } from "./json.ts";

const NAME = /^[A-Za-z0-9._:-]{1,128}$/;

/** `_meta["toolcrib/session"]`, else the header `Toolcrib-Session`, else undefined; an `Error` to show when the name is not usable. */
export function requestedName(meta: unknown, headers: Headers | undefined): string | undefined | Error {
  const name = (isObject(meta) ? meta["toolcrib/session"] : undefined) ?? headers?.get("toolcrib-session") ?? undefined;
  if (name === undefined || (typeof name === "string" && NAME.test(name))) return name;
  return new Error("Invalid params: a session name has 1 to 128 letters, digits or . _ : -");
}

/** The client's name and version, cut to a sane length; `unknown` when it does not say. */
export function clientOf(info: unknown): ClientDescription {
  const text = (key: string) => {
    const value = isObject(info) ? info[key] : undefined;
    return typeof value === "string" && value !== "" ? value.slice(0, 128) : "unknown";
  };
  return { name: text("name"), version: text("version") };
}
