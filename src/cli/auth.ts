/** `toolcrib auth`: log in to a downstream server, see who is logged in, log out. */
import type { Command } from "commander";
import { logIn } from "../auth/login.ts";
import { storedOf } from "../auth/stored.ts";
import { type AuthFlags, loginServer } from "./auth-server.ts";
import { status } from "./auth-status.ts";
import { askDaemon, errorOf } from "./daemon-client.ts";
import { dataFolderOf } from "./data-folder.ts";
import { durationOf } from "./duration.ts";
import { EXIT, type Failure, failure } from "./exit.ts";
import { inline, print, time } from "./print.ts";
import { openSecrets } from "./secret-store.ts";

interface LoginFlags extends AuthFlags {
  readonly browserHint: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

const FIVE_MINUTES_MS = 300_000;
const A_DAY_MS = 86_400_000;

export function authVerb(program: Command): void {
  const auth = program.command("auth").description("log in to downstream servers that ask for a person (OAuth)");
  const verb = (name: string, description: string) =>
    auth.command(name).description(description).option("--config <file>", "configuration (JSONC)").option("--data <dir>", "data folder");
  verb("login", "log in to a server: prints an address to open in a browser, and waits for the answer on 127.0.0.1")
    .argument("<server>", "its name in the configuration")
    .option("--no-browser-hint", "print the address only")
    .option("--timeout <duration>", "how long to wait, for example 5m", durationOf, FIVE_MINUTES_MS)
    .action(login);
  verb("status", "list the servers that have a profile, and whether somebody has to log in").option("--json", "as JSON").action(status);
  verb("logout", "forget the tokens of a server; what its authorization server knows of them stays there")
    .argument("<server>", "its name in the configuration")
    .action(logout);
}

async function login(wanted: string, { browserHint, timeout, ...flags }: LoginFlags): Promise<void> {
  const { name, url, profile } = loginServer(wanted, flags);
  const folder = dataFolderOf(flags);
  const store = openSecrets(folder);
  const show = (address: string, port: number) => {
    if (!browserHint) return print(address);
    process.stderr.write(`To log in to ${name}, open this address in a browser on this machine:\n\n`);
    print(address);
    process.stderr.write(
      `\nThe browser comes back to port ${port} of 127.0.0.1; if it runs elsewhere: ssh -L ${port}:127.0.0.1:${port} HOST\n`,
    );
  };
  try {
    const ports = { now: Date.now, show, signal: AbortSignal.timeout(Math.min(timeout, A_DAY_MS)) };
    const { issuer, scope, tokens } = await logIn(profile, url, storedOf(store, profile, url), ports).catch((error: Error) => {
      throw failure(EXIT.failed, `the login to ${name} failed: ${error.message}`);
    });
    const until = tokens?.expiresAt === undefined ? "" : `, until ${time(tokens.expiresAt)}`;
    const then = tokens?.refreshToken === undefined ? " (another login is needed then)" : " and then refreshed by itself";
    const scopes = scope === undefined ? "" : ` with ${inline(scope)}`;
    print(
      `logged in to ${name} at ${new URL(issuer).origin}${scopes}${until}${until === "" ? "" : then}; ${await tellDaemon(folder, name)}`,
    );
  } finally {
    store.close();
  }
}

async function logout(wanted: string, flags: AuthFlags): Promise<void> {
  const { name, url, profile } = loginServer(wanted, flags);
  const folder = dataFolderOf(flags);
  const store = openSecrets(folder);
  const removed = storedOf(store, profile, url).remove();
  store.close();
  if (!removed) throw failure(EXIT.failed, `nobody is logged in to ${name}`);
  print(`logged out of ${name}; ${await tellDaemon(folder, name)}`);
}

/** What to say of the daemon: it takes what is stored now, if one runs. */
async function tellDaemon(folder: string, server: string): Promise<string> {
  try {
    const { status: code, body } = await askDaemon(folder, "POST", `/v1/servers/${encodeURIComponent(server)}/reconnect`);
    if (code === 200) return "the running toolcrib connects it anew";
    if (code === 503) return "the toolcrib that is starting will use it";
    return `the running toolcrib did not take it: ${errorOf(body)?.message ?? code}`;
  } catch (error) {
    if ((error as Failure).exitCode === EXIT.unavailable) return "no toolcrib runs now: the next start uses it";
    throw error;
  }
}
