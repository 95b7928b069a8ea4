/** The guard of a configuration: its agents and operators, and the operator that every installation has. */
import { createHash } from "node:crypto";
import type { Loaded } from "../config/load.ts";
import { isLoopback } from "../config/paths.ts";
import { createGuard, type Guard } from "../doors/guard.ts";

/** Without the installation's token (a full disk at the first start) only the configured operators are known. */
export function guardOf({ config }: Loaded, operatorToken: string | undefined): Guard {
  const { host, allowedHosts, allowedOrigins } = config.listen;
  const first =
    operatorToken === undefined
      ? []
      : [
          {
            name: "operator",
            tokenHash: `sha256:${createHash("sha256").update(operatorToken).digest("hex")}`,
            roles: ["admin"] as const,
          },
        ];
  return createGuard({
    agents: config.agents,
    operators: [...config.operators, ...first],
    allowedHosts: [host, ...allowedHosts],
    allowedOrigins,
    isLoopback: isLoopback(host),
  });
}
