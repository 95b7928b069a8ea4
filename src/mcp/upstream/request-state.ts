/** The `requestState` that we give modern clients with a question or an approval: it names it, says nothing else, and opens only for the agent that got it. */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { z } from "zod";

/** `name`: as the client called the tool. */
const about = { call: z.string(), name: z.string() };
const RequestState = z.union([
  /** A server asks. The round counts from 0. */
  z.strictObject({ ...about, question: z.string(), round: z.int().min(0) }),
  /** A person is to decide. */
  z.strictObject({ ...about, approval: z.string() }),
]);
/** What a retry is about. What the server itself gave as its state stays with us. */
export type RequestState = z.output<typeof RequestState>;

export interface RequestStateCodec {
  /** As opaque text. `agent`: who may bring it back. */
  seal(state: RequestState, agent: string): string;
  /** Undefined for whatever this key did not seal for this agent, byte for byte. */
  open(text: string, agent: string): RequestState | undefined;
}

/** Longer than any of ours. */
const MAX_LENGTH = 8_192;
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `key`: 32 bytes that are used for nothing else. */
export function createRequestStateCodec(key: Uint8Array): RequestStateCodec {
  if (key.length !== KEY_BYTES) throw new Error(`a key has ${KEY_BYTES} bytes`);
  return {
    seal(state, agent) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(labelOf(agent));
      const sealed = [nonce, cipher.update(JSON.stringify(state), "utf8"), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString("base64url");
    },
    open(text, agent) {
      if (text.length > MAX_LENGTH) return undefined;
      const sealed = Buffer.from(text, "base64url");
      const end = sealed.length - TAG_BYTES;
      // The decoder is lenient: several texts stand for the same bytes.
      if (end < NONCE_BYTES || sealed.toString("base64url") !== text) return undefined;
      try {
        const nonce = sealed.subarray(0, NONCE_BYTES);
        const decipher = createDecipheriv(CIPHER, key, nonce).setAAD(labelOf(agent)).setAuthTag(sealed.subarray(end));
        const plain = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, end)), decipher.final()]);
        return RequestState.parse(JSON.parse(plain.toString("utf8")));
      } catch {
        return undefined;
      }
    },
  };
}

const labelOf = (agent: string): Uint8Array => Buffer.from(JSON.stringify(["requestState", agent]));
