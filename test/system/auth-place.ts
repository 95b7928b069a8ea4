/** A daemon whose servers ask for tokens, and the person who logs in with the real verb. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AuthorizationFixture, CLIENT, follow, serveAuthorization } from "../fixtures/servers/authorization-server.ts";
import { type ProtectedServer, serveProtected } from "../fixtures/servers/protected-server.ts";
import { asOperator, makePlace, type Place, PROGRAM, send } from "./daemon-fixture.ts";

export interface AuthPlace extends AsyncDisposable {
  readonly place: Place;
  readonly authority: AuthorizationFixture;
  /** `mail` wants a person, `robot` a client's own credentials. */
  readonly mail: ProtectedServer;
  readonly robot: ProtectedServer;
}

export function authPlace(): AuthPlace {
  const authority = serveAuthorization();
  const mail = serveProtected(authority);
  const robot = serveProtected(authority);
  const tools = { "*": { capability: "mutating" } };
  const place = makePlace({
    auth: {
      person: { type: "authorization_code" },
      machine: { type: "client_credentials", clientId: CLIENT.clientId, clientSecret: CLIENT.clientSecret, issuer: authority.issuer },
    },
    mcpServers: { mail: { url: mail.url, auth: "person", tools }, robot: { url: robot.url, auth: { profile: "machine" }, tools } },
  });
  return {
    place,
    authority,
    mail,
    robot,
    async [Symbol.asyncDispose]() {
      place[Symbol.dispose]();
      await Promise.all([mail, robot, authority].map((server) => server[Symbol.asyncDispose]()));
    },
  };
}

export interface LoggedIn {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `toolcrib auth login mail`, and goes where it says. */
export async function logInWith({ data, config, root }: Place, visit: (url: string) => Promise<unknown> = follow): Promise<LoggedIn> {
  const child = Bun.spawn(
    [...PROGRAM, "auth", "login", "mail", "--no-browser-hint", "--timeout", "30s", "--config", config, "--data", data],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const stderr = new Response(child.stderr).text();
  let stdout = "";
  let visiting: Promise<unknown> | undefined;
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    stdout += chunk;
    const address = /^http\S+$/m.exec(stdout)?.[0];
    if (address !== undefined && stdout.includes("\n")) visiting ??= visit(address);
  }
  await visiting;
  return { code: await child.exited, stdout, stderr: await stderr };
}

/** As `/debug/api/servers` shows it. */
export async function serverRow(url: string, place: Place, name: string): Promise<Record<string, unknown>> {
  const { json } = await send(url, "/debug/api/servers", undefined, asOperator(place));
  return (json["servers"] as Record<string, unknown>[]).find((row) => row["name"] === name) ?? {};
}

/** Names of the files under a folder that hold one of these texts. */
export const filesWith = (folder: string, texts: readonly string[]): string[] =>
  [...new Bun.Glob("**/*").scanSync({ cwd: folder, dot: true })].filter((file) => {
    const content = readFileSync(join(folder, file));
    return texts.some((text) => content.includes(text));
  });
