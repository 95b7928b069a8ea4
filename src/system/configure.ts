/** Brings a configuration into force: secrets into the vault, servers and policy into the registry, connections reconciled. */
import { dirname } from "node:path";
import { BUILTIN, REGISTRY } from "../../actors/address.ts";
import { OPEN_POLICY, serverOf } from "../../actors/catalogue.ts";
import type { ConfiguredServer } from "../../actors/registry-commands.ts";
import type { Elicitation } from "../../events/elicitation.ts";
import type { ServerPolicy } from "../../events/registry.ts";
import { familiesOff } from "../config/checks.ts";
import { policyOf } from "../config/judged.ts";
import type { Loaded } from "../config/load.ts";
import type { Outside } from "../config/outside.ts";
import { limitsOf, serverPolicies, surfaceOf } from "../config/policy.ts";
import { commonElicitation, offerOf } from "../config/questions.ts";
import { redactedConfig } from "../config/redacted.ts";
import { type Resolved, type ResolveOptions, registeredReferences, resolveEntry, resolveLlm, resolveOutside } from "../config/resolve.ts";
import type { PlacedEntry } from "../config/schema.ts";
import { addressMark, type Wanted } from "../effects/wanted.ts";
import type { Tiers } from "../llm/tiers.ts";
import { canonicalHash } from "../observe/digest.ts";
import { familyOf } from "../secrets/patterns.ts";
import type { Refused, Secret } from "../secrets/secret-set.ts";
import type { Vault } from "../secrets/vault.ts";
import { builtinTools } from "../tools/all.ts";
import type { Kernel } from "./kernel.ts";
import type { Language } from "./language.ts";
import { createApplyRules } from "./new-rules.ts";
import type { OutsideInForce } from "./outside.ts";
import { wantedOfAgents } from "./registrations.ts";

export interface ConfigurePorts {
  readonly kernel: Pick<Kernel, "runtime" | "connections" | "definitions" | "openCalls" | "views">;
  readonly language: Pick<Language, "configure" | "llm">;
  /** What hooks and webhooks come to. */
  readonly outside: Pick<OutsideInForce, "now" | "change">;
  readonly vault: Vault;
  readonly environment: ResolveOptions["env"];
  readonly self: NonNullable<ResolveOptions["self"]>;
  /** The secret store. */
  readonly secret: NonNullable<ResolveOptions["secret"]>;
  /** 12 hex digits. */
  readonly randomServerId: () => string;
}
export interface Configured {
  /** Servers that cannot be used, and why. */
  readonly refused: Readonly<Record<string, string>>;
  /** Secrets that are not looked for since they are too short or look like something else. */
  readonly unregistered: readonly Refused[];
  /** Tiers of models that cannot be asked, and why. */
  readonly off: Readonly<Record<string, string>>;
  /** Hooks and webhooks that cannot be used, by their path, and why. */
  readonly unusable: Readonly<Record<string, string>>;
}

const BUILTIN_ID = "builtin";

/** Registers everything first, so that no secret can pass unseen; connects last. */
export async function configure(loaded: Loaded, ports: ConfigurePorts): Promise<Configured> {
  const { kernel, vault, environment } = ports;
  const { config, fingerprint } = loaded;
  const folder = loaded.file === undefined ? "." : dirname(loaded.file);
  const options: ResolveOptions = {
    env: environment,
    secrets: config.secrets,
    family: familyOf,
    self: ports.self,
    secret: ports.secret,
    auth: { profiles: config.auth, folder },
  };
  const enabled = Object.entries(config.mcpServers).filter(([, { disabled }]) => !disabled);
  const resolved = enabled.map(([name, entry]) => ({ name, entry, resolution: resolveEntry(name, entry, options) }));
  const { tiers, off } = resolveLlm(config.llm, folder, options);
  const redaction = { family: familyOf };
  const policies = Object.fromEntries(
    Object.entries(serverPolicies(config, redaction)).map(([name, policy]) => {
      const entry = config.mcpServers[name];
      return [name, entry ? { ...policy, address: addressMark(addressOf(entry)) } : policy];
    }),
  );
  const elicitation = commonElicitation(config, redaction);
  const goals = resolved.map(({ name, entry, resolution }) => goalOf(name, entry, resolution, policies[name], elicitation));
  retainLeaving(goals.flat(), ports);
  const outside = resolveOutside(config, folder, options);
  retainKeys(tiers, ports);
  retainOutside(outside, ports);
  const secrets: Secret[] = resolved.flatMap(({ resolution }) => (resolution.ok ? resolution.registered : []));
  const further = registeredReferences(folder, options);
  const unregistered = vault.configure([...secrets, ...secretsOf(tiers), ...outside.registered, ...further.registered]);
  vault.leaveAlone(familiesOff(config.secrets));
  ports.outside.change(outside); // before the calls that it is about

  const servers: ConfiguredServer[] = [
    { name: BUILTIN, id: BUILTIN_ID, origin: "builtin", transport: "builtin" },
    ...resolved.map(({ name, entry, resolution }) => ({
      name,
      id: ports.randomServerId(),
      origin: "operator" as const,
      transport: entry.kind,
      ...(!resolution.ok && { refused: resolution.refused }),
    })),
  ];
  const { naming, surface: shown } = kernel.runtime.catalogue();
  const judged = {
    limits: limitsOf(config),
    naming: config.bridge.naming,
    surface: surfaceOf(config),
    policy: policyOf(config, redaction),
    elicitation,
    offer: offerOf(config),
    policies: { ...policies, [BUILTIN]: OPEN_POLICY },
  };
  await createApplyRules({ ...kernel, redact: vault.redactText })({
    type: "configure",
    digest: canonicalHash([fingerprint, judged]), // a newer release may read more out of the same file
    ...judged,
    servers,
    // A secret of one server may also stand where nothing names it.
    payload: vault.conceal(redactedConfig(config, redaction), { session: "" }).value,
  });
  const tools = builtinTools.map(({ definition, capability }) => kernel.definitions.declareBuiltin(definition, capability));
  await kernel.runtime.enter(REGISTRY, { type: "surface", server: BUILTIN, id: BUILTIN_ID, tools });
  const wanted = goals.flat().flatMap((goal) => {
    const id = serverOf(kernel.runtime.catalogue(), goal.name)?.id;
    return id === undefined ? [] : [{ ...goal, id }];
  });
  await kernel.connections.apply([...wanted, ...wantedOfAgents(kernel.runtime.catalogue())]);
  if (naming !== config.bridge.naming || shown.maxNameLength !== judged.surface.maxNameLength) kernel.connections.refresh(); // every tool gets its new name
  ports.language.configure(tiers);
  const refused = resolved.flatMap(({ name, resolution }) => (resolution.ok ? [] : [[name, resolution.refused] as const]));
  return { refused: Object.fromEntries(refused), unregistered, off, unusable: outside.off };
}

/** A connection that ends has calls in flight: what they answer may hold the secrets it was given. */
function retainLeaving(goals: readonly Goal[], { kernel, vault }: Pick<ConfigurePorts, "kernel" | "vault">): void {
  const identities = new Map(goals.map(({ name, identity }) => [name.toLowerCase(), identity]));
  for (const { wanted } of kernel.connections.all())
    if (identities.get(wanted.name.toLowerCase()) !== wanted.identity) vault.retain(wanted.secrets ?? []);
}

const secretsOf = (tiers: Tiers): Secret[] => Object.values(tiers).flatMap(({ secrets }) => secrets);

/** What a model is being asked now may still be answered, in words that hold the key it was asked with. */
function retainKeys(tiers: Tiers, { language, vault }: Pick<ConfigurePorts, "language" | "vault">): void {
  const kept = new Set(secretsOf(tiers).map(({ value }) => value));
  vault.retain(secretsOf(language.llm.tiers()).filter(({ value }) => !kept.has(value)));
}

/** A hook that runs now may still answer, in words that hold what it was started with. */
function retainOutside({ registered }: Outside, { outside, vault }: Pick<ConfigurePorts, "outside" | "vault">): void {
  const kept = new Set(registered.map(({ value }) => value));
  vault.retain(outside.now().registered.filter(({ value }) => !kept.has(value)));
}

/** As written: a reference that means something else now is the same. */
const addressOf = (entry: PlacedEntry): string => canonicalHash(entry.kind === "stdio" ? [entry.command, ...entry.args] : entry.url);

type Goal = Omit<Wanted, "id">;

/** None for an entry that cannot be used. The identity says what is connected to, as whom and saying what; it holds resolved secrets, so only a digest is kept. */
function goalOf(name: string, entry: PlacedEntry, resolution: Resolved, policy: ServerPolicy | undefined, common: Elicitation): Goal[] {
  if (!resolution.ok) return [];
  const { target, registered: secrets, auth } = resolution;
  const elicitation = (policy?.elicitation ?? common).mode !== "off";
  const tasks = policy?.tasks === true;
  const identity = canonicalHash([target, auth ?? null, elicitation, tasks]);
  return [{ name, target, identity, address: addressOf(entry), secrets, elicitation, tasks, ...(auth && { auth }) }];
}
