/**
 * Under which key a client that follows a task is shown a form. It answers each key of a task once, so no key may stand for two things: a server's
 * next round may have the keys of the one before, and what was answered in a process that died has to be asked again.
 */

interface Shown {
  /** Of the call, from 1. */
  readonly round: number;
  /** Of the process that shows a form which another one has shown before. */
  readonly again?: string;
}
const PREFIX = /^(\d+)(?:@[0-9a-z]+)?\//;

export function taskKey(key: string, { round, again }: Shown): string {
  if (again !== undefined) return `${round}@${again}/${key}`;
  return round === 1 && !PREFIX.test(key) ? key : `${round}/${key}`;
}

/** The form's own key, whichever process has shown it; undefined when it is of another round. */
export function formKey(shown: string, round: number): string | undefined {
  const [prefix = "", number = "1"] = PREFIX.exec(shown) ?? [];
  return Number(number) === round ? shown.slice(prefix.length) : undefined;
}
