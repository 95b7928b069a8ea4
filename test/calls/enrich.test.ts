/** What is told beside an error that names a missing argument. */
import { expect, test } from "bun:test";
import { describeMissing, rootOf } from "../../src/calls/enrich.ts";

const missing = {
  field: "account_id",
  parameter: { type: "string", description: "as list_accounts gives it" },
  description: "Books a trip. The account_id is that of the payer! Other accounts pay nothing.",
  known: undefined,
  earlier: [],
};
const called = (name: string, args: unknown = {}, at = 0) => ({ name, at, arguments: args });

test("names the argument, its schema and the first sentence that speaks of it", () => {
  expect(describeMissing(missing).split("\n")).toEqual([
    'The argument "account_id" is missing. Its schema: {"type":"string","description":"as list_accounts gives it"}',
    "The tool's description says: The account_id is that of the payer!",
  ]);
});

test("tells what is known of it, and that nothing was filled in", () => {
  expect(describeMissing({ ...missing, known: "Europe/Berlin" })).toContain('it would be "Europe/Berlin" here. Nothing was filled in');
});

test("lists at most five earlier calls whose name or arguments have its root, newest first", () => {
  const earlier = [
    called("bank__list_accounts"),
    called("mail__send", { to: "grace" }),
    called("bank__show", { Account: 7 }, 1000),
    ...Array.from({ length: 6 }, (_, n) => called(`bank__account_${n}`)),
  ];
  const lines = describeMissing({ ...missing, earlier })
    .split("\n")
    .slice(3);
  expect(lines).toEqual([
    "- bank__list_accounts {} (1970-01-01T00:00:00.000Z)",
    '- bank__show {"Account":7} (1970-01-01T00:00:01.000Z)',
    "- bank__account_0 {} (1970-01-01T00:00:00.000Z)",
    "- bank__account_1 {} (1970-01-01T00:00:00.000Z)",
    "- bank__account_2 {} (1970-01-01T00:00:00.000Z)",
  ]);
});

test("looks no further than it needs to", () => {
  let looked = 0;
  function* earlier() {
    for (; ; looked++) yield called("bank__accounts");
  }
  describeMissing({ ...missing, earlier: earlier() });
  expect(looked).toBeLessThan(6);
});

test("erased arguments match nothing but their tool's name", () => {
  expect(describeMissing({ ...missing, earlier: [called("bank__show", undefined)] })).not.toContain("Recent calls");
});

test("a root that stands in every other word is not looked for", () => {
  expect(describeMissing({ ...missing, field: "id", earlier: [called("video__list")] })).not.toContain("Recent calls");
});

test("what is long is cut", () => {
  const long = "account_id ".repeat(10_000);
  const told = describeMissing({ ...missing, parameter: { description: long }, description: long, earlier: [called("a", { long })] });
  expect(told.length).toBeLessThan(2000);
});

test.each([
  ["account_id", "account"],
  ["accountId", "account"],
  ["accountID", "account"],
  ["accountIds", "account"],
  ["account-id", "account"],
  ["grid", "grid"],
  ["userName", "username"],
])("the root of %s is %s", (field, root) => {
  expect(rootOf(field)).toBe(root);
});
