/** The shapes in which a secret turns up: as it is, and in the encodings that programs put it into. */

/** One literal to look for. */
export interface Form {
  readonly text: string;
  /** The base64 character in front of (behind) the match holds bits of the secret too, and is hidden with it. */
  readonly before: boolean;
  readonly after: boolean;
}

/**
 * What is looked for, for one secret without the white space around it:
 * - the value itself; with line breaks also with LF and CRLF throughout;
 * - JSON-escaped once and twice (JSON inside JSON), with `\/`, with everything beyond ASCII as `\uXXXX` (hex digits in either case),
 *   and as the HTML-safe encoders of Go and .NET write it;
 * - URL-encoded as encodeURIComponent, encodeURI, RFC 3986, HTML forms (`+`) and path segments (`/` kept) write it, hex digits in either case;
 * - base64 and base64url, alone or at any place inside a longer base64 text (`Basic` credentials, a whole file): three alignments;
 * - hexadecimal in either case.
 * Not covered: a value cut in two (base64 wrapped by line breaks, single lines of a PEM), encodings of encodings other than JSON
 * in JSON, unusual mixtures of escaped and unescaped characters, HTML entities, other character sets than UTF-8.
 */
export function formsOf(value: string): readonly Form[] {
  const forms = new Map<string, Form>();
  const add = (text: string, before = false, after = false) => {
    if (!forms.has(text)) forms.set(text, { text, before, after });
  };
  const core = value.trim();
  const lines = core.replaceAll("\r\n", "\n");
  for (const variant of new Set([core, lines, lines.replaceAll("\n", "\r\n")])) {
    add(variant);
    for (const text of jsonForms(variant)) add(text);
    // Percent encoding and UTF-8 know no lone surrogates: programs write U+FFFD for them.
    const wellFormed = variant.toWellFormed();
    for (const text of urlForms(wellFormed)) add(text);
    const bytes = Buffer.from(wellFormed);
    add(bytes.toString("hex"));
    add(bytes.toString("hex").toUpperCase());
    for (const encoding of ["base64", "base64url"] as const) {
      for (const form of base64Forms(bytes, encoding)) add(form.text, form.before, form.after);
    }
  }
  return [...forms.values()];
}

function jsonForms(value: string): readonly string[] {
  const once = escapeJson(value);
  const ascii = once.replace(/[^ -~]/g, escapeUnit);
  return [
    once,
    escapeJson(once),
    once.replaceAll("/", "\\/"),
    ascii,
    escapeJson(ascii),
    once.replace(/[^ -~]/g, (unit) => escapeUnit(unit).toUpperCase().replace("U", "u")),
    once.replace(/[<>&]/g, escapeUnit),
    once.replaceAll('\\"', "\\u0022").replace(/[^ -~]|[<>&'+`]/g, (unit) => escapeUnit(unit).toUpperCase().replace("U", "u")),
  ];
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function escapeJson(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function urlForms(value: string): readonly string[] {
  const component = encodeURIComponent(value);
  const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  const form = new URLSearchParams({ "": value }).toString().slice(1);
  const segments = [component.replaceAll("%2F", "/"), strict.replaceAll("%2F", "/")];
  return [component, strict, form, encodeURI(value), ...segments].flatMap((text) => [
    text,
    text.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
  ]);
}

/** The characters that the secret alone decides, when 0, 1 or 2 bytes (modulo 3) of other things stand in front of it. */
function base64Forms(bytes: Buffer, encoding: "base64" | "base64url"): readonly Form[] {
  return [0, 1, 2].map((lead) => {
    const text = Buffer.concat([Buffer.alloc(lead), bytes]).toString(encoding);
    const bits = (lead + bytes.length) * 8;
    return { text: text.slice(Math.ceil((lead * 8) / 6), Math.floor(bits / 6)), before: lead > 0, after: bits % 6 > 0 };
  });
}
