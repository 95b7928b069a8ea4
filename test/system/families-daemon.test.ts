/** `secrets.families`: through a daemon, at the start and while it runs. */
import { expect, test } from "bun:test";
import { RULES } from "../../src/secrets/families.ts";
import { tokenOf } from "../secrets/made.ts";
import { asOperator, call, fixtureServer, makePlace, send, startDaemon, until, whenServed } from "./daemon-fixture.ts";

const mcpServers = { one: fixtureServer() };
const token = tokenOf(RULES.find(({ family }) => family === "npm") ?? RULES[0]!);

test("a family that is off is left alone, with a warning; on again it is hidden; an unknown one is a mistake", async () => {
  using place = makePlace({ mcpServers, secrets: { families: { npm: false } } });
  await using daemon = startDaemon(place);
  const url = await daemon.url;
  const echoed = async () => (await call(url, "one__echo", { text: token })).text.includes(token);
  const config = async () => (await send(url, "/debug/api/status", undefined, asOperator(place))).json["config"] as { errors: string[] };
  await whenServed(url, "one__echo", { text: "there" });
  expect(await echoed()).toBe(true);
  expect(daemon.stderr()).toContain("neither hidden from agents");
  place.configure({ mcpServers });
  await until("it is hidden", async () => !(await echoed()));
  place.configure({ mcpServers, secrets: { families: { nmp: false } } });
  await until("the mistake is told", async () => (await config()).errors.join().includes('did you mean "npm"?'));
  expect(await echoed()).toBe(false);
}, 60_000);
