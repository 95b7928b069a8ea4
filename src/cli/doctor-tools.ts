/** The doctor's look at the tools of servers: what waits to be accepted, what is switched off, which names in the policy are no tool's. */
import { eventDefinitions } from "../../events/all.ts";
import { policyOf } from "../config/judged.ts";
import type { LoadResult } from "../config/load.ts";
import { unknownTools } from "../config/unknown-tools.ts";
import { openReader } from "../log/reader.ts";
import { attention, type Finding, note } from "./doctor-finding.ts";
import { knownServers } from "./known-tools.ts";
import { pendingOf } from "./pending.ts";

/** None when the log cannot be read, which is told elsewhere. */
export async function toolFindings(folder: string, loaded: LoadResult): Promise<Finding[]> {
  try {
    const reader = openReader(folder, eventDefinitions);
    try {
      const servers = await knownServers(reader);
      const waiting = Map.groupBy(pendingOf(reader, servers), ({ server }) => server);
      const unknown = loaded.ok
        ? unknownTools(
            policyOf(loaded.config),
            servers.map(({ name, offers }) => ({ name, offers: Object.values(offers) })),
          )
        : [];
      const off = servers.filter(({ disabled }) => disabled.length > 0);
      return [
        ...[...waiting].map(([server, pending]) =>
          attention(
            `tools of ${server}`,
            `withheld until somebody accepts them: ${pending.map(({ tool, change }) => `${tool} (${change})`).join(", ")}`,
            `read them with "toolcrib tools pending ${server}"`,
          ),
        ),
        ...unknown.map((sentence) => attention("policy", sentence, "correct the name: until then the entry is about nothing")),
        ...off.map(({ name, disabled }) =>
          note(`tools of ${name}`, `switched off: ${disabled.join(", ")}`, `toolcrib tools enable ${name} TOOL`),
        ),
      ];
    } finally {
      reader.close();
    }
  } catch {
    return [];
  }
}
