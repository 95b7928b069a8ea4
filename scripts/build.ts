/** `bun run build [--target bun-linux-arm64] [--outfile FILE]`: one binary, with its build id inside. */
import { parseArgs } from "node:util";

const { values } = parseArgs({ options: { target: { type: "string" }, outfile: { type: "string", default: "dist/toolcrib" } } });

/** SHA-256 over the sources that make the binary, in the order of their paths. */
async function buildId(): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  const files = [...new Bun.Glob("{events,actors,src,migrations}/**/*").scanSync(), "package.json", "bun.lock"].sort();
  for (const file of files) hasher.update(`${file}\n`).update(await Bun.file(file).bytes());
  return hasher.digest("hex").slice(0, 16);
}

const entrypoints = ["src/main.ts"];
const args = [
  "build",
  ...entrypoints,
  "--compile",
  "--minify",
  "--sourcemap",
  "--bytecode",
  "--format=esm",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  `--define=TOOLCRIB_BUILD=${JSON.stringify(await buildId())}`,
  `--outfile=${values.outfile}`,
  ...(values.target === undefined ? [] : [`--target=${values.target}`]),
];
const { exitCode } = Bun.spawnSync([process.execPath, ...args], { stdio: ["ignore", "inherit", "inherit"] });
process.exit(exitCode);
