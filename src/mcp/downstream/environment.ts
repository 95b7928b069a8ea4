/** What a child process may see of our environment: a short allow-list, never our own settings or secrets. */

const ALLOWED = new Set([
  "HOME",
  "LANG",
  "LANGUAGE",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "TMPDIR",
  "TZ",
  "USER",
  "XDG_CACHE_HOME",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_RUNTIME_DIR",
]);

/** These make a Bun or Node child (or a compiled binary of ours) run other code than its command line says, so not even an entry's own `env` sets them. */
const NEVER = new Set(["BUN_OPTIONS", "BUN_BE_BUN", "NODE_OPTIONS"]);

/** The variable that tells a later start of ours which processes are children of an earlier one. */
export const CHILD_MARKER = "TOOLCRIB_CHILD";

/**
 * Builds a child's environment: allow-listed variables of `ours`, then the entry's own, then the marker. Exported shell functions (`() {`) are
 * dropped.
 */
export function childEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  entry: Readonly<Record<string, string>>,
  marker: string,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(ours)) {
    if (value === undefined || value.startsWith("() {")) continue;
    if (ALLOWED.has(name) || name.startsWith("LC_")) env[name] = value;
  }
  for (const [name, value] of Object.entries(entry)) {
    if (!NEVER.has(name)) env[name] = value;
  }
  env[CHILD_MARKER] = marker;
  return env;
}
