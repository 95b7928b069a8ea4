/** A child sees an allow-list of our environment and nothing else. */
import { expect, test } from "bun:test";
import { childEnvironment } from "../../../src/mcp/downstream/environment.ts";

const ours = {
  HOME: "/home/me",
  PATH: "/bin",
  LC_ALL: "C.UTF-8",
  TZ: "UTC",
  TERM: "() { :; }; echo shellshock",
  USER: undefined,
  TOOLCRIB_TOKEN: "secret",
  AWS_SECRET_ACCESS_KEY: "secret",
  BUN_OPTIONS: "--preload /tmp/evil.ts",
  NODE_OPTIONS: "--require /tmp/evil.js",
  LD_PRELOAD: "/tmp/evil.so",
};

test("only allow-listed variables are passed on, and the marker is added", () => {
  expect(childEnvironment(ours, {}, "m1")).toEqual({ HOME: "/home/me", PATH: "/bin", LC_ALL: "C.UTF-8", TZ: "UTC", TOOLCRIB_CHILD: "m1" });
});

test("an entry's own variables win, but for those that change what the child runs and for the marker", () => {
  const entry = { API_KEY: "k", HOME: "/srv", BUN_OPTIONS: "--preload x", BUN_BE_BUN: "1", NODE_OPTIONS: "-r x", TOOLCRIB_CHILD: "forged" };
  expect(childEnvironment(ours, entry, "m1")).toEqual({
    HOME: "/srv",
    PATH: "/bin",
    LC_ALL: "C.UTF-8",
    TZ: "UTC",
    API_KEY: "k",
    TOOLCRIB_CHILD: "m1",
  });
});
