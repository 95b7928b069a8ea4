/** `toolcrib auth status`: which servers get a token by which profile, and whether somebody has to log in. */
import type { Profile } from "../auth/profile.ts";
import { type Login, storedOf } from "../auth/stored.ts";
import { type AuthFlags, type AuthServer, authServers } from "./auth-server.ts";
import { dataFolderOf } from "./data-folder.ts";
import { complain } from "./exit.ts";
import { dim, print, printJson, time } from "./print.ts";
import { existingSecrets } from "./secret-store.ts";
import { table } from "./table.ts";

interface Row {
  readonly server: string;
  readonly profile: string;
  readonly type?: Profile["type"];
  /** `ready`: it needs no person. */
  readonly state: "ready" | "logged_in" | "login_needed" | "refused";
  readonly reason?: string;
  readonly issuer?: string;
  readonly scope?: string;
  /** Of the access token, milliseconds since the epoch. */
  readonly expiresAt?: number;
  /** Whether it is renewed by itself. */
  readonly refreshable?: boolean;
}

export function status({ json, ...flags }: AuthFlags & { readonly json?: true }): void {
  const store = existingSecrets(dataFolderOf(flags), complain);
  const rows = authServers(flags).map((server) =>
    rowOf(server, ({ url, profile }) => (store && profile.type !== "bearer" ? storedOf(store, profile, url).read() : undefined)),
  );
  store?.close();
  if (json) printJson({ servers: rows });
  else if (rows.length === 0) print(dim("no server has a profile"));
  else show(rows);
}

function show(rows: readonly Row[]): void {
  const cells = rows.map(({ server, profile, type = "", state, reason, expiresAt, refreshable }) => [
    server,
    profile,
    type,
    state.replace("_", " "),
    reason ?? (expiresAt === undefined ? "" : `until ${time(expiresAt)}${refreshable ? ", then refreshed by itself" : ""}`),
  ]);
  print(table(["SERVER", "PROFILE", "TYPE", "STATE", ""], cells));
  for (const { server, state } of rows) if (state === "login_needed") process.stderr.write(`\nTo log in: toolcrib auth login ${server}\n`);
}

function rowOf({ name, profileName, use, refused }: AuthServer, stored: (use: NonNullable<AuthServer["use"]>) => Login | undefined): Row {
  const row = { server: name, profile: profileName };
  if (use === undefined) return { ...row, state: "refused", ...(refused !== undefined && { reason: refused }) };
  const { type } = use.profile;
  if (type !== "authorization_code") return { ...row, type, state: "ready" };
  const login = stored(use);
  const { tokens } = login ?? {};
  const refreshable = tokens?.refreshToken !== undefined;
  return {
    ...row,
    type,
    state: isOver(login) ? "login_needed" : "logged_in",
    ...(login !== undefined && { issuer: login.issuer, ...(login.scope !== undefined && { scope: login.scope }) }),
    ...(tokens !== undefined && { refreshable, ...(tokens.expiresAt !== undefined && { expiresAt: tokens.expiresAt }) }),
  };
}

function isOver(login: Login | undefined): boolean {
  const { refreshToken, expiresAt } = login?.tokens ?? {};
  return login?.tokens === undefined || (refreshToken === undefined && expiresAt !== undefined && expiresAt <= Date.now());
}

/** Whether this server waits for somebody to log in. */
export function isLoginMissing(folder: string, url: string, profile: Profile): boolean {
  if (profile.type !== "authorization_code") return false;
  const store = existingSecrets(folder, complain);
  const login = store && storedOf(store, profile, url).read();
  store?.close();
  return isOver(login);
}
