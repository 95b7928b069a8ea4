/** What the doctor found at one place. */

export interface Finding {
  /** `config`, `data folder`, `server github` … */
  readonly name: string;
  /** `note`: nothing is wrong, but it may surprise. */
  readonly state: "ok" | "note" | "attention";
  readonly detail: string;
  /** What to do about it. */
  readonly next?: string;
}

export const fine = (name: string, detail: string): Finding => ({ name, state: "ok", detail });
export const note = (name: string, detail: string, next?: string): Finding => ({
  name,
  state: "note",
  detail,
  ...(next !== undefined && { next }),
});
export const attention = (name: string, detail: string, next: string): Finding => ({ name, state: "attention", detail, next });
