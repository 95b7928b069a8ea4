/** References in what hooks run or ask and in webhooks are looked up as those of servers are. */
import { expect, test } from "bun:test";
import { redactedConfig } from "../../src/config/redacted.ts";
import { resolveOutside } from "../../src/config/resolve.ts";
import { missingSecrets, writtenSecrets } from "../../src/config/secret-references.ts";
import { loaded, ref } from "./fixture.ts";

const hook = (name: string, more: object) => ({ name, ...more });
const command = (...argv: string[]) => ({ type: "command", command: argv });
const file = {
  approvals: { webhook: `https://hooks.example/${ref("secret:PATH_TOKEN")}` },
  profiles: { quiet: {}, loud: { approvals: { webhook: `https://loud.example/${ref("env:MISSING")}` } } },
  hooks: {
    preToolUse: [
      hook("fine", command("check", "--token", ref("secret:HOOK_TOKEN"), `--mode=${ref("env:MODE:-strict")}`)),
      hook("lost", command("check", ref("secret:LOST"))),
      hook("off", { ...command("check", ref("secret:LOST_TOO")), enabled: false }),
    ],
    postToolUse: [hook("told", { type: "http", url: `https://x.example/?key=${ref("file:key.txt")}` })],
  },
};
const secrets: Record<string, string> = { PATH_TOKEN: "token-of-path-1", HOOK_TOKEN: "token-of-hook-1" };
const options = { env: {}, secret: (name: string) => secrets[name], readFile: () => "key-of-file-1\n" };
const resolved = resolveOutside(loaded(file).config, ".", options);

test("programs, addresses and webhooks come with the values", () => {
  expect([...resolved.hooks.values()]).toEqual([
    { command: ["check", "--token", "token-of-hook-1", "--mode=strict"] },
    { unusable: "hooks.preToolUse[1].command[1]: the secret LOST is not in the secret store" },
    { url: "https://x.example/?key=key-of-file-1" },
  ]);
  expect(resolved.webhooks.get("")).toBe("https://hooks.example/token-of-path-1");
  expect(resolved.webhooks.has("quiet")).toBe(false);
});

test("what is missing leaves the others alone, and is said with its place", () => {
  expect(resolved.webhooks.get("loud")).toEqual({
    unusable: `profiles.loud.approvals.webhook: the environment variable MISSING is not set; set it, or write ${ref("env:MISSING:-default")}`,
  });
  expect(Object.keys(resolved.off).sort()).toEqual(["hooks.preToolUse[1]", "profiles.loud.approvals.webhook"]);
});

test("their values are registered secrets", () => {
  const values = resolved.registered.map(({ value }) => value);
  for (const value of ["token-of-hook-1", "token-of-path-1", "key-of-file-1"]) expect(values).toContain(value);
});

test("what comes to no address and no program cannot be used", () => {
  const bad = {
    approvals: { webhook: ref("env:NOWHERE:-ftp://x.example") },
    hooks: { preToolUse: [hook("nothing", command(ref("env:NOTHING:-")))] },
  };
  expect(resolveOutside(loaded(bad).config, ".", options).off).toEqual({
    "hooks.preToolUse[0]": "hooks.preToolUse[0].command: the program has no name",
    "approvals.webhook": "approvals.webhook is not an http or https address",
  });
});

test("a secret that is not in the store is a warning, and one that stands there as text too", () => {
  const missing = missingSecrets(loaded(file), options.secret);
  expect(missing.map(({ path }) => path)).toEqual(["hooks.preToolUse[1].command[1]", "hooks.preToolUse[2].command[1]"]);
  const written = writtenSecrets(loaded({ hooks: { preToolUse: [hook("bold", command("check", "--token", "a-secret-in-text"))] } }));
  expect(written.map(({ path }) => path)).toEqual(["hooks.preToolUse[0].command[2]"]);
});

test("written down, references stay and texts are masked", () => {
  const bold = { hooks: { preToolUse: [hook("bold", command("check", "--token=a-secret-in-text", ref("secret:HOOK_TOKEN")))] } };
  const [entry] = redactedConfig(loaded(bold).config).hooks.preToolUse;
  expect(entry?.command).toEqual(["check", "--token=[REDACTED literal]", ref("secret:HOOK_TOKEN")]);
});
