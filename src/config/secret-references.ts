/** Which secrets of the secret store a configuration names, and where. */
import { mapProfile } from "./auth.ts";
import type { Loaded } from "./load.ts";
import type { Problem } from "./problems.ts";
import { type Piece, parseTemplate } from "./references.ts";
import { mapTexts, type Text } from "./texts.ts";

/** A warning for every `${secret:NAME}` of a server or profile that `secret` does not know. */
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
  for (const [i, reference] of config.secrets.register.entries()) look({ where: `secrets.register[${i}]`, template: reference });
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
