/** A text with what patterns find in it shown as `<family>`, through a vault as the program has it. */
import { patterns } from "../../src/secrets/patterns.ts";
import { createVault } from "../../src/secrets/vault.ts";
import { key } from "./vault-fixture.ts";

export const vaultWithPatterns = () => createVault({ key, patterns });

const shown = (text: string): string => text.replace(/\[REDACTED ([a-z0-9_-]+) #[0-9a-f]{8}\]/g, "<$1>");
export const scrub = (text: string): string => shown(vaultWithPatterns().redactText(text));
/** The same for a JSON value, in which members have names. */
export const scrubValue = (value: unknown): unknown =>
  JSON.parse(shown(JSON.stringify(vaultWithPatterns().conceal(value, { session: "s" }).value)));
