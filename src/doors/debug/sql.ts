/** `/debug/api/sql?q=`: hands one query to a child process of our own binary, one at a time, and ends it when it takes too long. */
import { answer, badParameter, failure, notThere } from "./answers.ts";
import { whyNotReading } from "./sql-text.ts";
import { SqlAnswer } from "./sql-worker.ts";

export interface SqlPorts {
  /** The data folder; undefined for a log in memory. */
  readonly folder: string | undefined;
  /** The command of the child: our own program with the verb that ends in `serveSqlWorker`. */
  readonly sqlCommand: () => readonly string[];
  /** Real milliseconds; 5,000 unless told. */
  readonly sqlTimeoutMs?: number;
}

const TIMEOUT_MS = 5000;
const MAX_QUERY = 20_000;

export function createSql({ folder, sqlCommand, sqlTimeoutMs = TIMEOUT_MS }: SqlPorts): (request: Request, url: URL) => Promise<Response> {
  let isBusy = false;

  const run = async (query: string, signal: AbortSignal): Promise<Response> => {
    const child = Bun.spawn({
      cmd: [...sqlCommand()],
      cwd: "/", // no file of ours is picked up there
      env: {},
      stdin: new Blob([JSON.stringify({ folder, query })]),
      stdout: "pipe",
      stderr: "ignore",
      timeout: sqlTimeoutMs,
      killSignal: "SIGKILL",
      signal,
    });
    const text = await new Response(child.stdout).text();
    await child.exited;
    if (child.signalCode === "SIGKILL")
      return failure(
        504,
        "timeout",
        `The query took longer than ${sqlTimeoutMs / 1000} s and was ended. Ask for less, for example with "where position > …".`,
      );
    const parsed = SqlAnswer.safeParse(jsonOf(text));
    if (!parsed.success) return failure(500, "internal", "The process that ran the query ended without an answer.");
    return "error" in parsed.data ? failure(400, "invalid_arguments", parsed.data.error) : answer(parsed.data);
  };

  return async (request, url) => {
    const query = url.searchParams.get("q") ?? "";
    const refused = query.length > MAX_QUERY ? `q is longer than ${MAX_QUERY} characters` : whyNotReading(query);
    if (refused !== undefined) throw badParameter(refused);
    if (folder === undefined) throw notThere("This log is in memory: SQL needs a data folder.");
    if (isBusy) return failure(429, "rate_limited", "Another query is running: one at a time.", { "retry-after": "1" });
    isBusy = true;
    try {
      return await run(query, request.signal);
    } finally {
      isBusy = false;
    }
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it ended early
  }
}
