/** `toolcrib version`: which release, which build, on what. */
import type { Command } from "commander";
import { BUILD, VERSION } from "../version.ts";
import { print, printJson } from "./print.ts";

export function versionVerb(program: Command): void {
  program
    .command("version")
    .description("print the release, the build and the runtime")
    .option("--json", "as JSON")
    .action(({ json }: { json?: true }) => {
      const facts = { name: "toolcrib", version: VERSION, build: BUILD, bun: Bun.version, platform: `${process.platform}-${process.arch}` };
      if (json) printJson(facts);
      else print(`toolcrib ${VERSION} (build ${BUILD}, Bun ${Bun.version}, ${facts.platform})`);
    });
}
