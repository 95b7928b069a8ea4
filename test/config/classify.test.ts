/** Proposals for what tools may do: in doubt a tool changes something. */
import { expect, test } from "bun:test";
import { classifyTool } from "../../src/config/classify.ts";

test.each([
  ["get_user", {}, "read"],
  ["listIssues", {}, "read"],
  ["github.search-code", {}, "read"],
  ["maps_search_places", {}, "read"],
  ["get_or_create_user", {}, "mutating"],
  ["read_and_archive", {}, "mutating"],
  ["find_replace", {}, "mutating"],
  ["create_issue", {}, "mutating"],
  ["deleteFile", {}, "mutating"],
  ["order_list", {}, "mutating"],
  ["checkout", {}, "mutating"],
  ["frobnicate", {}, "mutating"],
  ["", {}, "mutating"],
  ["frobnicate", { readOnlyHint: true }, "read"],
  ["delete_file", { readOnlyHint: true }, "mutating"],
  ["get_user", { readOnlyHint: false }, "mutating"],
  ["get_user", { destructiveHint: true }, "mutating"],
  ["get_user", { destructiveHint: false }, "read"],
  ["set_title", { idempotentHint: true }, "idempotent"],
  ["frobnicate", { idempotentHint: true }, "idempotent"],
  ["send_mail", { idempotentHint: true }, "mutating"],
  ["get_user", { readOnlyHint: "yes" }, "read"],
])("%s with %p is %s", (name, annotations, capability) => {
  expect(classifyTool({ name, annotations }).capability).toBe(capability as "read");
});

test("the reason names what it was decided by", () => {
  expect(classifyTool({ name: "get_user" }).reason).toBe('its name says "get"');
  expect(classifyTool({ name: "purge", annotations: { readOnlyHint: true } }).reason).toBe('readOnlyHint, but its name says "purge"');
  expect(classifyTool({ name: "x" }).reason).toBe("nothing tells");
});
