/** Asks the running daemon over its socket: whoever may open that file is the operator. */
import { join } from "node:path";
import { HTTP_SOCKET } from "../config/paths.ts";
import { DEPTH_HEADER, DEPTH_VARIABLE } from "../observe/hook-depth.ts";
import { EXIT, failure } from "./exit.ts";

export interface Answer {
  readonly status: number;
  /** The parsed JSON. */
  readonly body: unknown;
}

const NOBODY = new Set(["ENOENT", "ECONNREFUSED", "FailedToOpenSocket", "ConnectionRefused"]);

/** `path` with its query; `json` is sent as it is. Throws a `Failure` (69) when no daemon runs on the folder. */
export async function askDaemon(folder: string, method: "GET" | "POST", path: string, json?: string): Promise<Answer> {
  const unix = join(folder, HTTP_SOCKET);
  const led = process.env[DEPTH_VARIABLE]; // it may be called by a hook
  let response: Response;
  try {
    response = await fetch(`http://localhost${path}`, {
      unix,
      method,
      timeout: false, // a call takes its time
      headers: { ...(json !== undefined && { "content-type": "application/json" }), ...(led !== undefined && { [DEPTH_HEADER]: led }) },
      ...(json !== undefined && { body: json }),
    } as RequestInit);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "EACCES" || code === "EPERM")
      throw failure(EXIT.notPermitted, `${unix} may not be opened: run this as the user of the daemon`);
    if (NOBODY.has(code))
      throw failure(
        EXIT.unavailable,
        `no toolcrib runs on ${folder}: start one with "toolcrib serve --data ${folder}", or name another folder with --data`,
      );
    throw failure(
      EXIT.unavailable,
      `the toolcrib on ${folder} went away before it answered (${code || "the connection ended"}): look whether it still runs`,
    );
  }
  const text = await response.text();
  try {
    return { status: response.status, body: JSON.parse(text) };
  } catch {
    throw failure(
      EXIT.internal,
      `the toolcrib on ${folder} answered ${response.status} with something else than JSON: is it of another release?`,
    );
  }
}

/** The `error.message` of a body, when it has one. */
export function errorOf(body: unknown): { code: string; message: string } | undefined {
  const error = typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
  if (typeof error !== "object" || error === null || !("message" in error)) return undefined;
  return { code: "code" in error ? String(error.code) : "failed", message: String(error.message) };
}
