/** `bridge`: how servers are reached, and which of their tools a session is shown. */
import { z } from "zod";
import { WrapperMode } from "../../events/registry.ts";
import { questionBounds } from "./question-schema.ts";
import { ServerName } from "./server-schema.ts";

/** In any case: `Pinned` is what other programs of this kind write. */
export const Mode = z.preprocess((written) => (typeof written === "string" ? written.toLowerCase() : written), WrapperMode);

/** At a server that is trusted nothing is withheld. */
const Drift = z.strictObject({
  changed: z.enum(["withhold", "warn"]).default("withhold").describe("A definition that changed after it was accepted."),
  added: z.enum(["warn", "withhold"]).default("warn").describe("A tool that came after the first list of its server."),
});

export const Bridge = z.strictObject({
  wrapperMode: Mode.default("pinned").describe("Which typed tools a session sees, in any case of letters; the default is pinned."),
  maxNameLength: z
    .int()
    .min(16)
    .max(128)
    .default(48)
    .describe("Longer names of tools are cut. Clients put a prefix of their own in front."),
  listAllUpTo: z.int().min(0).default(40).describe("In lazy and pinned: up to so many typed tools are all listed. 0: always activate."),
  maxActivatedToolsPerSession: z.int().min(1).default(40).describe("The tool that was activated first makes room."),
  maxPinnedServersPerSession: z.int().min(0).default(3).describe("Servers called last whose tools stay listed."),
  activationIdleMs: z.int().min(1).default(43_200_000).describe("A session that was idle for longer starts anew with its list."),
  maxToolsPerRequest: z.int().min(1).default(120).describe("No list of tools is longer; many models take 128 at most."),
  drift: Drift.prefault({}).describe("What becomes of definitions that change, at a server that is not trusted."),
  naming: z.enum(["prefixed", "bare"]).default("prefixed").describe("Tools are published as server__tool, or bare under their own names."),
  defaultServers: z
    .record(ServerName, z.string().min(1))
    .default({})
    .describe("Addresses by name: each is a server unless an entry has that address or name already."),
  defaultTimeoutMs: z.int().min(1).optional().describe("Deadline of a call; when not set 55000, or 60000 if the client asks for progress."),
  maxTimeoutMs: z.int().min(1).default(900_000).describe("No deadline is longer."),
  resourceInlineTextLimit: z
    .int()
    .min(0)
    .default(32_000)
    .describe("Characters of a resource's text that are given inline; more go to a file."),
  attachmentsPath: z
    .string()
    .min(1)
    .optional()
    .describe("Folder of saved files, from the folder of this file; when not set, in the data folder."),
  connectRetryCount: z.int().min(0).max(20).default(2).describe("Further attempts at once when a server cannot be reached."),
  connectRetryBaseDelayMs: z.int().min(10).max(3_600_000).default(1000).describe("First wait before a server is tried again; it doubles."),
  sweepSeconds: z.int().min(0).max(86_400).default(60).describe("How often servers that are not connected are tried again. 0: never."),
  surfaceRefreshSeconds: z.int().min(0).max(86_400).default(300).describe("How old a server's lists may get. 0: as old as they like."),
  configPollSeconds: z
    .int()
    .min(0)
    .max(86_400)
    .default(5)
    .describe("How often the files are looked at, beside being watched. 0: only watched."),
  allowPrivateAddresses: z
    .boolean()
    .default(false)
    .describe("Agents may register servers at loopback and private addresses. Servers of these files may always be there."),
  ...questionBounds,
});
