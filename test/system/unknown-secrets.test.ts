/** Secrets that nobody has configured are known by their looks: they stand nowhere, no agent reads them, and yet every server gets what was sent to it. */
import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { RULES } from "../../src/secrets/families.ts";
import { tokenOf, walk } from "../secrets/made.ts";
import { legacyDoor } from "./canary-doors.ts";
import { type Canary, shownIn } from "./canary-forms.ts";
import { shownAfterwards, shownInViews, type WatchedPlace } from "./canary-place.ts";
import { asOperator, call, makePlace, send, startDaemon, whenServed } from "./daemon-fixture.ts";

const CLIENT = { clientInfo: { name: "canary-test", version: "1" } };
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** Another one each time, but the same in every run: one of 20,000 random cores is no secret by its looks. */
let drawn = 0;
const seed = () => 1_000 * ++drawn;

/** `text` around a core that no other has. */
const canary = (length: number, text: (core: string) => string): Canary => {
  const core = walk(ALPHABET, length, seed());
  return { core, value: text(core) };
};
const token = (family: string): Canary => {
  const rule = RULES.find((each) => each.family === family) ?? RULES[0]!;
  const value = tokenOf(rule, rule.least, seed());
  return { core: value.slice(rule.prefix.length), value };
};
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
const dashes = "-".repeat(5);

/** What servers show in every way that they can, so that it stands beside anything. */
const tokens = (): Canary[] => [
  token("github"),
  token("anthropic"),
  token("stripe"),
  canary(43, (core) => `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded({ sub: "somebody" })}.${core}`),
];
/** What stands in the text of a file. */
const inText = (): Canary[] => [
  canary(64, (core) => `${dashes}BEGIN PRIVATE KEY${dashes}\n${core}\n${dashes}END PRIVATE KEY${dashes}`),
  canary(24, (core) => `postgres://user:${core}@db.example.org/app`),
  canary(32, (core) => `Authorization: Bearer ${core}`),
  canary(24, (core) => `DB_PASSWORD=${core}`),
];

function watchedPlace(all: readonly Canary[]): WatchedPlace & { readonly record: string } {
  const place = makePlace();
  const record = join(place.root, "record");
  writeFileSync(record, "");
  const env = { RECORD: record, CANARIES: JSON.stringify(["", ...tokensOf(all)]) };
  place.configure({ mcpServers: { canary: { command: process.execPath, args: [join(import.meta.dir, "canary-server.ts")], env } } });
  return { ...place, all, record };
}
const tokensOf = (all: readonly Canary[]) => all.slice(0, 4).map(({ value }) => value);

describe("secrets that nobody has configured", () => {
  test("that a server shows stand in no file, view or answer", async () => {
    using place = watchedPlace(tokens());
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    await whenServed(url, "canary__echo", {});
    const answers: string[] = [];
    const legacy = await legacyDoor(url, CLIENT);
    answers.push(await legacy.request("tools/list"));
    for (const name of ["tell", "mistake", "error", "invalid", "unknown", "speak", "progress"]) {
      answers.push(await legacy.request("tools/call", { name: `canary__${name}`, arguments: {}, _meta: { progressToken: "p" } }));
      answers.push((await call(url, `canary__${name}`)).text);
    }
    for (const path of ["/v1/tools", "/v1/tools?format=openai"]) answers.push((await send(url, path)).text);
    answers.push((await call(url, "mcp_get_service_details", { server_name: "canary", tool_name: "echo" })).text);
    answers.push((await call(url, "canary__crash")).text);
    expect(answers.filter((answer) => answer.includes("[REDACTED github #")).length).toBeGreaterThan(10);
    expect(answers.flatMap((answer) => shownIn(answer, place.all))).toEqual([]);
    expect(await shownInViews(url, place)).toEqual([]);
    expect(shownIn(daemon.stderr(), place.all)).toEqual([]);
    await daemon.stop();
    expect(await shownAfterwards(place)).toEqual([]);
  }, 60_000);

  test("that an agent sends reach the server byte for byte; read, edited and written they come back as they were", async () => {
    using place = watchedPlace([...tokens(), ...inText()]);
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    await whenServed(url, "canary__echo", {});
    const file = place.all.map(({ value }) => `${value}\n`).join("");
    const sent = { text: file, password: "hunter2x", nested: [{ apiKey: walk(ALPHABET, 30) }] };
    const read = await call(url, "canary__echo", sent, { session: "editor" });
    expect(shownIn(read.text, place.all)).toEqual([]);
    expect(read.text).not.toContain("hunter2x");
    const { text } = read.json["structuredContent"] as { text: string };
    expect(text.match(/\[REDACTED [a-z-]+ #[0-9a-f]{8}\]/g)).toHaveLength(place.all.length);

    const edited = await call(url, "canary__echo", { text: `# edited\n${text}` }, { session: "editor" });
    expect(shownIn(edited.text, place.all)).toEqual([]);
    const stranger = await call(url, "canary__echo", { text }, { session: "stranger" });
    expect(stranger.text).toContain("contains a redacted value");
    const received = readFileSync(place.record, "utf8").split("\n").filter(Boolean);
    expect(received.map((line) => JSON.parse(line))).toEqual([{}, sent, { text: `# edited\n${file}` }]);

    expect(await shownInViews(url, place)).toEqual([]);
    await daemon.stop();
    expect(await shownAfterwards(place)).toEqual([]);
  }, 60_000);

  test("values that an operator names at run time are hidden from then on, and in memory only", async () => {
    using place = watchedPlace(tokens());
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    await whenServed(url, "canary__echo", {});
    const word = `plain${walk("abcdefghijklmnopqrstuvwxyz", 20, seed())}`;
    expect((await call(url, "canary__echo", { text: word })).text).toContain(word);
    const later = { core: `later${walk("abcdefghijklmnopqrstuvwxyz", 20, seed())}`, value: "" };
    const answer = await send(url, "/v1/secrets/scrub", { values: [later.core, "short"] }, asOperator(place));
    expect(answer.json).toMatchObject({ registered: 1, refused: [{ name: "scrub-1" }] });
    const echoed = await call(url, "canary__echo", { text: `a ${later.core} b`, coded: Buffer.from(later.core).toString("base64") });
    expect(shownIn(echoed.text, [later])).toEqual([]);
    expect(await shownInViews(url, { ...place, all: [later] })).toEqual([]);
    await daemon.stop();
    expect(await shownAfterwards({ ...place, all: [later] })).toEqual([]);
  }, 60_000);
});
