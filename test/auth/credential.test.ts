/** One credential: when it is renewed, how often, and what it says when it cannot be. */
import { expect, test } from "bun:test";
import { createCredential, type Grant, type Obtained, type Refusal } from "../../src/auth/credential.ts";

/** Each renewal waits until the test settles it. */
function credential(stored?: Grant) {
  let now = 100_000;
  let kept = stored;
  const renewals: ((result: { ok: true; grant: Grant } | Refusal) => void)[] = [];
  const made = createCredential({
    now: () => now,
    load: () => kept,
    renew: () => new Promise((resolve) => renewals.push(resolve)),
  });
  return {
    ...made,
    renewals,
    pass: (ms: number) => {
      now += ms;
    },
    store: (grant: Grant | undefined) => {
      kept = grant;
    },
    /** Ends the renewal that is under way; what comes of it is stored, where something was. */
    async renewed(result: { ok: true; grant: Grant } | Refusal): Promise<void> {
      if (kept !== undefined && result.ok) kept = result.grant;
      renewals.at(-1)?.(result);
      await Bun.sleep(0);
    },
    grant: (accessToken: string, lifeMs?: number): { ok: true; grant: Grant } => ({
      ok: true,
      grant: { accessToken, obtainedAt: now, expiresAt: lifeMs === undefined ? undefined : now + lifeMs },
    }),
  };
}
const token = (value: string): Obtained => ({ ok: true, token: value });
const passing: Refusal = { ok: false, why: "it cannot be reached", lasting: false };
const lasting: Refusal = { ok: false, why: "it refused", lasting: true };

test("fifty who ask at once get the token of one renewal", async () => {
  const one = credential();
  const asked = Promise.all(Array.from({ length: 50 }, () => one.token()));
  await one.renewed(one.grant("first"));
  expect(new Set((await asked).map((obtained) => (obtained.ok ? obtained.token : "")))).toEqual(new Set(["first"]));
  expect(await one.token()).toEqual(token("first"));
  expect(one.renewals).toHaveLength(1);
});

test("a token that the server refuses is renewed once for all who were refused with it", async () => {
  const one = credential({ accessToken: "old", obtainedAt: 0 });
  expect(await one.token()).toEqual(token("old"));
  const asked = Promise.all(Array.from({ length: 50 }, () => one.token("old")));
  await one.renewed(one.grant("new"));
  expect(await asked).toEqual(Array.from({ length: 50 }, () => token("new")));
  expect(await one.token("old")).toEqual(token("new")); // who comes late with the old one
  expect(one.renewals).toHaveLength(1);
});

test("a token is renewed shortly before it expires, a short-lived one not at once", async () => {
  const long = credential({ accessToken: "old", obtainedAt: 100_000, expiresAt: 400_000 });
  long.pass(269_999);
  expect(await long.token()).toEqual(token("old"));
  long.pass(1);
  const asked = long.token();
  await long.renewed(long.grant("new", 300_000));
  expect(await asked).toEqual(token("new"));
  const short = credential({ accessToken: "brief", obtainedAt: 100_000, expiresAt: 110_000 });
  short.pass(8_999);
  expect(await short.token()).toEqual(token("brief"));
});

test("a renewal that may work later leaves the old token in use until it expires", async () => {
  const one = credential({ accessToken: "old", obtainedAt: 0, expiresAt: 110_000 });
  const asked = one.token();
  await one.renewed(passing);
  expect(await asked).toEqual(token("old"));
  one.pass(10_000);
  const late = one.token();
  await one.renewed(passing);
  expect(await late).toMatchObject(passing);
});

test("a refusal is given again for a while without asking: short when it may pass, longer when somebody has to act", async () => {
  for (const [refusal, ms] of [[passing, 2000] as const, [lasting, 30_000] as const]) {
    const one = credential();
    const asked = one.token();
    await one.renewed(refusal);
    expect(await asked).toMatchObject(refusal);
    one.pass(ms - 1);
    expect(await one.token()).toMatchObject(refusal);
    expect(one.renewals).toHaveLength(1);
    one.pass(1);
    const again = one.token();
    await one.renewed(one.grant("back"));
    expect(await again).toEqual(token("back"));
  }
});

test("what came in place of a refused token and is refused too is not renewed for a while: the next would be refused as well", async () => {
  const one = credential({ accessToken: "first", obtainedAt: 100_000 });
  const asked = one.token("first");
  await one.renewed(one.grant("second"));
  expect(await asked).toEqual(token("second"));
  one.pass(29_999);
  expect(await one.token("second")).toEqual({ ok: false, why: "the server refuses a token that was just obtained", lasting: true });
  expect(one.renewals).toHaveLength(1);
  one.pass(1);
  const again = one.token("second");
  await one.renewed(one.grant("third"));
  expect(await again).toEqual(token("third"));
});

test("who logs in elsewhere is noticed when there is need, and at once when that was told", async () => {
  const one = credential({ accessToken: "old", obtainedAt: 0, expiresAt: 100_001 });
  one.store({ accessToken: "stored", obtainedAt: 100_000 });
  expect(await one.token()).toEqual(token("stored"));
  one.store({ accessToken: "later", obtainedAt: 100_000 });
  expect(await one.token()).toEqual(token("stored"));
  one.forget();
  expect(await one.token()).toEqual(token("later"));
});

test("a renewal that was under way when somebody logged out does not bring the token back", async () => {
  const one = credential({ accessToken: "old", obtainedAt: 0, expiresAt: 1 });
  const asked = one.token();
  one.store(undefined);
  one.forget();
  await one.renewed(one.grant("late"));
  await asked;
  const next = one.token();
  await one.renewed(lasting);
  expect(await next).toMatchObject(lasting);
});
