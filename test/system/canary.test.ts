/** Secrets that an agent sends through every door and in every form of a call stand nowhere afterwards, and yet the server got them byte for byte. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { legacyDoor, modernDoor, stdioDoor } from "./canary-doors.ts";
import { formsOf, shownIn } from "./canary-forms.ts";
import { makeCanaryPlace, shownAfterwards, shownInViews } from "./canary-place.ts";
import { serveCanaryWeb } from "./canary-web.ts";
import { asOperator, call, send, startDaemon, whenServed } from "./daemon-fixture.ts";

const CLIENT = { clientInfo: { name: "canary-test", version: "1" } };

describe("secrets that an agent sends", () => {
  test("reach the server byte for byte through every door and wrapping, and stand in no file, view or answer", async () => {
    using web = serveCanaryWeb();
    using place = makeCanaryPlace(web.url);
    await using daemon = startDaemon(place, { env: place.environment });
    const url = await daemon.url;
    await whenServed(url, "canary__echo", {});
    const args = Object.fromEntries(
      place.all.map((canary, index) => [`c${index}`, { forms: formsOf(canary), text: `in ${canary.value} between` }]),
    );
    const wrapped = { server_name: "canary", tool_name: "echo" };
    const wrappings = [{ arguments: args }, { params: args }, { args }, args, { arguments: JSON.stringify(args) }];
    const answers: string[] = [];

    answers.push((await call(url, "canary__echo", args)).text);
    for (const inside of wrappings) answers.push((await call(url, "mcp_invoke_tool", { ...wrapped, ...inside })).text);
    const legacy = await legacyDoor(url, CLIENT);
    const modern = modernDoor(url, {});
    const stdio = stdioDoor(place, CLIENT);
    await stdio.open();
    for (const door of [legacy, modern, stdio]) {
      answers.push(await door.request("tools/call", { name: "canary__echo", arguments: args }));
      answers.push(await door.request("tools/call", { name: "canary__echo", arguments: args, _meta: { progressToken: 7, about: args } }));
      answers.push(await door.request("tools/call", { name: "mcp_invoke_tool", arguments: { ...wrapped, arguments: args } }));
    }
    expect(await stdio.close()).toBe("");

    const record = readFileSync(place.record, "utf8").split("\n").filter(Boolean);
    expect(record.slice(0, 1)).toEqual(["{}"]);
    expect(new Set(record.slice(1))).toEqual(new Set([JSON.stringify(args)]));
    expect(record).toHaveLength(1 + answers.length);
    for (const answer of answers) expect(answer).toContain("[REDACTED secret #");
    expect(answers.flatMap((answer) => shownIn(answer, place.all))).toEqual([]);
    expect(await shownInViews(url, place)).toEqual([]);
    expect(shownIn(daemon.stderr(), place.all)).toEqual([]);
    await daemon.stop();
    expect(await shownAfterwards(place)).toEqual([]);
  }, 60_000);

  test("stand nowhere when they are in names, keys, notes, and in what is refused", async () => {
    using web = serveCanaryWeb();
    using place = makeCanaryPlace(web.url);
    await using daemon = startDaemon(place, { env: place.environment });
    const url = await daemon.url;
    await whenServed(url, "canary__echo", {});
    const text = place.all.map(({ value }) => value).join(" ");
    const { value: name } = place.secrets.name;
    const answers: string[] = [];
    const heard = async (answer: Promise<{ readonly text: string } | string>) => {
      const given = await answer;
      answers.push(typeof given === "string" ? given : given.text);
    };

    // Names: of tools, servers, sessions, clients, keys.
    for (const tool of [text, name, `canary__${name}`]) await heard(call(url, tool, { a: text }));
    for (const inside of [
      { server_name: text, tool_name: "echo" },
      { server_name: "canary", tool_name: text },
    ])
      for (const tool of ["mcp_invoke_tool", "mcp_get_service_details"]) await heard(call(url, tool, { ...inside, arguments: { text } }));
    await heard(call(url, "canary__echo", {}, { session: name, idempotencyKey: text }));
    await heard(call(url, "canary__echo", {}, { session: name, idempotencyKey: text }));
    await heard(call(url, "canary__echo", { a: 1 }, { session: name, idempotencyKey: text }));
    await heard(send(url, `/v1/tools?session=${name}`));
    const named = { clientInfo: { name: text, version: text, title: text }, _meta: { "toolcrib/session": name, about: text } };
    const legacy = await legacyDoor(url, named);
    answers.push(legacy.opening);
    answers.push((await legacyDoor(url, { clientInfo: { name: place.secrets.env.value, version: "1" } })).opening);
    const modern = modernDoor(url, { "toolcrib/session": name, "toolcrib/idempotencyKey": text });
    const stdio = stdioDoor(place, named);
    await stdio.open();
    for (const door of [legacy, modern, stdio])
      for (const params of [
        { name: text },
        { name: "canary__echo" },
        { name: "resolve_call", arguments: { call: text, outcome: text, note: text } },
      ])
        await heard(door.request("tools/call", params));
    await stdio.close();

    // What cannot be taken.
    for (const body of [{ arguments: text }, { arguments: {}, [name]: 1 }, { arguments: {}, session: text }, `{"arguments": "${name}`])
      await heard(send(url, "/v1/tools/canary__echo/call", body));
    for (const args of [text, [text], 9]) {
      await heard(legacy.request("tools/call", { name: "canary__echo", arguments: args }));
      await heard(
        legacy.request("tools/call", { name: "mcp_invoke_tool", arguments: { server_name: "canary", tool_name: "echo", arguments: args } }),
      );
    }
    await heard(call(url, "mcp_invoke_tool", { extra: text, tool_name: [text] }));
    await heard(send(url, "/v1/tools/canary__echo/call", `{"arguments":{"n":12345678901234567890,"text":${JSON.stringify(text)}}}`));
    await heard(legacy.request(text, { a: text }));

    // Notes, and calls that are told of later.
    const doubtful = async () =>
      String(((await call(url, "canary__hang", { text }, { timeoutMs: 50 })).json["error"] as { callId?: string }).callId);
    const first = await doubtful();
    await heard(call(url, "canary__hang", { text }, { timeoutMs: 50 }));
    await heard(call(url, "call_status", { id: text }));
    await heard(call(url, "resolve_call", { call: first, outcome: "applied", note: text }));
    const second = await doubtful();
    await heard(send(url, `/v1/doubts/${second}`, { outcome: "not_applied", note: text }, asOperator(place)));
    await heard(send(url, `/v1/doubts/${name}`, { outcome: "not_applied", note: text }, asOperator(place)));
    await heard(call(url, "call_status"));

    expect(answers.flatMap((answer) => shownIn(answer, place.all))).toEqual([]);
    expect(await shownInViews(url, place)).toEqual([]);
    expect(shownIn(daemon.stderr(), place.all)).toEqual([]);
    await daemon.stop();
    expect(await shownAfterwards(place)).toEqual([]);
  }, 60_000);
});
