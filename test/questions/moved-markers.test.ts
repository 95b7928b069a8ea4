/** A server's name that is given to another address while a call waits that holds what a marker stood for. */
import { expect, test } from "bun:test";
import { fakeServer, harness, text } from "../harness.ts";

const SECRET = "open-sesame-1234";
const markerIn = (told: { content: { text: string }[] }) => /\[REDACTED [^\]]+\]/.exec(told.content[0]?.text ?? "")?.[0] ?? "";

/** A server that is at one address and answers with a secret; `move` points its name to another one. */
async function served(slotsPerServer = 64) {
  const mail = fakeServer();
  const kernel = await harness({
    servers: { mail },
    policies: { mail: { address: "here" } },
    secrets: [{ name: "token", value: SECRET }],
    limits: { slotsPerServer },
  });
  const { call } = await kernel.session("s_1");
  const move = async () => {
    await kernel.configure({ mail: { address: "there" } }, "d2");
    await kernel.settle();
  };
  return { ...kernel, mail, call, move };
}

test("a call that waits with what a marker stood for does not go to the new address, and another one does", async () => {
  const { mail, call, move, reconnect, settle } = await served(1);
  const read = call("mail__act", {});
  await settle();
  mail.calls[0]?.answer(text(`the token is ${SECRET}`));
  const marker = markerIn(await read);
  const first = call("mail__act", { first: true });
  await settle();
  const waits = call("mail__act", { once: marker });
  const plain = call("mail__act", { plain: true });
  await settle();
  await move();
  expect((await waits).structuredContent?.error).toMatchObject({ code: "invalid_arguments", certainty: "not_applied" });
  mail.calls[1]?.answer(text("done"));
  await reconnect();
  await settle();
  mail.calls[2]?.answer(text("done"));
  await Promise.all([first, plain]);
  expect(mail.calls.map(({ request }) => request.arguments)).toEqual([{}, { first: true }, { plain: true }]);
});
