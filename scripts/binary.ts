/** Where the compiled program lies, what it is made of, and how to have one that is up to date. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

export const REPOSITORY = join(import.meta.dir, "..");
export const BINARY = join(REPOSITORY, "dist", "toolcrib");

/** SHA-256 over the sources that make the binary, in the order of their paths; 16 hex digits. */
export function buildId(): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const sources = new Bun.Glob("{events,actors,src,migrations}/**/*").scanSync({ cwd: REPOSITORY });
  for (const file of [...sources, "package.json", "bun.lock"].sort())
    hasher.update(`${file}\n`).update(readFileSync(join(REPOSITORY, file)));
  return hasher.digest("hex").slice(0, 16);
}

export interface Build {
  readonly outfile: string;
  /** A target of Bun, such as `bun-linux-arm64`; without one, this machine. */
  readonly target?: string;
}

/**
 * Compiles the program. The file appears under its name only when it is whole, so that whoever runs the one before it is not disturbed; beside
 * it lies the build id. Returns Bun's exit code.
 */
export function build({ outfile, target }: Build, say: "inherit" | "ignore" = "inherit"): number {
  const wanted = resolve(outfile);
  mkdirSync(dirname(wanted), { recursive: true });
  const folder = mkdtempSync(join(dirname(wanted), ".build-"));
  const id = buildId();
  const made = join(folder, basename(wanted));
  const args = [
    "--compile",
    "--minify",
    "--sourcemap",
    "--bytecode",
    "--format=esm",
    // Files in the folder where it is started must not change what it does.
    "--no-compile-autoload-dotenv",
    "--no-compile-autoload-bunfig",
    `--define=TOOLCRIB_BUILD=${JSON.stringify(id)}`,
    `--outfile=${made}`,
    ...(target === undefined ? [] : [`--target=${target}`]),
  ];
  try {
    const { exitCode } = Bun.spawnSync([process.execPath, "build", "src/main.ts", ...args], {
      cwd: REPOSITORY,
      stdio: ["ignore", say, say === "ignore" ? "inherit" : say],
    });
    if (exitCode !== 0) return exitCode;
    for (const suffix of ["", ".map"]) if (existsSync(made + suffix)) renameSync(made + suffix, wanted + suffix);
    writeFileSync(`${wanted}.id`, `${id}\n`);
    return 0;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The compiled program of the sources as they are now, built if need be (about two seconds). Throws when it cannot be built. */
export function upToDateBinary(): string {
  const stamp = `${BINARY}.id`;
  const isCurrent = existsSync(BINARY) && existsSync(stamp) && readFileSync(stamp, "utf8").trim() === buildId();
  if (!isCurrent && build({ outfile: BINARY }, "ignore") !== 0) throw new Error("the program could not be compiled: see `bun run build`");
  return BINARY;
}
