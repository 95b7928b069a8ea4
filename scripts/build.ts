/** `bun run build [--target bun-linux-arm64] [--outfile FILE]`: one binary, with its build id inside. */
import { parseArgs } from "node:util";
import { BINARY, build } from "./binary.ts";

const { values } = parseArgs({ options: { target: { type: "string" }, outfile: { type: "string", default: BINARY } } });
const { target, outfile } = values;
process.exit(build({ outfile, ...(target !== undefined && { target }) }));
