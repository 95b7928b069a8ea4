/** Reads a secret value: from standard input, or on a terminal typed without being shown. Never from the command line, where others see it. */
import type { ReadStream } from "node:tty";
import { EXIT, failure } from "./exit.ts";

const MAX_BYTES = 64 * 1024;

/** Without the line break at its end. Throws a `Failure`: 65 for what cannot be a secret, 1 when the typing was given up. */
export async function readSecretValue(prompt: string, input: ReadStream = process.stdin as ReadStream): Promise<string> {
  const bytes = input.isTTY ? Buffer.from(await typed(prompt, input)) : await all(input);
  const value = textOf(bytes).replace(/\r?\n$/, "");
  if (value === "") throw failure(EXIT.data, "the value is empty: give it on standard input, for example with < FILE, or type it");
  if (value.includes("\0")) throw failure(EXIT.data, "the value holds a NUL character: no variable or header could carry it");
  return value;
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw failure(EXIT.data, "the value is not UTF-8 text: encode it, for example as base64");
  }
}

async function all(input: AsyncIterable<Uint8Array | string>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > MAX_BYTES) throw failure(EXIT.data, `the value is larger than ${MAX_BYTES / 1024} KiB`);
  }
  return Buffer.concat(chunks);
}

const ENTER = new Set(["\r", "\n", "\u0004"]);
const INTERRUPT = "\u0003";
const ERASE = new Set(["\u007f", "\b"]);

/** One line in raw mode, so that the terminal does not show it. */
function typed(prompt: string, input: ReadStream): Promise<string> {
  process.stderr.write(prompt);
  input.setRawMode(true);
  input.setEncoding("utf8");
  return new Promise((resolve, reject) => {
    let text = "";
    const end = (settle: () => void) => {
      input.setRawMode(false);
      input.pause();
      input.off("data", take);
      process.stderr.write("\n");
      settle();
    };
    const take = (chunk: string) => {
      for (const character of chunk) {
        if (character === INTERRUPT) return end(() => reject(failure(EXIT.failed, "nothing was changed")));
        if (ENTER.has(character)) return end(() => resolve(text));
        text = ERASE.has(character) ? [...text].slice(0, -1).join("") : text + character;
      }
    };
    input.on("data", take);
    input.resume();
  });
}
