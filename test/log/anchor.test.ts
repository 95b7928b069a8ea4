/** The anchor: a signed note that outside tools can check, written soon after every commit, and compared at every start. */
import { expect, test } from "bun:test";
import { createPublicKey, generateKeyPairSync, verify as verifySignature } from "node:crypto";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventDefinitions as definitions } from "../../events/all.ts";
import { verify } from "../../src/audit/verify.ts";
import { readAnchor, rejectedAnchors } from "../../src/log/anchor.ts";
import { openNote, signHead, verifierKey } from "../../src/log/note.ts";
import { projections } from "../../src/log/projections/all.ts";
import { asked, folder, open, opened } from "./fixture.ts";

const head = { origin: "toolcrib/0f", position: 12, hash: "ab".repeat(32) };
const { privateKey, publicKey } = generateKeyPairSync("ed25519");

test("a note has the form of a C2SP checkpoint and opens with the public key", () => {
  const note = signHead(head, privateKey);
  const verifier = verifierKey(head.origin, publicKey);
  expect(note.split("\n").slice(0, 4)).toEqual(["toolcrib/0f", "12", Buffer.from(head.hash, "hex").toString("base64"), ""]);
  expect(verifier).toMatch(/^toolcrib\/0f\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/);
  expect(openNote(note, verifier)).toEqual(head);
  // By hand, as another program would.
  const [text = "", signature = ""] = note.split("\n\n");
  const bytes = Buffer.from(signature.split(" ")[2] ?? "", "base64");
  expect(bytes.subarray(0, 4).toString("hex")).toBe(verifier.split("+")[1] ?? "");
  expect(verifySignature(null, Buffer.from(`${text}\n`), createPublicKey(privateKey), bytes.subarray(4))).toBeTrue();
});

test("every flipped bit and every cut of a note or its public key is noticed", () => {
  const note = Buffer.from(signHead(head, privateKey));
  const verifier = Buffer.from(verifierKey(head.origin, publicKey));
  const accepted = (one: Buffer, other: Buffer) => {
    try {
      openNote(one.toString(), other.toString());
      return true;
    } catch {
      return false;
    }
  };
  const flipped = (bytes: Buffer, bit: number) => {
    const copy = Buffer.from(bytes);
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return copy;
  };
  expect(accepted(note, verifier)).toBeTrue();
  for (let bit = 0; bit < note.length * 8; bit++) expect([bit, accepted(flipped(note, bit), verifier)]).toEqual([bit, false]);
  for (let bit = 0; bit < verifier.length * 8; bit++) expect([bit, accepted(note, flipped(verifier, bit))]).toEqual([bit, false]);
  for (let length = 0; length < note.length; length++)
    expect([length, accepted(note.subarray(0, length), verifier)]).toEqual([length, false]);
});

test("the anchor follows a commit of any class by itself, and names its head", async () => {
  using data = folder();
  const log = open(data.path);
  expect(readAnchor(data.path)?.position).toBe(0);
  for (const capability of ["read", "mutating"] as const) {
    await log.append(asked(log.head.turn + 1, "s_1", capability, { capability }));
    const { position, hash } = log.head;
    while (readAnchor(data.path)?.position !== position) await Bun.sleep(5); // the test's own limit ends a vain wait
    expect(readAnchor(data.path)?.hash).toBe(hash);
  }
  await log.close();
});

test("after a clean stop the anchor names the last event", async () => {
  using data = folder();
  const log = open(data.path);
  await log.append(opened(1, "s_1"));
  await log.close();
  expect(readAnchor(data.path)).toMatchObject({ position: 1, hash: log.head.hash });
});

test("a log whose end was lost opens, says so, keeps the old anchor, and is not sound until somebody has seen it", async () => {
  using data = folder();
  using older = folder();
  const log = open(data.path);
  await log.append(opened(1, "s_1"));
  await log.close();
  cpSync(join(data.path, "events.db"), join(older.path, "events.db"));
  const more = open(data.path);
  await more.append(opened(2, "s_2"));
  await more.close();
  cpSync(join(older.path, "events.db"), join(data.path, "events.db"));
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "cut_short", position: 2 });
  const cut = open(data.path);
  expect(cut.anchorProblem).toContain("ends at position 1, but its anchor names 2");
  await cut.append(opened(2, "s_3"));
  await cut.close();
  const [kept = ""] = rejectedAnchors(data.path);
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "cut_short" });
  rmSync(join(data.path, kept));
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound" });
  const sound = open(data.path);
  expect(sound.anchorProblem).toBeUndefined();
  await sound.close();
});

test("a damaged or missing anchor is reported at the start and by verify", async () => {
  using data = folder();
  const log = open(data.path);
  await log.append(opened(1, "s_1"));
  await log.close();
  const anchor = join(data.path, "anchor");
  const note = readFileSync(anchor, "utf8");
  writeFileSync(anchor, note.replace("\n1\n", "\n0\n"));
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "altered" });
  const again = open(data.path);
  expect(again.anchorProblem).toContain("signature");
  await again.close();
  rmSync(join(data.path, "anchor.rejected-1"));
  rmSync(anchor);
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "unreadable" });
  const third = open(data.path);
  expect(third.anchorProblem).toContain("no anchor");
  await third.close();
  expect(existsSync(anchor)).toBeTrue();
});

test("a head that was kept elsewhere detects a rewritten log", async () => {
  using data = folder();
  const log = open(data.path);
  await log.append(opened(1, "s_1"));
  const expectHead = log.head;
  await log.append(opened(2, "s_2"));
  await log.close();
  expect(await verify(data.path, { projections, definitions, expectHead })).toMatchObject({ verdict: "sound" });
  rmSync(data.path, { recursive: true });
  const rewritten = open(data.path);
  await rewritten.append(opened(1, "s_1", "eve"));
  await rewritten.append(opened(2, "s_2"));
  await rewritten.close();
  expect(await verify(data.path, { projections, definitions })).toMatchObject({ verdict: "sound" });
  expect(await verify(data.path, { projections, definitions, expectHead })).toMatchObject({ verdict: "altered", position: 1 });
  expect(await verify(data.path, { projections, definitions, expectHead: { ...expectHead, position: 9 } })).toMatchObject({
    verdict: "cut_short",
    position: 3,
  });
});
