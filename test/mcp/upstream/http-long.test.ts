/** Calls that take long, over HTTP: late answers, clients that leave, cancellation. */
import { expect, test } from "bun:test";
import { createFixtureBackend } from "./fixture-backend.ts";
import { call, envelope, initialize, messagesOf, modernHeaders, onlyMessage, plainHeaders, serve } from "./serve.ts";

for (const plain of [true, false]) {
  const way = plain ? "by hand" : "through the SDK";
  for (const era of ["legacy", "modern"] as const) {
    test(`an answer that takes long becomes a stream with comments (${era}, ${way})`, async () => {
      const slow = createFixtureBackend({ plain });
      const own = serve(slow, { streamAfterMs: 20, keepAliveMs: 10 });
      const headers = era === "legacy" ? await initialize(own) : modernHeaders("hold");
      const answer = await own.post(call("late", "hold", {}, era === "legacy" ? undefined : envelope()), headers);
      expect(answer.headers.get("content-type")).toBe("text/event-stream");
      const reader = answer.body?.getReader();
      let seen = "";
      while (!seen.includes(": keepalive")) seen += new TextDecoder().decode((await reader?.read())?.value);
      slow.release();
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) seen += new TextDecoder().decode(part.value);
      const message = JSON.parse(/^data: (.*)$/m.exec(seen)?.[1] ?? "{}");
      expect([message.id, message.result.content[0].text]).toEqual(["late", "held"]);
      await own.close();
    });

    for (const late of [false, true]) {
      test(`a client that goes away ${late ? "after" : "before"} the stream opened aborts its call as disconnected (${era}, ${way})`, async () => {
        const left = createFixtureBackend({ plain });
        const own = serve(left, { streamAfterMs: late ? 10 : 5_000 });
        const headers: Record<string, string> = era === "legacy" ? await initialize(own) : modernHeaders("hold");
        const client = new AbortController();
        const body = JSON.stringify(call(1, "hold", {}, era === "legacy" ? undefined : envelope()));
        const sent = fetch(own.url, { method: "POST", headers: { ...plainHeaders, ...headers }, body, signal: client.signal });
        await left.started("hold");
        if (late) await sent; // Its headers are here, the answer is not.
        client.abort();
        await sent.catch(() => undefined);
        while (left.aborted.length === 0) await Bun.sleep(5);
        expect(left.aborted).toEqual(["disconnected"]);
        await own.close();
      });
    }
  }

  test(`notifications/cancelled reaches every open call with that id, and no other (${way})`, async () => {
    const busy = createFixtureBackend({ plain });
    const own = serve(busy);
    const session = await initialize(own);
    const calls = [5, 5, "5"].map((id) => own.post(call(id, "hold"), session));
    while (busy.calls.length < 3) await Bun.sleep(5);
    await own.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5, reason: "the user said so" } }, session);
    expect(await Promise.all(calls.slice(0, 2).map(async (answer) => messagesOf(await answer)))).toEqual([[], []]);
    expect(busy.aborted).toEqual(["cancelled", "cancelled"]);
    busy.release();
    expect((await onlyMessage((await calls[2]) ?? new Response()))["id"]).toBe("5");
    await own.close();
  });
}
