import { expect, test } from "bun:test";
import { whyNotReading } from "../../src/doors/debug/sql-text.ts";
import { folder, open } from "../log/fixture.ts";
import { bench, rows, sqlCommand } from "./debug-fixture.ts";

const path = (query: string) => `/debug/api/sql?q=${encodeURIComponent(query)}`;
const message = async (response: Response) => ((await response.json()) as { error: { message: string } }).error.message;

test("a query answers columns, rows and the position they are true at", async () => {
  using data = folder();
  const log = open(data.path);
  const gateway = await bench({ log, folder: data.path });
  await (await gateway.session("s_1")).ask("mail__look");
  const body = await gateway.json(
    path("-- calls; by tool\nselect tool, count(*) as n, x'0aff' as b from calls where name <> 'a;b' group by tool;"),
  );
  expect(body).toMatchObject({ columns: ["tool", "n", "b"], rows: [{ tool: "look", n: 1, b: "0aff" }], truncated: false });
  expect(body.position).toBe(log.head.position);
  await log.close();
});

test("more than a thousand rows are cut, and errors are SQLite's own", async () => {
  using data = folder();
  const log = open(data.path);
  const gateway = await bench({ log, folder: data.path });
  const many = await gateway.json(path("with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"));
  expect(many["truncated"]).toBe(true);
  expect(rows(many, "rows")).toHaveLength(1000);
  const wrong = await gateway.get(path("select missing from calls"));
  expect([wrong.status, await message(wrong)]).toEqual([400, "no such column: missing"]);
  const writing = await gateway.get(path("with x as (select 1) delete from meta"));
  expect([writing.status, await message(writing)]).toEqual([400, "attempt to write a readonly database"]);
  const twice = await gateway.get(path("select 1 as a, 2 as a"));
  expect([twice.status, await message(twice)]).toEqual([400, "two columns are named a: name one of them with AS"]);
  await log.close();
});

test("a query that takes too long is ended, and meanwhile there is no second one", async () => {
  using data = folder();
  const log = open(data.path);
  const gateway = await bench({ log, folder: data.path, ports: { sqlTimeoutMs: 1500 } });
  const endless = gateway.get(path("with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"));
  const second = await gateway.get(path("select 1"));
  expect([second.status, second.headers.get("retry-after")]).toEqual([429, "1"]);
  expect((await endless).status).toBe(504);
  const after = await gateway.json(path("select 1 as one"));
  expect(after["rows"]).toEqual([{ one: 1 }]);
  await log.close();
});

test("a client that leaves takes its query with it", async () => {
  using data = folder();
  const log = open(data.path);
  const gateway = await bench({ log, folder: data.path, ports: { sqlTimeoutMs: 60_000 } });
  const leaving = new AbortController();
  const endless = gateway.get(path("with recursive n(i) as (select 1 union all select i + 1 from n) select max(i) from n"), {
    signal: leaving.signal,
  });
  leaving.abort();
  await endless;
  expect((await gateway.get(path("select 1"))).status).toBe(200);
  await log.close();
});

test("the child sees nothing of our environment", async () => {
  using data = folder();
  const log = open(data.path);
  process.env["TOOLCRIB_TEST_CANARY"] = "seen";
  const [bun = "", e = "", script = ""] = sqlCommand();
  const telling = [bun, e, `if (process.env.TOOLCRIB_TEST_CANARY) process.exit(1); ${script}`];
  const gateway = await bench({ log, folder: data.path, ports: { sqlCommand: () => telling } });
  expect((await gateway.get(path("select 1"))).status).toBe(200);
  delete process.env["TOOLCRIB_TEST_CANARY"];
  await log.close();
});

test("a log in memory has no SQL", async () => {
  const gateway = await bench();
  expect((await gateway.get(path("select 1"))).status).toBe(404);
});

test.each([
  ["select 1", true],
  ["  /* why */ SELECT ';' as a -- end;\n;", true],
  ["with x as (select 1) select * from x", true],
  ["explain query plan select 1", true],
  ['select "a;b", [c;d], `e;f`', true],
  ["", false],
  ["-- only a comment", false],
  ["select 1; select 2", false],
  ["select 1; -- two\n drop table events", false],
  ["pragma journal_mode = delete", false],
  ["attach 'x.db' as x", false],
  ["vacuum into '/tmp/x'", false],
  ["insert into meta values (1, 2)", false],
  ["/* select */ delete from events", false],
])("%p is one reading statement: %p", (query, isReading) => {
  expect(whyNotReading(query) === undefined).toBe(isReading);
});
