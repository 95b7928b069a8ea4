/** The form of every tool guide: a document made from what is configured. */
import { BUILTIN } from "../../../actors/address.ts";
import type { Catalogue } from "../../../actors/catalogue.ts";
import { authorise, modeOf } from "../../../actors/policy/allow.ts";
import type { Scope } from "../../../events/policy.ts";
import type { Surface, WrapperMode } from "../../../events/registry.ts";

/** What a guide may speak of. */
export interface GuideSubject {
  readonly mode: WrapperMode;
  readonly surface: Surface;
  /** Names, sorted. */
  readonly servers: readonly string[];
  /** The built-in tools that this session may call. */
  readonly offered: ReadonlySet<string>;
}
export interface Guide {
  /** Found without regard to case. */
  readonly name: string;
  /** One line. */
  readonly summary: string;
  /** Markdown. */
  readonly document: (subject: GuideSubject) => string;
}

export function subjectOf(catalogue: Catalogue, scope: Scope): GuideSubject {
  const builtin = catalogue.servers.get(BUILTIN)?.offers.values() ?? [];
  return {
    mode: modeOf(catalogue, scope.profile),
    surface: catalogue.surface,
    servers: [...catalogue.servers.values()]
      .filter(({ name, refused }) => name !== BUILTIN && refused === undefined)
      .map(({ name }) => name)
      .sort(),
    offered: new Set([...builtin].map(({ name }) => name).filter((name) => authorise(catalogue, name, scope).allowed)),
  };
}
