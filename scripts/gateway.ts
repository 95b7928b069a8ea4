/** The program as a child process: started, awaited until it serves, asked and ended. For the smoke test and for the tests of the binary. */

export interface Start {
  /** The program and its first arguments; `serve` and what follows is added. */
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child. */
  readonly env?: Readonly<Record<string, string>>;
}
/** Killed at the latest when its scope ends. */
export interface Gateway extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Everything it wrote to stderr so far. */
  readonly output: () => string;
  /** Ends it and resolves with its exit code; null when a signal ended it. */
  end(signal: "SIGTERM" | "SIGINT" | "SIGKILL"): Promise<number | null>;
}

const READY = /^toolcrib listening on (\S+)$/m;
const START_LIMIT_MS = 20_000;

/** Resolves once it has printed its address; rejects with its last words when it ends before, or takes 20 s. */
export async function startGateway({ command, args = [], cwd, env = {} }: Start): Promise<Gateway> {
  const child = Bun.spawn([...command, "serve", ...args], { cwd, env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  let written = "";
  const ready = Promise.withResolvers<string>();
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      written += decoder.decode(chunk, { stream: true });
      const url = READY.exec(written)?.[1];
      if (url !== undefined) ready.resolve(url);
    }
    ready.reject(new Error(`it ended before it served (code ${await child.exited}):\n${written}`));
  })();
  const limit = setTimeout(() => ready.reject(new Error(`it does not serve after ${START_LIMIT_MS} ms:\n${written}`)), START_LIMIT_MS);
  const end: Gateway["end"] = async (signal) => {
    child.kill(signal);
    await child.exited;
    await reading;
    return child.exitCode;
  };
  try {
    const url = await ready.promise;
    return { url, output: () => written, end, [Symbol.asyncDispose]: async () => void (await end("SIGKILL")) };
  } catch (error) {
    await end("SIGKILL");
    throw error;
  } finally {
    clearTimeout(limit);
  }
}

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Calls a tool over REST. */
export async function callTool(url: string, name: string, args: Readonly<Record<string, unknown>>, token?: string): Promise<Answer> {
  const response = await fetch(`${url}/v1/tools/${encodeURIComponent(name)}/call`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ arguments: args }),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

/** The same once the tool is offered: a server that was just started may still be connecting. Waits as long as a start may take. */
export async function callWhenOffered(url: string, name: string, args: Readonly<Record<string, unknown>>, token?: string): Promise<Answer> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const limit = performance.now() + START_LIMIT_MS;
  while (performance.now() < limit) {
    const { tools = [] } = (await (await fetch(`${url}/v1/tools`, { headers })).json()) as { tools?: readonly { name: string }[] };
    if (tools.some((tool) => tool.name === name)) break;
    await Bun.sleep(50);
  }
  return callTool(url, name, args, token);
}

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** Runs one verb to its end. */
export async function runVerb(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const child = Bun.spawn([...argv], { cwd, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [out, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { code, out, errors };
}
