/** The limits as an operator writes them, through the doors of a daemon. */
import { expect, test } from "bun:test";
import { call, fixtureServer, makePlace, send, startDaemon, until, whenServed } from "./daemon-fixture.ts";

test("limits of the configuration hold at every door, and a change of them applies at once", async () => {
  const mcpServers = { one: { ...fixtureServer(), tools: { echo: { capability: "read", callOnce: false } } } };
  using place = makePlace({ mcpServers, limits: { callsPerHour: 0, spin: { repetition: 3, window: 6 }, sessionsPerToken: 1 } });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  await whenServed(url, "one__echo", { text: "there" });
  const statuses: number[] = [];
  for (let time = 0; time < 4; time++) statuses.push((await call(url, "one__echo", { text: "again" })).status);
  expect(statuses).toEqual([200, 200, 403, 403]);
  const refused = await call(url, "one__echo", { text: "again" });
  expect(refused.json["error"]).toMatchObject({
    code: "refused",
    message: expect.stringContaining("change the arguments or the approach"),
  });
  const other = await send(url, "/v1/tools?session=another");
  expect([other.status, other.json["error"]]).toMatchObject([429, { code: "rate_limited" }]);

  place.configure({ mcpServers, limits: { requestsPerMinute: 1 } });
  await until("the sixth request comes too early", async () => (await send(url, "/v1/tools")).status === 429 || undefined);
}, 30_000);
