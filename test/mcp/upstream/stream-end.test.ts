/** How a byte stream ends: what is still owed, what is not, and who is told. */
import { expect, test } from "bun:test";
import { createFixtureBackend } from "./fixture-backend.ts";
import { hello, line, openPipe } from "./pipe.ts";
import { call } from "./serve.ts";

test("everything written before the end of input is answered, then the stream ends", async () => {
  const backend = createFixtureBackend();
  await using pipe = openPipe(backend);
  pipe.write(line(hello) + line({ jsonrpc: "2.0", method: "notifications/initialized" }));
  pipe.write(line(call(1, "echo", { text: "a" })) + line({ jsonrpc: "2.0", id: 2, method: "tools/list" }) + line(call(3, "hold")));
  pipe.end();
  await backend.started("hold");
  backend.release();
  const ids = (await pipe.rest()).map((message) => message["id"]);
  expect(ids.sort()).toEqual([1, 2, 3, "init"]);
  await pipe.connection.closed;
});

test("a last line without a newline counts", async () => {
  await using pipe = openPipe(createFixtureBackend());
  pipe.write(JSON.stringify(hello));
  pipe.end();
  expect((await pipe.rest()).map((message) => message["id"])).toEqual(["init"]);
});

test("a call that asks the client ends when the client can no longer answer", async () => {
  const backend = createFixtureBackend({ plain: false });
  await using pipe = openPipe(backend);
  const params = { ...hello.params, capabilities: { elicitation: { form: {} } } };
  pipe.write(line({ ...hello, params }) + line({ jsonrpc: "2.0", method: "notifications/initialized" }) + line(call(1, "ask")));
  pipe.end();
  const [last] = (await pipe.rest()).slice(-1);
  expect(last).toMatchObject({ id: 1, error: { code: expect.any(Number) } });
});

test("a question that is open when input ends is not waited for", async () => {
  await using pipe = openPipe(createFixtureBackend({ plain: false }));
  pipe.write(line({ ...hello, params: { ...hello.params, capabilities: { elicitation: { form: {} } } } }));
  await pipe.next();
  pipe.write(line(call(1, "ask")));
  expect(await pipe.next()).toMatchObject({ method: "elicitation/create" });
  pipe.end();
  expect(await pipe.rest()).toMatchObject([{ id: 1, error: { code: expect.any(Number) } }]);
});

test("a peer that vanishes aborts its calls as disconnected", async () => {
  for (const plain of [true, false]) {
    const backend = createFixtureBackend({ plain });
    await using pipe = openPipe(backend);
    pipe.write(line(hello));
    expect((await pipe.next())["id"]).toBe("init");
    pipe.write(line(call(1, "hold")));
    await backend.started("hold");
    await pipe.connection.close();
    await pipe.connection.closed;
    expect(backend.aborted).toEqual(["disconnected"]);
  }
});

for (const plain of [true, false]) {
  test(`a cancelled call is not answered, and the end of input does not wait for it (${plain ? "by hand" : "through the SDK"})`, async () => {
    const backend = createFixtureBackend({ plain });
    await using pipe = openPipe(backend);
    pipe.write(line(hello));
    await pipe.next();
    pipe.write(line(call(1, "hold")));
    await backend.started("hold");
    pipe.write(line({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, reason: "enough" } }));
    pipe.end();
    expect(await pipe.rest()).toEqual([]);
    expect(backend.aborted).toEqual(["cancelled"]);
  });
}
