/** JSON texts made by others, as bodies of requests: what is no JSON is refused, what is JSON is judged as a call, and the next call is served. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { legacyDoor } from "../system/canary-doors.ts";
import { call, fixtureServer, makePlace, startDaemon, whenServed } from "../system/daemon-fixture.ts";

const suites = process.env["TOOLCRIB_SUITES"];
const HEADERS = { "content-type": "application/json", accept: "application/json, text/event-stream" };

describe.skipIf(suites === undefined)("JSON suites (set TOOLCRIB_SUITES to run)", () => {
  test("every text gets an answer in JSON: n_ texts 400, all others 200 or 400", async () => {
    const folder = join(suites ?? "", "json");
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => /(?:^|\/)[yni]_[^/]*\.json$/.test(name));
    expect(names.length).toBeGreaterThan(0);
    using place = makePlace({ mcpServers: { fix: fixtureServer() } });
    await using daemon = startDaemon(place);
    const url = await daemon.url;
    await whenServed(url, "fix__echo", { text: "there" });
    const legacy = await legacyDoor(url, { clientInfo: { name: "suite", version: "1" } });
    for (const name of names) {
      const text = readFileSync(join(folder, name));
      const isBroken = /(?:^|\/)n_/.test(name) && text.length > 0; // no body at all is a call without arguments
      const wrapped = (before: string, after: string) => Buffer.concat([Buffer.from(before), text, Buffer.from(after)]);
      const bodies = [
        { path: "/v1/tools/fix__echo/call", body: text },
        { path: "/v1/tools/fix__echo/call", body: wrapped('{"arguments":{"text":"x","a":', "}}") },
        { path: "/mcp", body: text },
        {
          path: "/mcp",
          body: wrapped('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fix__echo","arguments":{"a":', "}}}"),
        },
      ];
      for (const { path, body } of bodies) {
        const response = await fetch(`${url}${path}`, { method: "POST", headers: HEADERS, body });
        const isJson = typeof (await response.json()) === "object";
        const fits = isBroken && body === text ? response.status === 400 : [200, 202, 400, 404].includes(response.status);
        expect({ name, path, status: response.status, fits, isJson }).toEqual({
          name,
          path,
          status: response.status,
          fits: true,
          isJson: true,
        });
      }
    }
    expect((await call(url, "fix__echo", { text: "still here" })).status).toBe(200);
    expect(await legacy.request("tools/call", { name: "fix__echo", arguments: { text: "still here" } })).toContain("still here");
    expect(await daemon.stop()).toBe(0);
  }, 60_000);
});
