/** Secrets of the store inside the daemon: what changed is recorded once, and what a value was before stays concealed. */
import { expect, test } from "bun:test";
import { openSealedStore, SECRET_KIND } from "../../src/secrets/sealed.ts";
import { createSecrets } from "../../src/system/secrets.ts";
import { harness } from "../harness.ts";

async function world() {
  const { runtime, vault, log } = await harness();
  const sealed = openSealedStore(":memory:", new Uint8Array(32), () => 1000);
  const secrets = createSecrets({ sealed, vault, runtime });
  const recorded = () =>
    log.page({ stream: "system", after: 0, limit: 100 }).map(({ type, data }) => [type, (data as { name?: string }).name]);
  return { sealed, secrets, vault, recorded };
}

test("a difference between the store and the log is recorded once", async () => {
  const { sealed, secrets, recorded } = await world();
  expect(await secrets.record("start")).toBe(false);
  sealed.put(SECRET_KIND, "A", "1");
  sealed.put("oauth", "B", "1"); // not a secret of the configuration
  expect([await secrets.record("start"), await secrets.record("start")]).toEqual([true, false]);
  sealed.put(SECRET_KIND, "A", "2"); // in the same millisecond
  expect(await secrets.record("operator:ada")).toBe(true);
  sealed.remove(SECRET_KIND, "A");
  expect(await secrets.record("operator:ada")).toBe(true);
  expect(recorded()).toEqual([
    ["secret.set", "A"],
    ["secret.set", "A"],
    ["secret.removed", "A"],
  ]);
});

test("a value that was replaced or removed is still concealed, unless it never was", async () => {
  const { sealed, secrets, vault } = await world();
  for (const name of ["KEPT", "IGNORED"]) sealed.put(SECRET_KIND, name, `first value of ${name}`);
  vault.configure([{ name: "KEPT", value: secrets.of("KEPT") ?? "" }]);
  secrets.of("IGNORED");
  for (const name of ["KEPT", "IGNORED"]) sealed.put(SECRET_KIND, name, `second value of ${name}`);
  vault.configure([{ name: "KEPT", value: secrets.of("KEPT") ?? "" }]);
  secrets.of("IGNORED");
  sealed.remove(SECRET_KIND, "KEPT");
  expect(secrets.of("KEPT")).toBeUndefined();
  vault.configure([]);
  for (const value of ["first value of KEPT", "second value of KEPT"]) expect(vault.redactText(value)).not.toContain(value);
  expect(vault.redactText("first value of IGNORED")).toBe("first value of IGNORED");
});
