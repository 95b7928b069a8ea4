/** For crash tests: ends the process by SIGKILL when it passes a named step for the n-th time. Does nothing unless the environment asks for it. */

/** `TOOLCRIB_FAILPOINT=before_commit:25` */
export const FAILPOINT_VARIABLE = "TOOLCRIB_FAILPOINT";

/** The steps that can be named beside those of the log (see src/log/log.ts). */
export type Step = "before_append" | "before_send" | "after_answer";

export function createFailpoint(environment: Readonly<Record<string, string | undefined>>): (name: string) => void {
  const [wanted, count = "1"] = environment[FAILPOINT_VARIABLE]?.split(":") ?? [];
  if (!wanted) return () => undefined;
  let left = Number(count);
  return (name) => {
    if (name === wanted && --left === 0) process.kill(process.pid, "SIGKILL");
  };
}
