/** Typing a secret on a terminal: what comes out, and that the terminal is left as it was. */
import { expect, test } from "bun:test";
import { EventEmitter } from "node:events";
import type { ReadStream } from "node:tty";
import { readSecretValue } from "../../src/cli/secret-value.ts";

/** A terminal that sends these chunks, and remembers its modes. */
function terminal(...chunks: readonly string[]) {
  const modes: boolean[] = [];
  const input = Object.assign(new EventEmitter(), {
    isTTY: true,
    setRawMode: (raw: boolean) => modes.push(raw),
    setEncoding: () => undefined,
    pause: () => undefined,
    resume: () => queueMicrotask(() => chunks.forEach((chunk) => void input.emit("data", chunk))),
  });
  return { input: input as unknown as ReadStream, modes };
}
const read = (input: ReadStream) => readSecretValue("", input);

test.each([
  [["secret\r"], "secret"],
  [["sec", "ret", "\n"], "secret"],
  [["secrex\u007ft\r"], "secret"],
  [["x\u007f\u007fö👍\u007f\r"], "ö"],
  [["secret\rand what was typed after it"], "secret"],
])("%j is read as %j", async (chunks, value) => {
  const { input, modes } = terminal(...chunks);
  expect(await read(input)).toBe(value);
  expect(modes).toEqual([true, false]);
  expect(input.listenerCount("data")).toBe(0);
});

test("Ctrl-C gives up, and an empty line is no value", async () => {
  const interrupted = terminal("sec\u0003");
  expect(read(interrupted.input)).rejects.toThrow("nothing was changed");
  await read(interrupted.input).catch(() => undefined);
  expect(interrupted.modes.at(-1)).toBe(false);
  expect(read(terminal("\r").input)).rejects.toThrow("the value is empty");
});
