/** A vault with secrets of ours, for its tests. */
import { expect } from "bun:test";
import { createVault } from "../../src/secrets/vault.ts";

export const key = new Uint8Array(32).fill(7);
export const CANARY = 'cnry+Zq/81 wX?&é"\\kk';
export const PLAIN = "tok-4f9aQ81LmZx7";
export const here = { session: "s_1", server: "files" };

export const vaultWith = (...values: string[]) => {
  const vault = createVault({ key });
  expect(vault.configure(values.map((value, index) => ({ name: `secret ${index}`, value })))).toEqual([]);
  return vault;
};
