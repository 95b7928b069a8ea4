/** The secrets of `${secret:NAME}`: read from the sealed store, their changes recorded by name, a value that was replaced still concealed. */
import { SYSTEM } from "../../actors/address.ts";
import type { SystemState } from "../../actors/system.ts";
import type { Runtime } from "../runtime/turn.ts";
import { SECRET_KIND, type SealedStore } from "../secrets/sealed.ts";
import type { Vault } from "../secrets/vault.ts";

export interface SecretsPorts {
  readonly sealed: Pick<SealedStore, "get" | "names">;
  readonly vault: Pick<Vault, "names" | "register">;
  readonly runtime: Pick<Runtime, "enter" | "stateOf">;
}
export interface Secrets {
  /** The value, or undefined. */
  of(name: string): string | undefined;
  /** Records how the store differs from what the log knows of it. Resolves with whether it does. */
  record(by: string): Promise<boolean>;
}

export function createSecrets({ sealed, vault, runtime }: SecretsPorts): Secrets {
  const latest = new Map<string, string>();
  return {
    of(name) {
      const value = sealed.get(SECRET_KIND, name);
      const before = latest.get(name);
      // What runs at a server still may answer with the value it was started with.
      if (before !== undefined && before !== value && vault.names().includes(name)) vault.register([{ name, value: before }]);
      if (value === undefined) latest.delete(name);
      else latest.set(name, value);
      return value;
    },
    async record(by) {
      const stored = sealed.names(SECRET_KIND);
      const { secrets } = runtime.stateOf(SYSTEM) as SystemState;
      if (stored.length === secrets.size && stored.every(({ name, updatedAt }) => secrets.get(name) === updatedAt)) return false;
      await runtime.enter(SYSTEM, { type: "secrets", stored, by });
      return true;
    },
  };
}
