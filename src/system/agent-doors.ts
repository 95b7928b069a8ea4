/** The doors of agents, without a wire yet: sessions, the tools that each sees, MCP and REST behind one way in. */
import { randomBytes } from "node:crypto";
import { sessionAddress } from "../../actors/address.ts";
import { modeOf } from "../../actors/policy/allow.ts";
import type { SessionState } from "../../actors/session-commands.ts";

import { asksClient } from "../calls/asks-client.ts";
import { offersTasks } from "../calls/timeout.ts";
import type { doorLimitsOf } from "../config/judged.ts";
import { createBackend } from "../doors/backend.ts";
import { createRest } from "../doors/rest.ts";
import { createSessions } from "../doors/sessions.ts";
import { createSurface } from "../doors/surface.ts";
import { createToolLists } from "../doors/tool-lists.ts";
import type { Log } from "../log/log.ts";
import { createClientTasks } from "../questions/client-tasks.ts";
import type { Vault } from "../secrets/vault.ts";
import { orientation } from "../tools/orientation.ts";
import { VERSION } from "../version.ts";
import type { Kernel } from "./kernel.ts";

export interface AgentDoorPorts {
  readonly kernel: Kernel;
  readonly log: Log;
  readonly vault: Vault;
  /** By profile. */
  readonly limitsOf: (profile: string) => ReturnType<typeof doorLimitsOf>;
}

export function createAgentDoors({ kernel, log, vault, limitsOf }: AgentDoorPorts) {
  const { runtime, ask, views } = kernel;
  const sessions = createSessions({
    runtime,
    log,
    vault,
    now: Date.now,
    limitOf: ({ profile }) => limitsOf(profile).sessionsPerToken,
    randomId: () => randomBytes(16).toString("hex"),
  });
  const lists = createToolLists(kernel);
  const settling = () => kernel.connections.settling;
  const surface = createSurface({
    ...kernel,
    sessions,
    settling,
    documentOf: kernel.definitions.document,
    capabilitiesOf: (server) => kernel.connections.of(server)?.downstream?.introduction.capabilities,
  });
  const { parked, answer } = kernel.questions;
  const tasks = createClientTasks({ runtime, views, parked, answer, since: log.head.position });
  const backend = createBackend({
    version: VERSION,
    ask,
    sessions,
    views,
    lists,
    orientation: (profile) => orientation(modeOf(runtime.catalogue(), profile)),
    asksClient: (id, call, client) => asksClient(runtime.catalogue(), runtime.stateOf(sessionAddress(id)) as SessionState, call, client),
    knowsState: kernel.questions.knowsState,
    settling,
    surface,
    tasks: () => (offersTasks(runtime.catalogue()) ? tasks : undefined),
  });
  const rest = createRest({ runtime, ask, sessions, views, vault, lists, position: () => log.head.position });
  return { sessions, backend, rest };
}
