/** Addresses that must not be reached on an agent's word, in all the ways to write them: a collection of others. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { checkAddress } from "../../src/net/guard.ts";

const suites = process.env["TOOLCRIB_SUITES"];

interface Row {
  readonly url: string;
  readonly expect: "block" | "allow";
  readonly why: string;
  readonly dns?: Readonly<Record<string, readonly string[]>>;
}

describe.skipIf(suites === undefined)("addresses of others (set TOOLCRIB_SUITES to run)", () => {
  test("none that leads inside passes, none that leads outside is refused", async () => {
    const rows = (await Bun.file(join(suites ?? "", "ssrf/urls.jsonl")).text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Row);
    expect(rows.length).toBeGreaterThan(500);
    const wrong: string[] = [];
    for (const { url, expect: expected, why, dns = {} } of rows) {
      const { ok } = await checkAddress(url, async (name) => dns[name] ?? ["93.184.215.14"]);
      if (ok !== (expected === "allow")) wrong.push(`${expected}: ${url} (${why})`);
    }
    expect(wrong).toEqual([]);
  });
});
