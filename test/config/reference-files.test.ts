/** Files that hold values of the configuration are watched like the configuration. */
import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { referencedFiles } from "../../src/config/reference-files.ts";
import { loaded, ref } from "./fixture.ts";
import { watched } from "./watch-fixture.ts";

test("every file that a reference names is found, wherever it stands, once", () => {
  const value = {
    mcpServers: {
      a: { command: ref("file:bin"), args: ["--key", `x${ref("file:/run/key")}y`], env: { A: ref("cred:token"), B: ref("env:HOME") } },
      b: { url: `https://x/${ref("file:/run/key")}`, headers: { A: "$${file:no}", C: `${ref("file:fine")} ${"${"}` } },
    },
    secrets: { register: [ref("file:sub/more")] },
  };
  const env = { CREDENTIALS_DIRECTORY: "/run/credentials" };
  expect(referencedFiles({ file: "/etc/toolcrib/mcp.json", value }, env)).toEqual([
    "/etc/toolcrib/bin",
    "/run/key",
    "/run/credentials/token",
    "/etc/toolcrib/sub/more",
  ]);
  expect(referencedFiles({ file: "/etc/mcp.json", value: ref("cred:token") }, {})).toEqual([]);
});

const withKey = { "toolcrib.jsonc": { mcpServers: { s: { command: "x", env: { KEY: ref("file:secrets/key") } } } }, "secrets/key": "one" };

test("a change of such a file is told, though the configuration did not change", () => {
  const it = watched(withKey);
  it.timers.advance(600);
  expect(it.results).toEqual([]);
  it.write("secrets/new", "two");
  renameSync(join(it.cwd, "secrets/new"), join(it.cwd, "secrets/key"));
  it.timers.advance(6000);
  const [result, ...more] = it.results;
  expect(more).toEqual([]);
  const before = loaded(withKey["toolcrib.jsonc"]);
  expect(result).toMatchObject({ ok: true, fingerprint: expect.any(String), digest: before.digest });
  it.timers.advance(60_000);
  expect(it.results).toHaveLength(1);
});

test("its folder is watched for events, and its appearance and disappearance are changes", () => {
  const it = watched({ ...withKey, "secrets/key": "one", "secrets/other": "" });
  it.timers.advance(600);
  it.listeners.get(join(it.cwd, "secrets"))?.("other");
  it.timers.advance(600);
  expect(it.results).toEqual([]);
  renameSync(join(it.cwd, "secrets/key"), join(it.cwd, "secrets/gone"));
  it.listeners.get(join(it.cwd, "secrets"))?.("key");
  it.timers.advance(600);
  renameSync(join(it.cwd, "secrets/gone"), join(it.cwd, "secrets/key"));
  it.timers.advance(6000);
  expect(it.results.map(({ ok }) => ok)).toEqual([true, true]);
});

test("the stamps are of the time before anybody read the files: what changes between loading and watching is told", () => {
  const it = watched(withKey);
  it.write("secrets/key", "changed at once, before the first look");
  it.timers.advance(600);
  expect(it.results).toHaveLength(1);
});
