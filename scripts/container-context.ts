/**
 * `bun run scripts/container-context.ts [FOLDER]`: assembles what the image is made of, by default in dist/container: the Containerfile and,
 * under rootfs/, the binary, the C library of this machine that it needs, users and certificates; data/ is empty, and its owner is another. Then:
 * `podman build -t toolcrib dist/container`.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { REPOSITORY, upToDateBinary } from "./binary.ts";

const PASSWD = "root:x:0:0:root:/:/nologin\ntoolcrib:x:10001:10001:toolcrib:/data:/nologin\n";
const GROUP = "root:x:0:\ntoolcrib:x:10001:\n";
/** Where distributions keep the certificates of the authorities; the image has them where OpenSSL and Bun look first. */
const CERTIFICATES = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"];
/** Loaded on demand for host names, so `ldd` does not tell; older C libraries have them in files of their own. */
const ON_DEMAND = ["libnss_files.so.2", "libnss_dns.so.2", "libresolv.so.2"];

/** The loader and the libraries of an executable, as paths to load them from. Throws when `ldd` cannot tell. */
function libraries(executable: string): string[] {
  const { stdout, success } = Bun.spawnSync(["ldd", executable]);
  const named = [...stdout.toString().matchAll(/(?:=> )?(\/\S+) \(0x/g)].flatMap(([, path]) => path ?? []);
  if (!success || named.length === 0) throw new Error(`ldd does not tell what ${executable} needs; a Linux machine with glibc is needed`);
  const folder = dirname(named.find((path) => path.includes("/libc.so")) ?? "/lib");
  return [...named, ...ON_DEMAND.map((name) => join(folder, name)).filter((path) => existsSync(path))];
}

/** Fills `folder`, which is emptied first. */
export function assembleContext(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const place = (from: string, to: string, mode: number) => {
    const target = join(folder, "rootfs", to);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(from, target); // follows links: the image needs none
    chmodSync(target, mode);
  };
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, "rootfs", path)), { recursive: true });
    writeFileSync(join(folder, "rootfs", path), text, { mode: 0o644 });
  };
  const binary = upToDateBinary();
  place(binary, "toolcrib", 0o755);
  for (const library of libraries(binary)) place(library, library, 0o755);
  write("etc/passwd", PASSWD);
  write("etc/group", GROUP);
  write("etc/nsswitch.conf", "hosts: files dns\n");
  const certificates = CERTIFICATES.find((path) => existsSync(path));
  if (certificates === undefined) throw new Error("this machine has no CA certificates; install ca-certificates");
  place(certificates, "etc/ssl/certs/ca-certificates.crt", 0o644);
  for (const empty of ["data", "rootfs/tmp", "rootfs/etc/toolcrib"]) mkdirSync(join(folder, empty), { recursive: true });
  chmodSync(join(folder, "rootfs", "tmp"), 0o1777);
  writeFileSync(join(folder, "Containerfile"), readFileSync(join(REPOSITORY, "Containerfile")));
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? join(REPOSITORY, "dist", "container"));
  assembleContext(folder);
  console.log(`podman build -t toolcrib ${folder}`);
}
