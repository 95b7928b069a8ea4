/** What admission needs of the kernel: arguments are revealed, concealed and digested by its keys, and told from by its views. */
import { type Catalogue, placeIn } from "../../actors/catalogue.ts";
import type { AdmissionPorts } from "../calls/admission.ts";
import type { Reader } from "../log/reader.ts";
import { brokenBound } from "../observe/bounds.ts";
import { argumentDigest } from "../observe/digest.ts";
import type { Vault } from "../secrets/vault.ts";
import type { Definitions } from "./definitions.ts";

export interface AdmissionParts {
  readonly catalogue: () => Catalogue;
  readonly log: Pick<Reader, "query">;
  readonly vault: Vault;
  readonly definitions: Definitions;
  readonly builtin: AdmissionPorts["builtin"];
  readonly digestKey: Uint8Array;
  readonly closedFor: (() => string | undefined) | undefined;
}

export function createAdmission({ catalogue, log, vault, definitions, builtin, digestKey, closedFor }: AdmissionParts): AdmissionPorts {
  return {
    builtin,
    reveal: (args, { session, server }) => vault.reveal(args, { session, server: placeIn(catalogue(), server) ?? server }),
    conceal: (args, scope) => vault.conceal(args, scope).value,
    redact: vault.redactText,
    closedFor: closedFor ?? (() => undefined),
    digest: (value) => argumentDigest(digestKey, value),
    schemaOf: (hash) => definitions.of(hash)?.inputSchema,
    sessionName: (session) => log.query<{ name: string }>("select name from sessions where id = ?", session)[0]?.name ?? session,
    brokenBound,
  };
}
