/** What a model made of a server's surface: recorded once, for the incarnation it was made of. */
import { expect, test } from "bun:test";
import { serverOf } from "../../actors/catalogue.ts";
import { Registry } from "../../actors/registry.ts";
import { ServerRegistered, ServerUnregistered } from "../../events/registry.ts";
import { ServerSummarised } from "../../events/tools.ts";
import { given } from "../given.ts";

const server = { name: "Mail", id: "aaaaaaaaaaaa", origin: "operator", transport: "stdio" } as const;
const registered = ServerRegistered(server);
const made = { id: server.id, fingerprint: "f1", hash: "h1" };
const summarise = { type: "summarise", server: "mail", ...made } as const;
const summarised = ServerSummarised({ server: "Mail", ...made });

test("it is recorded with the surface it was made of", () => {
  const { state } = given(Registry, registered).when(summarise).emits(summarised);
  expect(serverOf(state, "mail")?.summary).toEqual({ fingerprint: "f1", hash: "h1" });
});

test("nobody has to be told that tools changed", () => {
  given(Registry, registered).when(summarise).causes();
});

test("the same again is no event; of another surface, or in other words, it is", () => {
  given(Registry, registered, summarised).when(summarise).emits();
  for (const other of [{ fingerprint: "f2" }, { hash: "h2" }])
    given(Registry, registered, summarised)
      .when({ ...summarise, ...other })
      .emits(ServerSummarised({ server: "Mail", ...made, ...other }));
});

test("what was made of an incarnation that is gone is dropped, and a new one begins without", () => {
  const gone = ServerUnregistered({ name: "Mail", id: server.id });
  const again = ServerRegistered({ ...server, id: "bbbbbbbbbbbb" });
  given(Registry, registered, gone).when(summarise).emits();
  const { state } = given(Registry, registered, summarised, gone, again).when(summarise).emits();
  expect(serverOf(state, "mail")?.summary).toBeUndefined();
});
