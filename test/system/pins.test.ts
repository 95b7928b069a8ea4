/** A pin is about what the server says: a secret that is learnt later, or found by new rules, changes nothing that was accepted. */
import { expect, test } from "bun:test";
import { createDefinitions } from "../../src/system/definitions.ts";

test("the same definition keeps its pin when another secret is concealed in it", () => {
  let secret = "none";
  const stored = new Map<string, string>();
  const definitions = createDefinitions({
    log: { define: (hash, json) => void stored.set(hash, json), definition: (hash) => stored.get(hash) },
    redact: (text) => text.replaceAll(secret, "[REDACTED x #00000000]"),
    acceptedOf: () => undefined,
    offeredOf: () => undefined,
    scan: () => [],
  });
  const server = { name: "mail", id: "a", address: "x" };
  const tool = { name: "send", description: "uses hunter2hunter2", inputSchema: { type: "object" } };
  const before = definitions.declare(server, tool);
  secret = "hunter2hunter2";
  const after = definitions.declare(server, tool);
  expect(after.pin).toBe(before.pin ?? "");
  expect(after.hash).not.toBe(before.hash);
  expect(definitions.declare({ ...server, address: "y" }, tool).pin).not.toBe(before.pin);
  expect(definitions.declare(server, { ...tool, description: "other" }).pin).not.toBe(before.pin);
});
