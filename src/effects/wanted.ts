/** Which servers are to be connected, and with what. */
import { placeAt } from "../../actors/catalogue.ts";
import type { Profile } from "../auth/profile.ts";
import type { Downstream, DownstreamEvents, InBandQuestion, InputResponse, Target } from "../mcp/downstream/downstream.ts";
import type { Secret } from "../secrets/secret-set.ts";
import type { ConnectionSettings } from "./pace.ts";
import type { Offering, SurfacePorts } from "./surface.ts";

/** One server that is to be connected. A changed `identity` makes a new connection. */
export interface Wanted extends Offering {
  readonly identity: string;
  readonly target: Target;
  /** By which it gets its tokens. */
  readonly auth?: Profile;
  /** What the target holds of secrets. */
  readonly secrets?: readonly Secret[];
  /** It may ask in the middle of a call. */
  readonly elicitation: boolean;
  /** Its calls may go on in the background. */
  readonly tasks: boolean;
}
/** Of the hash of an address so much is written down as tells it from others. Like the pins it is no secret, so an address as written should hold none: a reference does not. */
export const addressMark = (address: string): string => address.slice(0, 12);
export const isConnectedTo = ({ id, address }: Pick<Wanted, "id" | "address">, place: string): boolean =>
  place === id || place === placeAt(id, addressMark(address));

export interface ConnectionPorts extends SurfacePorts {
  /** Where the server of this name is by the configuration in force; undefined: nowhere. */
  readonly placeOf: (server: string) => string | undefined;
  /** 0 … 1, for the jitter of the pauses. */
  readonly random: () => number;
  /** With the signal it gives up, and leaves no process behind. */
  readonly connect: (wanted: Wanted, events: DownstreamEvents, signal: AbortSignal) => Promise<Downstream>;
  /** Takes secrets out of error texts and of what a server calls itself. */
  readonly redact: (text: string) => string;
  /** In force now. */
  readonly settings: () => ConnectionSettings;
  /** The resources that somebody subscribed to. */
  readonly subscribed: (server: string) => readonly string[];
  /** A server asks on its open connection. Never rejects. */
  readonly onQuestion: (server: string, question: InBandQuestion) => Promise<InputResponse>;
  /** One of them changed, or may have. */
  readonly onResourceUpdated: (server: string, uri: string) => void;
}
