/** Changes of the files are noticed by events and by polling, and a broken file leaves the running configuration alone. */
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../src/config/load.ts";
import { limits, watched } from "./watch-fixture.ts";

test("an event is followed by one load, half a second after the last of them", () => {
  const it = watched({ "toolcrib.jsonc": limits(1) });
  it.timers.advance(600);
  it.write("toolcrib.jsonc", limits(2));
  it.event("toolcrib.jsonc");
  it.timers.advance(400);
  it.event("toolcrib.jsonc");
  it.timers.advance(400);
  expect(it.seen()).toEqual([]);
  it.timers.advance(100);
  expect(it.seen()).toEqual([2]);
});

test("a file that is written to all the time is read after two seconds", () => {
  const it = watched({ "toolcrib.jsonc": limits(1) });
  it.timers.advance(600);
  it.write("toolcrib.jsonc", limits(2));
  for (let i = 0; i < 7; i++) {
    it.event("toolcrib.jsonc");
    it.timers.advance(300);
  }
  expect(it.seen()).toEqual([2]);
});

test("events of other files in the folder load nothing", () => {
  let loads = 0;
  const it = watched(
    { "toolcrib.jsonc": limits(1) },
    {
      load: (options) => {
        loads++;
        return loadConfig(options);
      },
    },
  );
  it.timers.advance(600);
  const before = loads;
  it.event("other.log");
  it.timers.advance(1000);
  expect(loads).toBe(before);
  it.event(undefined); // the file system does not say which
  it.timers.advance(1000);
  expect(loads).toBe(before + 1);
});

test("without events the poll sees a change within its seconds, also of mcp.json when it appears", () => {
  const it = watched({ "toolcrib.jsonc": JSON.stringify({ bridge: { configPollSeconds: 3 }, limits: { twinMs: 1 } }) });
  it.timers.advance(600);
  it.write("mcp.json", JSON.stringify({ mcpServers: { s: { command: "x" } } }));
  it.timers.advance(3500);
  const [result] = it.results;
  expect(result?.ok === true ? Object.keys(result.config.mcpServers) : []).toEqual(["s"]);
});

test("with configPollSeconds 0 there is no poll, until a reload sets one", () => {
  const it = watched({ "toolcrib.jsonc": JSON.stringify({ bridge: { configPollSeconds: 0 } }) });
  it.timers.advance(600);
  it.write("toolcrib.jsonc", limits(2));
  it.timers.advance(60_000);
  expect(it.seen()).toEqual([]);
  it.event("toolcrib.jsonc");
  it.timers.advance(500);
  it.write("toolcrib.jsonc", limits(3));
  it.timers.advance(5500);
  expect(it.seen()).toEqual([2, 3]);
});

test("a broken file is reported once and leaves the rest to its reader; the same content again is reported as sound", () => {
  const it = watched({ "toolcrib.jsonc": limits(1) });
  it.timers.advance(600);
  it.write("toolcrib.jsonc", "{ oops");
  it.timers.advance(20_000);
  expect(it.seen()).toEqual(["broken"]);
  it.write("toolcrib.jsonc", limits(1));
  it.timers.advance(6000);
  expect(it.seen()).toEqual(["broken", 1]);
});

test("a file that disappears is an error, and no other file takes its place", () => {
  const it = watched({ "toolcrib.jsonc": limits(1), "home/.config/toolcrib/toolcrib.jsonc": limits(9) });
  it.timers.advance(600);
  rmSync(join(it.cwd, "toolcrib.jsonc"));
  it.timers.advance(6000);
  expect(it.seen()).toEqual(["broken"]);
});

test("a first file that appears is taken, and is then the one", () => {
  const it = watched({});
  it.timers.advance(600);
  it.write("toolcrib.jsonc", limits(4));
  it.timers.advance(6000);
  expect(it.seen()).toEqual([4]);
  rmSync(join(it.cwd, "toolcrib.jsonc"));
  it.timers.advance(6000);
  expect(it.seen()).toEqual([4, "broken"]);
});

test("an edit before watching began, and one while the file was being read, are not lost", () => {
  const early = watched({ "toolcrib.jsonc": limits(1) });
  early.write("toolcrib.jsonc", limits(2)); // after the first load, no event
  early.timers.advance(500);
  expect(early.seen()).toEqual([2]);

  let edit: (() => void) | undefined;
  const it = watched(
    { "toolcrib.jsonc": limits(1) },
    {
      load: (options) => {
        const result = loadConfig(options);
        edit?.(); // lands after the reading, before the load ends
        edit = undefined;
        return result;
      },
    },
  );
  it.timers.advance(600);
  edit = () => it.write("toolcrib.jsonc", limits(33));
  it.write("toolcrib.jsonc", limits(2));
  it.event("toolcrib.jsonc");
  it.timers.advance(500);
  it.timers.advance(6000);
  expect(it.seen()).toEqual([2, 33]);
});

test("files that a reload names are watched from then on, folders that are no longer named are let go", () => {
  const it = watched({ "toolcrib.jsonc": JSON.stringify({ mcpConfig: "a/m.json" }), "a/m.json": {}, "b/m.json": {} });
  expect([...it.listeners.keys()]).toEqual([it.cwd, join(it.cwd, "a")]);
  it.write("toolcrib.jsonc", JSON.stringify({ mcpConfig: "b/m.json" }));
  it.timers.advance(500);
  expect([...it.listeners.keys()].toSorted()).toEqual([it.cwd, join(it.cwd, "b")]);
});

test("an edit of a file that a reload names for the first time is not lost, even without a poll", () => {
  let edit: (() => void) | undefined;
  const main = (mcpConfig: string[]) => JSON.stringify({ mcpConfig, bridge: { configPollSeconds: 0 } });
  const it = watched(
    { "toolcrib.jsonc": main([]), "a/m.json": {} },
    {
      load: (options) => {
        const result = loadConfig(options);
        edit?.();
        edit = undefined;
        return result;
      },
    },
  );
  it.timers.advance(600);
  edit = () => it.write("a/m.json", JSON.stringify({ mcpServers: { late: { command: "x" } } }));
  it.write("toolcrib.jsonc", main(["a/m.json"]));
  it.event("toolcrib.jsonc");
  it.timers.advance(2000);
  expect(it.results.map((result) => result.ok && Object.keys(result.config.mcpServers))).toEqual([[], ["late"]]);
});

test("a folder that cannot be watched is polled", () => {
  const it = watched(
    { "toolcrib.jsonc": limits(1) },
    {
      watchFolder: () => {
        throw new Error("no events here");
      },
    },
  );
  it.timers.advance(600);
  it.write("toolcrib.jsonc", limits(2));
  it.timers.advance(5500);
  expect(it.seen()).toEqual([2]);
});

test("after stop nothing is loaded and no timer waits", () => {
  const it = watched({ "toolcrib.jsonc": limits(1) });
  it.write("toolcrib.jsonc", limits(2));
  it.event("toolcrib.jsonc");
  it.stop();
  expect(it.timers.waiting()).toBe(0);
  expect(it.listeners.size).toBe(0);
});
