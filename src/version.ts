/** Which release and which build this is. Both are set when the binary is made; a run from source says so. */
import { join } from "node:path";
import manifest from "../package.json" with { type: "json" };

declare const TOOLCRIB_BUILD: string | undefined;

export const VERSION: string = manifest.version;
/** Digest of the sources the binary was made of: turns of another build are only compared, not judged, by `verify --deep`. */
export const BUILD: string = typeof TOOLCRIB_BUILD === "string" ? TOOLCRIB_BUILD : "source";

/** How to start our own program again: the binary, or the runtime and the main script, whichever script was started (`examples/start.ts` is another). */
export const ourProgram = (): string[] => (BUILD === "source" ? [process.execPath, join(import.meta.dir, "main.ts")] : [process.execPath]);
