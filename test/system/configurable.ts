/** A kernel to which one configuration after the other is applied. */
import { configure } from "../../src/system/configure.ts";
import { createLanguage } from "../../src/system/language.ts";
import { createOutside } from "../../src/system/outside.ts";
import { loaded } from "../config/fixture.ts";
import { fakeServer, harness } from "../harness.ts";

/** A kernel to which configurations can be applied, and the number of connections to the server `one` so far. */
export async function configurable(first: object, env: Record<string, string> = {}) {
  const one = fakeServer();
  let connects = 0;
  const { connect: inner } = one;
  const connect: typeof inner = async (events) => {
    connects++;
    for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve)); // later than a commit
    return inner(events);
  };
  const it = await harness({ servers: { one: Object.assign(one, { connect }) } });
  let drawn = 0;
  const language = createLanguage({ kernel: () => it, clock: it.clock, redact: it.vault.redactText, say: () => undefined });
  const ports = {
    kernel: it,
    language,
    outside: createOutside({ allowPrivate: () => false, environment: {}, marker: "" }),
    vault: it.vault,
    environment: env,
    self: { listen: { host: "127.0.0.1", port: 1 }, commands: [] },
    secret: () => undefined,
    randomServerId: () => String(++drawn).padStart(12, "0"),
  };
  const apply = async (file: object | string) => {
    const before = connects;
    const configured = await configure(loaded(file), ports);
    await it.settle();
    return { ...configured, connects: connects - before };
  };
  await apply({}); // what the harness configured is gone
  await apply(first);
  const server = (name: string) => it.runtime.catalogue().servers.get(name);
  return { ...it, one, apply, server, language };
}

export const stdio = { command: "prog", args: ["a"], env: { A: "1", B: "2" } };
export const http = { url: "https://x.example/mcp", headers: { "X-A": "1", "X-B": "2" } };
export const only = (entry: object, more: object = {}) => ({ mcpServers: { one: entry }, ...more });
