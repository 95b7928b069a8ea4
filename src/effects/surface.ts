/** Reads what a connected server offers and tells the registry: one reading at a time, and one more for whatever changed meanwhile. */

import { REGISTRY } from "../../actors/address.ts";
import type { Declared, SurfaceCommand } from "../../actors/registry-commands.ts";
import { harmlessEntry } from "../../actors/scan/harmless.ts";
import type { PromptDefinition, ResourceList, ToolDefinition } from "../mcp/downstream/definitions.ts";
import type { Downstream } from "../mcp/downstream/downstream.ts";
import { CanonicalError } from "../observe/canonical.ts";
import type { Clock } from "../runtime/timers.ts";
import type { Runtime } from "../runtime/turn.ts";

/** A server of this incarnation. */
export interface Offering {
  readonly name: string;
  readonly id: string;
  /** The digest of its argv or url as written. */
  readonly address: string;
}
export interface SurfacePorts {
  readonly runtime: Pick<Runtime, "enter">;
  readonly clock: Clock;
  /** Stores a tool's definition by its hash, and tells what the registry needs of it. */
  readonly declare: (server: Offering, tool: ToolDefinition) => Declared;
  readonly declarePrompt: (server: Offering, prompt: PromptDefinition) => Declared;
  /** Stores any JSON document; returns its hash. */
  readonly declareDocument: (document: unknown) => string;
}
export interface SurfaceReader {
  /** Rejects when the tools cannot be listed; the registry is told nothing then, and keeps what it knows. */
  read(): Promise<void>;
  /** When the tools were last listed, in milliseconds since the epoch; undefined: never. */
  readonly checkedAt: number | undefined;
}

const TOOLS_MS = 30_000;
/** Nobody waits for these longer: what does not come is not known now. */
const OPTIONAL_MS = 10_000;

/** `isCurrent` is false once another connection has taken its place. */
export function createSurfaceReader(server: Offering, from: Downstream, isCurrent: () => boolean, ports: SurfacePorts): SurfaceReader {
  const { runtime, clock } = ports;
  let checkedAt: number | undefined;
  let reading: Promise<void> | undefined;
  let following: Promise<void> | undefined;

  const readOnce = async () => {
    const [tools, prompts, resources] = await Promise.all([
      within(clock, TOOLS_MS, from.listTools()),
      within(clock, OPTIONAL_MS, from.listPrompts()),
      within(clock, OPTIONAL_MS, from.listResources()),
    ]);
    if (!tools) throw new Error(`no answer to tools/list within ${TOOLS_MS} ms`);
    if (!isCurrent()) return;
    checkedAt = clock.now();
    const surface: SurfaceCommand = {
      type: "surface",
      server: server.name,
      id: server.id,
      tools: tools.flatMap((tool) => sayable(() => ports.declare(server, tool))),
      ...(prompts && { prompts: prompts.flatMap((prompt) => sayable(() => ports.declarePrompt(server, prompt))) }),
      ...(resources && { resources: declaredResources(resources) }),
      about: about(),
    };
    await runtime.enter(REGISTRY, { ...surface }).catch(() => undefined); // recorded as turn.failed
  };
  const declaredResources = (declared: ResourceList) => {
    const lists = {
      resources: declared.resources.map((one) => harmlessEntry(one, "a resource")),
      templates: declared.templates.map((one) => harmlessEntry(one, "a resource template")),
    };
    const isSayable = (entry: unknown) => sayable(() => ports.declareDocument(entry)).length > 0;
    const whole = sayable(() => ports.declareDocument(lists));
    const { resources, templates } = whole.length > 0 ? lists : mapLists(lists, isSayable);
    return {
      hash: whole[0] ?? ports.declareDocument({ resources, templates }),
      resources: resources.length,
      templates: templates.length,
    };
  };
  const about = () => {
    const { serverInfo, instructions } = from.introduction;
    const { name: implementation, title, version, description } = harmlessEntry(serverInfo, "the implementation");
    const document = { implementation, title, version, description, instructions };
    return ports.declareDocument(Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined)));
  };

  const read = (): Promise<void> => {
    if (!reading) {
      reading = readOnce().finally(() => {
        reading = undefined;
      });
      return reading;
    }
    const next = () => {
      following = undefined;
      return read();
    };
    following ??= reading.then(next, next);
    return following;
  };
  return {
    read,
    get checkedAt() {
      return checkedAt;
    },
  };
}

/** A definition that JSON cannot say (1e400, or nested without end) is left out, not its server. */
function sayable<T>(declare: () => T): T[] {
  try {
    return [declare()];
  } catch (error) {
    if (error instanceof CanonicalError) return [];
    throw error;
  }
}

const mapLists = ({ resources, templates }: ResourceList, isKept: (entry: unknown) => boolean): ResourceList => ({
  resources: resources.filter(isKept),
  templates: templates.filter(isKept),
});

/** Undefined when it takes longer. */
function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const stop = clock.after(ms, () => resolve(undefined));
    work.then(resolve, reject).finally(stop);
  });
}
