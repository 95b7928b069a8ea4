/** Where the configuration and the data are, by flag, environment and habit of the system. */
import { isAbsolute, join, resolve } from "node:path";

export type Env = Readonly<Record<string, string | undefined>>;

export interface Surroundings {
  readonly env: Env;
  readonly cwd: string;
  /** The home folder of the user. */
  readonly home: string;
}

/** The daemon's sockets in its data folder: HTTP for the operator, and MCP for clients on this machine. */
export const HTTP_SOCKET = "toolcrib.sock";
export const MCP_SOCKET = "mcp.sock";

/** An environment variable; empty counts as not set. */
const set = (env: Env, name: string): string | undefined => (env[name] === "" ? undefined : env[name]);

/** The XDG rule: a base folder that is not absolute is ignored. */
const xdg = (env: Env, name: string, otherwise: string): string => {
  const folder = set(env, name);
  return folder !== undefined && isAbsolute(folder) ? folder : otherwise;
};

/** The file that was asked for (it must exist), or the places where one is looked for, best first. */
export function configCandidates(flag: string | undefined, { env, cwd, home }: Surroundings): { asked: string } | { candidates: string[] } {
  const asked = flag ?? set(env, "TOOLCRIB_CONFIG");
  if (asked !== undefined) return { asked: resolve(cwd, asked) };
  const user = join(xdg(env, "XDG_CONFIG_HOME", join(home, ".config")), "toolcrib", "toolcrib.jsonc");
  return { candidates: [resolve(cwd, "toolcrib.jsonc"), user, "/etc/toolcrib/toolcrib.jsonc"] };
}

/** The data folder: `--data`, `$TOOLCRIB_DATA`, `$STATE_DIRECTORY` (systemd), `$XDG_STATE_HOME/toolcrib`, for root `/var/lib/toolcrib`, else `~/.local/state/toolcrib`. */
export function dataFolder({ flag, root, env, cwd, home }: Surroundings & { readonly flag?: string; readonly root: boolean }): string {
  const asked = flag ?? set(env, "TOOLCRIB_DATA");
  if (asked !== undefined) return resolve(cwd, asked);
  const [state] = (set(env, "STATE_DIRECTORY") ?? "").split(":"); // systemd lists several, ours is the first
  if (state !== undefined && state !== "") return resolve(cwd, state);
  const base = xdg(env, "XDG_STATE_HOME", root ? "/var/lib" : join(home, ".local", "state"));
  return join(base, "toolcrib");
}

/** Addresses that only this machine can reach. */
export const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
