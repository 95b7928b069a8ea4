/** `toolcrib secret`: the values that `${secret:NAME}` stands for in a configuration, sealed in the data folder. */
import type { Command } from "commander";
import { canBeSecret } from "../config/secret-values.ts";
import { SECRET_KIND } from "../secrets/sealed.ts";
import { type DataFlag, dataFolderOf } from "./data-folder.ts";
import { complain, EXIT, failure } from "./exit.ts";
import { dim, print, printJson, time } from "./print.ts";
import { existingSecrets, openSecrets, tellDaemon } from "./secret-store.ts";
import { readSecretValue } from "./secret-value.ts";
import { table } from "./table.ts";

interface SecretFlags extends DataFlag {
  readonly json?: true;
}

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;

export function secretVerb(program: Command): void {
  const secret = program.command("secret").description("keep values that a configuration names by a reference, sealed in the data folder");
  const verb = (name: string, description: string) =>
    secret.command(name).description(description).option("--data <dir>", "data folder").option("--json", "as JSON");
  // A value among the arguments must not be repeated by the parser's own error.
  const named = (name: string, description: string) => verb(name, description).argument("<name>").allowExcessArguments();
  named("set", "store a value, read from standard input or typed; one of that name is replaced").action(storing(false));
  named("rotate", "replace a value that is stored; servers that use it are connected anew").action(storing(true));
  verb("remove", "delete a value; servers that use it cannot be used any more").argument("<name>").action(remove);
  verb("list", "names and times of change; the values are never shown").action(list);
}

function storing(mustExist: boolean) {
  return (name: string, flags: SecretFlags, { args }: Command): Promise<void> => {
    if (args.length > 1)
      throw failure(EXIT.usage, "a value is never taken from the command line, where other users see it: give it on standard input");
    return store(name, flags, mustExist);
  };
}

async function store(name: string, flags: SecretFlags, mustExist: boolean): Promise<void> {
  if (!NAME.test(name))
    throw failure(EXIT.usage, `a secret's name is 1 to 128 of A-Z a-z 0-9 _ . - and starts with none of . and -: GITHUB_TOKEN`);
  const folder = dataFolderOf(flags);
  const isThere = () => {
    const secrets = existingSecrets(folder, complain);
    const found = secrets?.names(SECRET_KIND).some((stored) => stored.name === name) ?? false;
    secrets?.close();
    return found;
  };
  const replaced = isThere();
  if (mustExist && !replaced)
    throw failure(EXIT.failed, `there is no secret ${name} in ${folder}: "toolcrib secret set ${name}" stores a first value`);
  const value = await readSecretValue(`value of ${name}: `);
  if (!canBeSecret(value))
    complain(
      `warning: the value is too short, or looks like a path, a number or an address: it is not concealed where it occurs in results`,
    );
  const secrets = openSecrets(folder);
  secrets.put(SECRET_KIND, name, value);
  secrets.close();
  await tell(
    flags,
    folder,
    { name, replaced },
    `${name} is ${replaced ? "replaced" : `stored: write \${secret:${name}} where it is needed`}`,
  );
}

async function remove(name: string, flags: SecretFlags): Promise<void> {
  const folder = dataFolderOf(flags);
  const secrets = existingSecrets(folder, complain) && openSecrets(folder);
  const removed = secrets?.remove(SECRET_KIND, name) ?? false;
  secrets?.close();
  if (!removed) throw failure(EXIT.failed, `there is no secret ${name} in ${folder}: "toolcrib secret list" shows which there are`);
  await tell(flags, folder, { name, removed }, `${name} is removed`);
}

async function tell({ json }: SecretFlags, folder: string, changed: object, words: string): Promise<void> {
  const then = await tellDaemon(folder);
  if (json) printJson({ ...changed, note: then });
  else print(`${words}; ${then}`);
}

function list({ json, ...flags }: SecretFlags): void {
  const folder = dataFolderOf(flags);
  const store = existingSecrets(folder, complain);
  const secrets = (store?.names(SECRET_KIND) ?? []).map(({ name, updatedAt }) => ({
    name,
    updatedAt,
    readable: store?.get(SECRET_KIND, name) !== undefined,
  }));
  store?.close();
  const rows = secrets.map(({ name, updatedAt, readable }) => [name, time(updatedAt), readable ? "" : "cannot be opened: set it again"]);
  if (json) printJson({ secrets });
  else print(rows.length === 0 ? dim(`there are no secrets in ${folder}`) : table(["NAME", "CHANGED", ""], rows));
}
