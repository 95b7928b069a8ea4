/** One connection while it lasts: who uses it, what it offers, whether it is well. */
import type { Downstream } from "../mcp/downstream/downstream.ts";
import { type HealthPorts, watchHealth } from "./health.ts";
import { createSurfaceReader, type Offering, type SurfacePorts } from "./surface.ts";

export interface Link {
  readonly downstream: Downstream;
  /** Lists what it offers and tells the registry. Rejects when the tools cannot be listed. */
  read(): Promise<void>;
  /** Counts as a user of the connection until the work is done. */
  use<T>(work: (downstream: Downstream) => Promise<T>): Promise<T>;
  /** From now on its health is watched. */
  watch(ports: HealthPorts): void;
  /** The settings may have changed. */
  retime(): void;
  /** Ends the watch, and the connection when nobody uses it any more. */
  release(): Promise<void>;
}

/** `isCurrent` is false once nobody wants to hear of it any more. */
export function createLink(server: Offering, downstream: Downstream, isCurrent: () => boolean, ports: SurfacePorts): Link {
  const surface = createSurfaceReader(server, downstream, isCurrent, ports);
  let health: ReturnType<typeof watchHealth> | undefined;
  let users = 0;
  const waiting: (() => void)[] = [];
  const free = () => (users === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve)));
  return {
    downstream,
    read: surface.read,
    async use(work) {
      users++;
      try {
        return await work(downstream);
      } finally {
        if (--users === 0) for (const resolve of waiting.splice(0)) resolve();
      }
    },
    watch(healthPorts) {
      health = watchHealth(downstream, surface, healthPorts);
    },
    retime: () => health?.retime(),
    async release() {
      health?.stop();
      await free();
      await downstream.close();
    },
  };
}

/** What the server's actor is told of it. */
export function introductionOf({ introduction }: Downstream, id: string, redact: (text: string) => string) {
  const { era, eraGuessed, protocolVersion, transport, serverInfo } = introduction;
  const implementation = redact(`${serverInfo.name} ${serverInfo.version}`);
  return { id, era, ...(eraGuessed && { eraGuessed }), protocolVersion, transport, implementation };
}
