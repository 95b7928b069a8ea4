/** The fetch that goes only outside: every hop is looked at, and the address that was looked at is the one that is connected to. */
import { describe, expect, test } from "bun:test";
import { createGuardedFetch, GuardRefusal } from "../../src/net/guarded-fetch.ts";

const PUBLIC = "93.184.215.14";
type Answer = { readonly status?: number; readonly location?: string };

function guarded(answers: readonly Answer[], names: Readonly<Record<string, readonly (readonly string[])[]>> = {}, allowPrivate = false) {
  const requests: { url: string; host: string | null; init: RequestInit }[] = [];
  const asked: Record<string, number> = {};
  const fetch = createGuardedFetch({
    allowPrivate: () => allowPrivate,
    resolve: async (name) => {
      const times = asked[name] ?? 0;
      asked[name] = times + 1;
      const known = names[name] ?? [[PUBLIC]];
      return known[Math.min(times, known.length - 1)] ?? [];
    },
    fetch: async (url, init) => {
      const { status = 200, location } = answers[requests.length] ?? {};
      requests.push({ url, host: new Headers(init.headers).get("host"), init });
      return new Response(null, { status, headers: location === undefined ? {} : { location } });
    },
  });
  return { fetch, requests };
}

describe("a guarded fetch", () => {
  test("connects to the address it has looked at, under the name's host and certificate", async () => {
    const { fetch, requests } = guarded([{}]);
    await fetch("https://api.example.com:8443/mcp?x=1");
    expect(requests[0]).toMatchObject({ url: `https://${PUBLIC}:8443/mcp?x=1`, host: "api.example.com:8443" });
    expect(requests[0]?.init).toMatchObject({ redirect: "manual", tls: { serverName: "api.example.com" } });
  });

  test.each([
    "http://127.0.0.1/",
    "http://localhost:7420/",
    "http://169.254.169.254/latest",
    "file:///etc/passwd",
    "https://user:pw@example.com/",
  ])("sends nothing to %s", async (url) => {
    const { fetch, requests } = guarded([{}]);
    await expect(fetch(url)).rejects.toBeInstanceOf(GuardRefusal);
    expect(requests).toHaveLength(0);
  });

  test("refuses a name of which any address leads inside", async () => {
    const { fetch, requests } = guarded([{}], { "two.example.com": [[PUBLIC, "10.0.0.1"]] });
    await expect(fetch("https://two.example.com/")).rejects.toBeInstanceOf(GuardRefusal);
    expect(requests).toHaveLength(0);
  });

  test("follows a redirect only through the guard: a name that changes its mind reaches nothing", async () => {
    const { fetch, requests } = guarded([{ status: 302, location: "https://rebind.example.com/2" }], {
      "rebind.example.com": [[PUBLIC], ["127.0.0.1"]],
    });
    await expect(fetch("https://rebind.example.com/1")).rejects.toBeInstanceOf(GuardRefusal);
    expect(requests).toHaveLength(1);
  });

  test("takes no credentials to another origin, and a POST becomes a GET where it has to", async () => {
    const { fetch, requests } = guarded([{ status: 303, location: "https://other.example.org/" }, {}]);
    await fetch("https://api.example.com/", { method: "POST", body: "x", headers: { authorization: "Bearer t", "x-kept": "1" } });
    const second = new Headers(requests[1]?.init.headers);
    expect([second.get("authorization"), second.get("x-kept"), requests[1]?.init.method, requests[1]?.init.body]).toEqual([
      null,
      "1",
      "GET",
      undefined,
    ]);
  });

  test("never goes from https to http, and not on for ever", async () => {
    const down = guarded([{ status: 301, location: "http://api.example.com/" }]);
    await expect(down.fetch("https://api.example.com/")).rejects.toBeInstanceOf(GuardRefusal);
    const loop = guarded(Array.from({ length: 20 }, () => ({ status: 307, location: "/again" })));
    await expect(loop.fetch("https://api.example.com/")).rejects.toBeInstanceOf(GuardRefusal);
    expect(loop.requests).toHaveLength(6);
  });

  test("looks at nothing where the operator allows private addresses", async () => {
    const { fetch, requests } = guarded([{}], {}, true);
    await fetch("http://127.0.0.1:9/mcp");
    expect(requests[0]?.url).toBe("http://127.0.0.1:9/mcp");
  });
});
