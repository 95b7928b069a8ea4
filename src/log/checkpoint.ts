/** The writer's side of the checkpoint thread. */
import workerFile from "./checkpoint-worker.ts" with { type: "file" };

export interface Checkpointer {
  /** Copy what is committed into the database. Resolves when that is done; a call while one runs does nothing. */
  run(): Promise<void>;
  /** Close the thread's connection and end it. */
  stop(): Promise<void>;
}

/** `onFailure` is called once if the thread dies: the WAL would grow without end. */
export function checkpointer(database: string, onFailure: () => void): Checkpointer {
  const worker = new Worker(workerFile);
  worker.unref();
  let waiting: { readonly message: string; readonly done: () => void }[] = [];
  let broken = false;
  worker.addEventListener("message", ({ data }) => {
    for (const { done } of waiting.filter(({ message }) => message === data)) done();
    waiting = waiting.filter(({ message }) => message !== data);
  });
  worker.addEventListener("error", () => {
    if (!broken) onFailure();
    broken = true;
    for (const { done } of waiting) done();
    waiting = [];
  });
  const ask = (message: string) =>
    new Promise<void>((done) => {
      if (broken) return done();
      waiting.push({ message, done });
      worker.postMessage(message);
    });
  return {
    run: () => (waiting.length > 0 ? Promise.resolve() : ask(database)),
    async stop() {
      await ask("stop");
      worker.terminate();
    },
  };
}
