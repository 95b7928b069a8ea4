/** The SDK Client's part: finding the era and introducing ourselves. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  Client,
  PROTOCOL_VERSION_META_KEY,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Introduction } from "./downstream.ts";
import type { ConnectOptions } from "./options.ts";

/** A server that has not said its era by then is taken for a legacy one (stdio only; on HTTP silence is an error). */
const MAX_PROBE_MS = 10_000;

export interface Handshake {
  readonly client: Client;
  readonly introduction: Introduction;
  /** `_meta` keys that every request to a modern server carries. */
  readonly envelope: Readonly<Record<string, unknown>>;
}

/** Makes a client, connects it, and says what it found. Rejects with the SDK's error. */
export async function shakeHands(
  transport: Transport,
  transportName: string,
  options: ConnectOptions,
  way: { readonly askEra: boolean; readonly timeoutMs: number; readonly onError: (error: Error) => void },
): Promise<Handshake> {
  const patient = options.eraHint?.era === "modern" || transport.hasPerRequestStream === true;
  const probeMs = patient ? way.timeoutMs : Math.min(MAX_PROBE_MS, way.timeoutMs / 2);
  const client = new Client(options.clientInfo, {
    // What older servers hear, for the whole of the connection: forms or nothing, and never sampling or roots.
    capabilities: options.elicitation ? { elicitation: {} } : {},
    versionNegotiation: { mode: "auto", probe: { timeoutMs: probeMs } },
    inputRequired: { autoFulfill: false },
  });
  client.onerror = way.onError;
  const started = performance.now();
  await client.connect(transport, { timeout: way.timeoutMs, ...(way.askEra ? {} : { prior: { kind: "legacy" } }) });
  const era = client.getProtocolEra() ?? "legacy";
  const protocolVersion = client.getNegotiatedProtocolVersion() ?? "";
  const server = client.getServerVersion();
  const instructions = client.getInstructions();
  const guessed = way.askEra && era === "legacy" && performance.now() - started >= probeMs;
  return {
    client,
    introduction: {
      era,
      ...(guessed ? { eraGuessed: true } : {}),
      protocolVersion,
      transport: transportName,
      serverInfo: {
        name: server?.name ?? "unknown",
        version: server?.version ?? "",
        ...(server?.title === undefined ? {} : { title: server.title }),
        ...(server?.description === undefined ? {} : { description: server.description }),
      },
      ...(instructions === undefined ? {} : { instructions }),
      capabilities: { ...client.getServerCapabilities() },
    },
    envelope:
      era === "legacy"
        ? {}
        : {
            [PROTOCOL_VERSION_META_KEY]: protocolVersion,
            [CLIENT_INFO_META_KEY]: options.clientInfo,
            [CLIENT_CAPABILITIES_META_KEY]: {},
          },
  };
}
