/** What agents are told when they connect: short, the same every time, and what their mode needs. */
import { describe, expect, test } from "bun:test";
import { WrapperMode } from "../../events/registry.ts";
import { builtinTools } from "../../src/tools/all.ts";
import { MAX_ORIENTATION, orientation } from "../../src/tools/orientation.ts";

const modes = WrapperMode.options;
const NAMING = "{server}__{tool}";

describe.each(modes)("in the mode %s", (mode) => {
  const text = orientation(mode);

  test("it is short enough for clients that cut instructions", () => {
    expect(MAX_ORIENTATION).toBe(2000);
    expect(text.length).toBeLessThan(MAX_ORIENTATION);
  });

  test("it is one fixed text, so that prompt caches survive", () => {
    expect(orientation(mode)).toBe(text);
    expect(new Set(modes.map(orientation)).size).toBe(modes.length);
  });

  test("it says what the servers are for, what to do about doubt, and where there is more", () => {
    for (const words of [
      "live systems",
      "instead of answering from memory",
      "resolve_call",
      "call_status",
      "answer with mcp_answer or decline",
      "a background task started",
      'get_tool_guide with the name "mcp"',
    ])
      expect(text).toContain(words);
  });

  test("it names only tools that are there", () => {
    const known = builtinTools.map(({ name }) => name);
    const named = text.match(/\b(?:mcp|get|call|resolve|list|search)_[a-z_]+[a-z]\b/g) ?? [];
    for (const name of named) expect(known).toContain(name);
    expect(named).toContain("mcp_invoke_tool");
  });
});

test("only where tools are listed under typed names are these explained", () => {
  for (const mode of modes) expect([mode, orientation(mode).includes(NAMING)]).toEqual([mode, mode !== "off"]);
});

test("the mode off leads from the list over the details to the call, with the parameters where they belong", () => {
  const text = orientation("off");
  const steps = ["mcp_list_services", "mcp_get_service_details", "mcp_invoke_tool", '"arguments": {'].map((step) => text.indexOf(step));
  expect(steps).toEqual(steps.toSorted((one, other) => one - other));
  expect(steps[0]).toBeGreaterThan(0);
  expect(text).not.toContain("mcp_find_tools");
});

test("the mode eager needs no search", () => {
  expect(orientation("eager")).toContain("All tools are in your list");
  expect(orientation("eager")).not.toContain("mcp_find_tools");
});

test("the modes lazy and pinned lead over the search, for prompts too", () => {
  for (const mode of ["lazy", "pinned"] as const) expect(orientation(mode)).toMatch(/search with mcp_find_tools[\s\S]*Prompts are found/);
});

test("only pinned promises that the tools of a server stay", () => {
  for (const mode of modes) expect([mode, orientation(mode).includes("stay in your list")]).toEqual([mode, mode === "pinned"]);
});

test("an escape hatch stands beside typed names", () => {
  for (const mode of modes)
    expect([mode, orientation(mode).includes("mcp_invoke_tool reaches every tool")]).toEqual([mode, mode !== "off"]);
});
