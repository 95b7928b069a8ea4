/** Does a URI come from a template (RFC 6570)? Best effort, in time linear in both: no pattern of a server ever reaches a regular expression. */

const MAX_LENGTH = 8192;
const MAX_PARTS = 64;

interface Part {
  readonly literal?: string;
  /** Which characters an expression's value may hold. */
  readonly allows?: (character: string) => boolean;
  readonly optional?: boolean;
}

const not = (forbidden: string) => (character: string) => !forbidden.includes(character);
/** By the operator that an expression begins with. */
const EXPRESSIONS: Readonly<Record<string, Part>> = {
  "+": { allows: () => true },
  "#": { allows: () => true, optional: true },
  "/": { allows: not("?#"), optional: true },
  ".": { allows: not("/?#"), optional: true },
  ";": { allows: not("/?#"), optional: true },
  "?": { allows: not("#"), optional: true },
  "&": { allows: not("#"), optional: true },
};
const SIMPLE: Part = { allows: not("/?#") };

/** Undefined when it is no template that can be matched. */
function partsOf(template: string): Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < template.length; ) {
    if (parts.length > MAX_PARTS) return undefined;
    const open = template.indexOf("{", at);
    const close = open < 0 ? -1 : template.indexOf("}", open);
    if (close < 0) {
      parts.push({ literal: template.slice(at) }); // an unbalanced brace stands for itself
      break;
    }
    if (open > at) parts.push({ literal: template.slice(at, open) });
    parts.push(EXPRESSIONS[template[open + 1] ?? ""] ?? SIMPLE);
    at = close + 1;
  }
  return parts;
}

/** Every position of `uri` that the template can have reached, part by part: no backtracking. */
export function matchesTemplate(template: string, uri: string): boolean {
  if (template.length > MAX_LENGTH || uri.length > MAX_LENGTH) return false;
  const parts = partsOf(template);
  if (!parts) return false;
  let reached = new Uint8Array(uri.length + 1);
  reached[0] = 1;
  for (const { literal, allows, optional } of parts) {
    const next = new Uint8Array(uri.length + 1);
    let inside = false;
    for (let at = 0; at <= uri.length; at++) {
      if (literal !== undefined) {
        if (reached[at] && uri.startsWith(literal, at)) next[at + literal.length] = 1;
        continue;
      }
      if (inside) next[at] = 1;
      if (reached[at] && optional) next[at] = 1;
      if (reached[at]) inside = true;
      inside = inside && at < uri.length && allows?.(uri[at] ?? "") === true;
    }
    reached = next;
  }
  return reached[uri.length] === 1;
}
