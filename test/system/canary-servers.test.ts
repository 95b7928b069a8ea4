/** Secrets that servers show wherever they can (answers, errors, progress, stderr, tools, introductions, failing starts) stand nowhere, and no agent reads them. */
import { describe, expect, test } from "bun:test";
import { legacyDoor, modernDoor, stdioDoor } from "./canary-doors.ts";
import { shownIn } from "./canary-forms.ts";
import { makeCanaryPlace, shownAfterwards, shownInViews } from "./canary-place.ts";
import { serveCanaryWeb } from "./canary-web.ts";
import { asOperator, call, send, startDaemon, until, whenServed } from "./daemon-fixture.ts";

const CLIENT = { clientInfo: { name: "canary-test", version: "1" } };
const TOOLS = ["tell", "mistake", "error", "invalid", "unknown", "speak", "progress"];

describe("secrets that servers show", () => {
  test("stand in no file, view or answer, whichever way they come", async () => {
    using web = serveCanaryWeb();
    using place = makeCanaryPlace(web.url);
    await using daemon = startDaemon(place, { env: place.environment });
    const url = await daemon.url;
    await whenServed(url, "canary__echo", {});
    await whenServed(url, "web__headers", {});
    expect(web.seen.at(-1)).toMatchObject({
      authorization: `Bearer ${place.secrets.header.value}`,
      "x-api-key": place.secrets.header.value,
    });

    const answers: string[] = [];
    const legacy = await legacyDoor(url, CLIENT);
    const modern = modernDoor(url, {});
    const stdio = stdioDoor(place, CLIENT);
    await stdio.open();
    for (const door of [legacy, modern, stdio]) {
      answers.push(await door.request("tools/list"));
      for (const tool of [...TOOLS.map((name) => `canary__${name}`), "web__headers"])
        for (const _meta of [{}, { progressToken: "p" }])
          answers.push(await door.request("tools/call", { name: tool, arguments: {}, _meta }));
    }
    for (const tool of TOOLS) answers.push((await call(url, `canary__${tool}`)).text);
    for (const format of ["mcp", "openai", "anthropic"]) answers.push((await send(url, `/v1/tools?format=${format}`)).text);
    answers.push((await call(url, "mcp_list_services")).text);
    for (const server_name of ["canary", "web", "dies", "fails", "listless"])
      answers.push((await call(url, "mcp_get_service_details", { server_name })).text);
    answers.push((await call(url, "mcp_get_service_details", { server_name: "canary", tool_name: "echo" })).text);
    expect(answers.filter((answer) => answer.includes('"message":"at [REDACTED')).length).toBeGreaterThan(0);

    // Before and after a crash: what the last words on stderr were, and why the others never came up.
    expect(await shownInViews(url, place)).toEqual([]);
    answers.push((await call(url, "canary__crash")).text);
    for (const name of ["dies", "fails", "listless"]) {
      answers.push((await call(url, `${name}__echo`)).text);
      await until(`the start of ${name} fails`, async () => {
        const { json } = await send(url, `/debug/api/servers/${name}`, undefined, asOperator(place));
        return json["lastError"] !== undefined;
      });
    }
    await stdio.close();

    expect(answers.flatMap((answer) => shownIn(answer, place.all))).toEqual([]);
    expect(await shownInViews(url, place)).toEqual([]);
    expect(shownIn(daemon.stderr(), place.all)).toEqual([]);
    await daemon.stop();
    expect(await shownAfterwards(place)).toEqual([]);
  }, 60_000);
});
