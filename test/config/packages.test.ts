/** Servers that are fetched anew at every start. */
import { expect, test } from "bun:test";
import { unpinnedPackage } from "../../src/config/packages.ts";
import { loaded, ref } from "./fixture.ts";

test.each<[command: string, found: string | undefined]>([
  ["npx -y @scope/server", "@scope/server"],
  ["npx --yes server@latest --flag", "server@latest"],
  ["/usr/bin/npx -y server@^1.2.3", "server@^1.2.3"],
  ["npx.cmd -y server@1", "server@1"],
  ["npx -y -p server run-it", "server"],
  ["npx --package=server -y run-it", "server"],
  ["npm exec -y server", "server"],
  ["bunx server", "server"],
  ["bun x server@next", "server@next"],
  ["pnpm dlx server", "server"],
  ["yarn dlx -q server", "server"],
  ["uvx server", "server"],
  ["uvx --from server[http] run-it", "server[http]"],
  ["uv tool run server>=1", "server>=1"],
  ["pipx run server", "server"],
  ["npx -y @scope/server@1.2.3", undefined],
  ["npx -y server@1.2.3-rc.1+build", undefined],
  ["npx -y -p server@1.2.3 run-it", undefined],
  ["uvx server==2025.4", undefined],
  ["uvx server@2025.4.8", undefined],
  ["npx server", undefined], // runs what is installed, or asks
  ["npx -y ./server", undefined],
  ["npx -y github:user/server", undefined],
  ["npx -y https://x.example/server.tgz", undefined],
  [`npx -y ${ref("env:SERVER")}`, undefined],
  ["uvx --python 3.12 server", undefined], // the value of a flag is not told from a name
  ["npx -y", undefined],
  ["npx -y --", undefined],
  ["npx", undefined],
  ["bun run server", undefined],
  ["node server.js", undefined],
  ["constructor -y server", undefined],
])("%s → %s", (written, found) => {
  const [command = "", ...args] = written.split(" ");
  expect(unpinnedPackage(command, args)).toBe(found);
});

test("the check of the configuration warns of them at their arguments", () => {
  const { warnings } = loaded('{ "mcpServers": {\n"s": { "command": "npx",\n"args": ["-y", "server"] } } }');
  expect(warnings).toMatchObject([
    { path: "mcpServers.s.args", line: 3, message: "server has no exact version: what is newest is fetched at every start" },
  ]);
});
