/** Moves bytes between standard input and output and the daemon's socket; it never looks at them. */
import { connect, type Socket } from "node:net";
import { EXIT, failure } from "./exit.ts";

/** The first line of a connection. */
export interface Hello {
  readonly session: string;
  readonly profile?: string;
  /** What a hook passes on. */
  readonly led?: string;
}

const NOBODY = new Set(["ENOENT", "ECONNREFUSED"]);

/** Undefined when nobody listens there. Throws a `Failure` when the socket may not or cannot be opened. */
export function openSocket(path: string): Promise<Socket | undefined> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      resolve(socket);
    });
    socket.once("error", (error: Error & { code?: string }) => {
      socket.destroy();
      const { code = "unknown" } = error;
      if (NOBODY.has(code)) resolve(undefined);
      else if (code === "EACCES" || code === "EPERM")
        reject(failure(EXIT.notPermitted, `${path} may not be opened: run this as the user of the daemon`));
      else
        reject(
          failure(
            EXIT.unavailable,
            `${path} cannot be opened (${code}): name another data folder with --data; a long path can be the reason`,
          ),
        );
    });
  });
}

export interface Ends {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Resolves when the connection is over and everything that came is written: true when our input had ended before, false when the daemon left first. */
export async function forward(socket: Socket, hello: Hello, { input, output }: Ends): Promise<boolean> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  let inputEnded = false;
  input.once("end", () => {
    inputEnded = true;
  });
  socket.on("error", () => undefined); // "close" follows
  socket.once("end", () => void (inputEnded || socket.destroy()));
  socket.once("close", () => resolve());
  socket.write(`${JSON.stringify(hello)}\n`);
  input.pipe(socket); // its end is ours: the daemon answers what it owes, then ends
  socket.pipe(output, { end: false });
  await closed;
  await new Promise<void>((flushed) => output.write("", () => flushed()));
  return inputEnded;
}
