/** Secrets as a configuration names them, or writes them out: what is missing in the store, and what should be in it. */
import { mapProfile } from "./auth.ts";
import { mapTiers } from "./llm.ts";
import type { Loaded } from "./load.ts";
import { mapOutside } from "./outside-texts.ts";
import type { Problem } from "./problems.ts";
import { type Piece, parseTemplate } from "./references.ts";
import { isOrdinary } from "./secret-values.ts";
import { maskLiterals } from "./secrets.ts";
import { mapTexts, type Text } from "./texts.ts";

/** A warning for every `${secret:NAME}` of a server, a profile, a tier, a hook or a webhook that `secret` does not know. */
export function missingSecrets({ config, file = "", origins }: Loaded, secret: (name: string) => string | undefined): Problem[] {
  const problems: Problem[] = [];
  const look = ({ where, template }: Pick<Text, "where" | "template">): string => {
    for (const piece of piecesOf(template)) {
      if (piece.kind !== "secret" || secret(piece.name) !== undefined) continue;
      const place = origins[where] ?? { file, line: 0, column: 0 };
      const hint = `toolcrib secret set ${piece.name}`;
      problems.push({ ...place, path: where, message: `the secret ${piece.name} is not in the secret store`, hint });
    }
    return template;
  };
  for (const [name, entry] of Object.entries(config.mcpServers)) if (!entry.disabled) mapTexts(name, entry, look);
  for (const [name, profile] of Object.entries(config.auth)) mapProfile(name, profile, look);
  mapTiers(config.llm, look);
  mapOutside(config, look);
  for (const [i, reference] of config.secrets.register.entries()) look({ where: `secrets.register[${i}]`, template: reference });
  return problems;
}

/** A warning for every secret that stands in the files as text. */
export function writtenSecrets({ config, file = "", origins }: Loaded): Problem[] {
  const problems: Problem[] = [];
  const look = (text: Text): string => {
    let isWritten = false;
    maskLiterals(text, config.secrets, (value) => {
      isWritten ||= !isOrdinary(text.key, value);
      return value;
    });
    const place = origins[text.where] ?? { file, line: 0, column: 0 };
    const hint = 'store it with "toolcrib secret set NAME" and write a reference, or list its name under secrets.ignore';
    if (isWritten) problems.push({ ...place, path: text.where, message: "holds a secret as text", hint });
    return text.template;
  };
  for (const [name, entry] of Object.entries(config.mcpServers)) mapTexts(name, entry, look);
  for (const [name, profile] of Object.entries(config.auth)) mapProfile(name, profile, look);
  mapTiers(config.llm, look);
  mapOutside(config, look);
  return problems;
}

/** None of what cannot be read: whatever resolves it says what is wrong. */
function piecesOf(template: string): readonly Piece[] {
  try {
    return parseTemplate(template);
  } catch {
    return [];
  }
}
