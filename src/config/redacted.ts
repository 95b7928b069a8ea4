/** The whole configuration in a form that may be written down: references unresolved, literal secrets masked. */
import { mapProfile } from "./auth.ts";
import { mapTiers } from "./llm.ts";
import { mapOutside } from "./outside-texts.ts";
import { maskDefaults } from "./questions.ts";
import type { Config } from "./schema.ts";
import { MASK, maskLiterals, type Redaction, rulesOf } from "./secrets.ts";
import { mapTexts, type Text } from "./texts.ts";

/** The configuration with its references unresolved and the secrets that stand in it as text masked: for the log, `config show` and the views. */
export function redactedConfig(config: Config, redaction: Redaction = {}): Config {
  const rules = rulesOf(config.secrets, redaction);
  const { mask = MASK } = redaction;
  const masked = (text: Pick<Text, "key" | "template">) => maskLiterals(text, rules, mask);
  const entries = Object.entries(config.mcpServers).map(([name, written]) => {
    const entry = mapTexts(name, written, masked);
    return [name, entry.elicitation ? { ...entry, elicitation: maskDefaults(entry.elicitation, rules, mask) } : entry];
  });
  const seeds = Object.entries(config.bridge.defaultServers).map(([name, url]) => [name, masked({ key: "", template: url })]);
  const bridge = { ...config.bridge, defaultServers: Object.fromEntries(seeds) };
  const profiles = Object.entries(config.auth).map(([name, entry]) => [name, mapProfile(name, entry, masked)]);
  const llm = mapTiers(config.llm, masked);
  return {
    ...config,
    ...mapOutside(config, masked),
    bridge,
    mcpServers: Object.fromEntries(entries),
    auth: Object.fromEntries(profiles),
    llm,
    elicitation: maskDefaults(config.elicitation, rules, mask),
  };
}
