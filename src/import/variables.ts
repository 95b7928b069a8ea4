/** Turns the variables of other clients' texts into our references. Nothing is looked up and nothing is run. */
import type { Dialect } from "./dialects.ts";
import type { Input } from "./roots.ts";

export interface Translated {
  /** In our reference language. */
  readonly text: string;
  readonly warnings: readonly string[];
}
/** `runs`: the text would be made by running a command. */
export type Translation = Translated | { readonly runs: string };

export interface Variables {
  readonly dialect: Dialect;
  readonly inputs: ReadonlyMap<string, Input>;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const WITH_DEFAULT = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*):-(.*)$/s;
const OURS = /^(?:file:[^}\0]+|(?:secret|cred):[A-Za-z0-9_.-]+)$/;
const DOLLAR = /^\$([A-Za-z_][A-Za-z0-9_]*)/;
const OPENCODE = /^\{(?:(env):([A-Za-z_]\w*)|(file):([^{}$\0]+))\}/;
const CONTINUE = /^\$\{\{\s*(?:secrets|inputs)\.([\w.-]+)\s*\}\}/;
/** What editors put in for these; a daemon has neither a workspace nor a user before it. */
const EDITOR: Readonly<Record<string, { readonly variable: string } | { readonly text: string }>> = {
  "/": { text: "/" },
  pathSeparator: { text: "/" },
  userHome: { variable: "HOME" },
  workspaceFolder: { variable: "WORKSPACE_FOLDER" },
  workspaceRoot: { variable: "WORKSPACE_FOLDER" },
  workspaceFolderBasename: { variable: "WORKSPACE_NAME" },
};

/** Text that holds no reference, however it looks. */
const plainText = (text: string): string => text.replaceAll("${", () => "$${");
/** A name that the secret store accepts. */
export const secretName = (id: string): string => id.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^[.-]+/, "") || "SECRET";

/** One text of a server's entry. */
export function translate(source: string, variables: Variables): Translation {
  const { dialect } = variables;
  const warnings: string[] = [];
  let text = "";
  for (let i = 0; i < source.length; ) {
    const rest = source.slice(i);
    const secret = dialect.name === "continue" ? CONTINUE.exec(rest) : null;
    const braced = dialect.name === "opencode" ? OPENCODE.exec(rest) : null;
    const dollar =
      dialect.dollar === "anywhere" || (dialect.dollar === "word" && !/[\w$\\]/.test(source[i - 1] ?? "")) ? DOLLAR.exec(rest) : null;
    if (rest.startsWith("$${")) {
      text += "$${"; // written so to be plain text, here as there
      i += 3;
    } else if (secret) {
      text += storedSecret(secret[1] ?? "", warnings);
      i += secret[0].length;
    } else if (braced) {
      text += `\${${braced[1] ?? braced[3]}:${braced[2] ?? braced[4]}}`;
      i += braced[0].length;
    } else if (dollar) {
      text += `\${env:${dollar[1]}}`;
      i += dollar[0].length;
    } else if (rest.startsWith("${")) {
      const end = closing(source, i + 2);
      const body = source.slice(i + 2, end);
      if (/^(?:cmd|command|shell):/.test(body)) return { runs: body };
      text += end < source.length ? reference(body, variables, warnings) : plainText(rest);
      i = end + 1;
    } else text += source[i++];
  }
  if (dialect.dollar === undefined && /(?:^|[^\w$\\])\$[A-Za-z_]\w*/.test(source))
    warnings.push("holds a word that starts with $: it is plain text there and here");
  if (dialect.expandsNothing && text.includes("${env:"))
    warnings.push("holds a variable that the client itself does not fill in: here it is read from the environment");
  return { text, warnings };
}

/** Where the brace that was opened before `from` is closed; the end of the text when it is not. */
function closing(text: string, from: number): number {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    if (text.startsWith("${", i)) depth++;
    else if (text[i] === "}" && --depth === 0) return i;
  }
  return text.length;
}

function reference(body: string, { dialect, inputs }: Variables, warnings: string[]): string {
  const editor = Object.hasOwn(EDITOR, body) ? EDITOR[body] : undefined;
  if (editor !== undefined) {
    if ("text" in editor) return editor.text;
    const { variable } = editor;
    if (variable !== "HOME") warnings.push(`${body} is the client's own: set ${variable} for toolcrib, or write the folder`);
    return `\${env:${variable}}`;
  }
  if (dialect.ours && OURS.test(body)) return `\${${body}}`;
  const name = body.startsWith("env:") ? body.slice(4) : body;
  if (NAME.test(name)) {
    if (name.startsWith("CLAUDE_")) warnings.push(`${name} is set by Claude Code only: set it for toolcrib, or write the folder`);
    return `\${env:${name}}`;
  }
  const [, variable = "", otherwise = ""] = WITH_DEFAULT.exec(body) ?? [];
  if (variable !== "" && !/[{}]/.test(otherwise)) return `\${env:${variable}:-${otherwise}}`;
  if (variable !== "") {
    warnings.push(`the default of ${variable} is a variable itself and is not carried over: set ${variable}`);
    return `\${env:${variable}}`;
  }
  if (body.startsWith("input:")) return asked(body.slice(6), inputs, warnings);
  const written = `\${${body}}`;
  warnings.push(`${written} is no variable that is known here: it stays as plain text`);
  return plainText(written);
}

/** What VS Code asks its user for: a secret of the store, or a variable where the file says that it is none. */
function asked(id: string, inputs: ReadonlyMap<string, Input>, warnings: string[]): string {
  const input = inputs.get(id);
  if (input === undefined || input.password) return storedSecret(id, warnings);
  const name = id
    .replace(/\W+/g, "_")
    .replace(/^(?=\d)/, "_")
    .toUpperCase();
  const { otherwise } = input;
  const isUsable = otherwise !== undefined && !/[{}]/.test(otherwise);
  warnings.push(`the client asks for ${id}: set the variable ${name} for toolcrib`);
  return isUsable ? `\${env:${name}:-${otherwise}}` : `\${env:${name}}`;
}

function storedSecret(id: string, warnings: string[]): string {
  const name = secretName(id);
  warnings.push(`the client asks for ${id}: store it with "toolcrib secret set ${name}"`);
  return `\${secret:${name}}`;
}
