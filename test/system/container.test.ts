/** The image as it is shipped, in a real engine: another user, nothing writable but the volume, and a log that outlives kill -9. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GenericContainer, getContainerRuntimeClient, type StartedTestContainer, Wait } from "testcontainers";
import { assembleContext } from "../../scripts/container-context.ts";
import { callTool, callWhenOffered } from "../../scripts/gateway.ts";
import { type HttpServer, serveModern } from "../fixtures/servers/http-servers.ts";

const engine = await getContainerRuntimeClient().catch(() => undefined);
const IMAGE = "localhost/toolcrib-test:latest";
const PORT = 7420;
const TOKEN = "an-agents-token-for-the-test";
const LIMIT_MS = 120_000;
const MEBIBYTE = 1024 * 1024;

/** Nothing is left behind when the group is skipped. */
const folder = engine === undefined ? "" : mkdtempSync(join(tmpdir(), "toolcrib-image-"));
const volume = `toolcrib-test-${process.pid}`;
const started: StartedTestContainer[] = [];

/** The fixture listens on loopback only; containers reach it through this. */
function reachable(inner: HttpServer): { readonly port: number; stop(): Promise<void> } {
  const outer = Bun.serve({
    hostname: "0.0.0.0",
    port: 0,
    idleTimeout: 0,
    fetch: (request) => fetch(inner.url, { method: request.method, headers: request.headers, body: request.body, timeout: false }),
  });
  return { port: outer.port ?? 0, stop: () => outer.stop(true) };
}

function image(config: string): GenericContainer {
  const container = new GenericContainer(IMAGE)
    .withDroppedCapabilities("ALL")
    .withSecurityOpt("no-new-privileges")
    .withResourcesQuota({ memory: 0.25, cpu: 1 })
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forLogMessage("toolcrib listening on"))
    .withStartupTimeout(30_000)
    .withBindMounts([
      { source: volume, target: "/data" },
      { source: config, target: "/etc/toolcrib/toolcrib.jsonc", mode: "ro" },
    ]);
  // The library has no method for this one.
  const { hostConfig } = container as unknown as { readonly hostConfig: { ReadonlyRootfs?: boolean } };
  hostConfig.ReadonlyRootfs = true;
  return container;
}

async function start(config: string): Promise<{ readonly container: StartedTestContainer; readonly url: string }> {
  const container = await image(config).start();
  started.push(container);
  return { container, url: `http://${container.getHost()}:${container.getMappedPort(PORT)}` };
}

/** The address under which a container of the default network sees this machine. */
async function gatewayAddress(): Promise<string> {
  const networks = (await engine?.container.dockerode.listNetworks()) ?? [];
  const standard = networks.find(({ Name }) => Name === "podman" || Name === "bridge");
  return standard?.IPAM?.Config?.find(({ Gateway }) => Gateway?.includes("."))?.Gateway ?? "no-gateway.invalid";
}

function configFor(downstream: string): string {
  const file = join(folder, "toolcrib.jsonc");
  const tokenHash = `sha256:${createHash("sha256").update(TOKEN).digest("hex")}`;
  const config = {
    listen: { allowedHosts: ["tools.test"] },
    agents: [{ name: "tester", tokenHash }],
    mcpServers: { away: { url: downstream } },
  };
  writeFileSync(file, JSON.stringify(config));
  chmodSync(folder, 0o755); // the image's user reads it
  chmodSync(file, 0o644);
  return file;
}

describe.skipIf(engine === undefined)(engine === undefined ? "the image (no container engine answers)" : "the image", () => {
  beforeAll(async () => {
    const context = join(folder, "context");
    assembleContext(context);
    await GenericContainer.fromDockerfile(context, "Containerfile").build(IMAGE, { deleteOnExit: false });
  }, LIMIT_MS);

  afterAll(async () => {
    for (const container of started) await engine?.container.getById(container.getId()).remove({ force: true });
    await engine?.container.dockerode.getVolume(volume).remove({ force: true });
    await engine?.container.dockerode.getImage(IMAGE).remove({ force: true });
    rmSync(folder, { recursive: true, force: true });
  }, LIMIT_MS);

  test(
    "without tokens it ends with 78: it would be open to others",
    async () => {
      const container = await engine?.container.dockerode.createContainer({ Image: IMAGE });
      await container?.start();
      expect(await container?.wait()).toMatchObject({ StatusCode: 78 });
      expect(String(await container?.logs({ stdout: true, stderr: true }))).toContain("add agents with a tokenHash");
      await container?.remove({ force: true, v: true });
    },
    LIMIT_MS,
  );

  test(
    "holds its log over kill -9 and a new container, and finds it sound",
    async () => {
      const inner = serveModern();
      const downstream = reachable(inner);
      const config = configFor(`http://${await gatewayAddress()}:${downstream.port}/mcp`);
      const first = await start(config);

      const facts = await engine?.container.getById(first.container.getId()).inspect();
      expect(facts?.Config.User).toBe("10001:10001");
      expect(facts?.HostConfig).toMatchObject({ ReadonlyRootfs: true, Memory: 256 * MEBIBYTE });
      expect(await first.container.exec(["/toolcrib", "healthcheck"])).toMatchObject({ exitCode: 0 });

      expect((await callTool(first.url, "mcp_list_services", {})).status).toBe(401);
      const call = await callWhenOffered(first.url, "away__mirrored", { region: "eu" }, TOKEN);
      expect(call).toMatchObject({ status: 200, body: { isError: false, content: [{ type: "text", text: "mirrored" }] } });
      const named = await fetch(`${first.url}/healthz`, { headers: { host: "tools.test" } });
      const foreign = await fetch(`${first.url}/healthz`, { headers: { host: "evil.test" } });
      expect([named.status, foreign.status]).toEqual([200, 403]);

      const killed = engine?.container.getById(first.container.getId());
      await killed?.kill({ signal: "SIGKILL" });
      await killed?.wait();

      const second = await start(config);
      const log = await second.container.exec(["/toolcrib", "events", "--call", String(call.body["callId"]), "--json"]);
      expect(log.exitCode).toBe(0);
      expect(log.output).toContain('"call.answered"');
      expect(await second.container.exec(["/toolcrib", "verify"])).toMatchObject({ exitCode: 0, output: expect.stringContaining("sound") });
      expect(await callTool(second.url, "mcp_list_services", {}, TOKEN)).toMatchObject({ status: 200, body: { isError: false } });
      expect(inner.ran()).toBe(1);
      await downstream.stop();
      await inner.stop();
    },
    LIMIT_MS,
  );
});
