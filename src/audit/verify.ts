/** Is the log in a folder what was written to it, to the last event? Read-only, beside a running program or on the files that one left. */
import type { Database } from "bun:sqlite";
import { join } from "node:path";
import type { EventDefinition, EventOf } from "../../events/define.ts";
import type { Envelope } from "../../events/envelope.ts";
import type { PayloadErased } from "../../events/system.ts";
import type { ServerDescribed, ToolsOffered } from "../../events/tools.ts";
import { readAnchor, rejectedAnchors } from "../log/anchor.ts";
import { genesis } from "../log/hash.ts";
import { type AnchoredHead, originOf } from "../log/note.ts";
import type { Projection } from "../log/projection.ts";
import { sessionId } from "../log/projections/session-id.ts";
import { DATABASE } from "../log/reader.ts";
import { logId, number, openForReading } from "../log/schema.ts";
import { type Statements, statementsOf } from "../log/statements.ts";
import { asFinding, type Fault, finding } from "./finding.ts";
import { type Chain, chainOf } from "./verify-chain.ts";
import { comparable, type Refold, refoldOf } from "./verify-projections.ts";
import { checkBlobs, checkDefinitions, checkPages, checkSchema, checkSnapshots, checkUnused } from "./verify-tables.ts";

export interface VerifyOptions {
  readonly projections: readonly Projection[];
  readonly definitions: ReadonlyMap<string, EventDefinition>;
  /** A head that was kept elsewhere: the only thing that an owner of the folder and its key cannot rewrite. */
  readonly expectHead?: { readonly position: number; readonly hash: string };
}

export interface Verification {
  readonly verdict: "sound" | Fault;
  /** The first event concerned. */
  readonly position?: number;
  /** One sentence for people. */
  readonly detail: string;
  /** Events verified: the newest position when sound. */
  readonly events: number;
  /** Hex hash of the last of them. */
  readonly hash: string;
  /** How many of each were verified; the projections by name. */
  readonly checked: Checked;
  /** Projections of another version than this program's, which were not compared. */
  readonly skipped: readonly string[];
}

interface Checked {
  readonly turns: number;
  readonly payloads: number;
  readonly erased: number;
  readonly blobs: number;
  readonly definitions: number;
  readonly snapshots: number;
  readonly projections: readonly string[];
}

const NOTHING: Checked = { turns: 0, payloads: 0, erased: 0, blobs: 0, definitions: 0, snapshots: 0, projections: [] };

/** Never throws: what goes wrong is the verdict. */
export async function verify(folder: string, options: VerifyOptions): Promise<Verification> {
  try {
    const anchor = anchored(folder); // before the log: it only ever names what is stored already
    const db = openForReading(join(folder, DATABASE));
    const tx = statementsOf(db);
    try {
      return await verifyLog(db, tx, folder, anchor, options);
    } finally {
      tx.finalize();
      db.close();
    }
  } catch (error) {
    const { verdict, message, position } = asFinding(error);
    const events = position === undefined ? 0 : position - 1;
    return { verdict, detail: message, ...(position !== undefined && { position }), events, hash: "", checked: NOTHING, skipped: [] };
  }
}

async function verifyLog(
  db: Database,
  tx: Statements,
  folder: string,
  anchor: AnchoredHead,
  options: VerifyOptions,
): Promise<Verification> {
  const { projections, definitions, expectHead } = options;
  const id = logId(db);
  const heads = [{ ...anchor, name: "the anchor" }, ...(expectHead === undefined ? [] : [{ ...expectHead, name: "the expected head" }])];
  if (anchor.origin !== originOf(id)) throw finding("altered", `the anchor is of another log (${anchor.origin})`);
  checkPages(db);
  using refold = refoldOf(projections);
  const facts = factsOf(refold);
  const keep = heads.map(({ position }) => position);
  const chain = chainOf(tx, definitions, genesis(id), keep, facts.apply);
  chain.advance(); // nearly everything, in short reads
  tx.run("begin");
  chain.advance();
  for (const { position, hash, name } of heads) checkHead(chain, position, hash, name);
  const { same, skipped, ignored } = comparable(tx, projections);
  checkSchema(tx, number(db, "user_version"), same, ignored);
  checkUnused(tx, chain);
  const blobs = await checkBlobs(tx, folder, chain.blobs);
  const stored = checkDefinitions(tx);
  for (const [hash, position] of facts.offered)
    if (!stored.has(hash))
      throw finding("altered", `the definition ${hash} of a tool offered at position ${position} is missing`, position);
  const snapshots = checkSnapshots(tx, chain.versions);
  refold.compare(tx, same);
  facts.checkErased(chain);
  tx.run("rollback");
  const { position, hash, turns, payloads, erased } = chain;
  return {
    verdict: "sound",
    detail: `all ${position} events are as they were written`,
    events: position,
    hash,
    checked: {
      turns,
      payloads,
      erased: erased.length,
      blobs,
      definitions: stored.size,
      snapshots,
      projections: same.map(({ name }) => name),
    },
    skipped,
  };
}

function anchored(folder: string): AnchoredHead {
  const [rejected] = rejectedAnchors(folder);
  if (rejected !== undefined)
    throw finding(
      "cut_short",
      `the log did not fit its anchor when it was opened: the anchor is kept as ${rejected}; remove that file to accept the loss`,
    );
  let anchor: AnchoredHead | undefined;
  try {
    anchor = readAnchor(folder);
  } catch (error) {
    throw finding("altered", error instanceof Error ? error.message : String(error));
  }
  if (anchor === undefined) throw finding("unreadable", "there is no anchor: whether the end of the log is complete cannot be told");
  return anchor;
}

function checkHead(chain: Chain, position: number, hash: string, name: string): void {
  if (position > chain.position)
    throw finding("cut_short", `the log ends at position ${chain.position}, but ${name} names ${position}`, chain.position + 1);
  if (chain.hashes.get(position) !== hash) throw finding("altered", `position ${position} is not the event that ${name} names`, position);
}

interface Facts {
  apply(turn: readonly Envelope[]): void;
  /** Definitions that tools were offered with, by hash, and where. */
  readonly offered: ReadonlyMap<string, number>;
  /** Every missing payload is accounted for by a later erasure of its session. */
  checkErased(chain: Chain): void;
}

function factsOf(refold: Refold): Facts {
  const offered = new Map<string, number>();
  const erasures = new Map<string, number>();
  return {
    offered,
    apply(turn) {
      refold.apply(turn);
      for (const { type, data, position } of turn) {
        if (type === "payload.erased") erasures.set((data as EventOf<typeof PayloadErased>["data"]).session, position);
        if (type === "tools.offered")
          for (const { hash } of (data as EventOf<typeof ToolsOffered>["data"]).tools) offered.set(hash, position);
        if (type === "resources.offered" || type === "server.described" || type === "server.summarised")
          offered.set((data as EventOf<typeof ServerDescribed>["data"]).hash, position);
      }
    },
    checkErased({ erased }) {
      for (const { position, stream, call } of erased) {
        const owner =
          refold.tx.get<{ session: string }>("select session from calls where call = ?", call ?? "")?.session ?? sessionId(stream);
        if ((erasures.get(owner) ?? 0) < position)
          throw finding("altered", `the payload of position ${position} is gone and no erasure accounts for it`, position);
      }
    },
  };
}
