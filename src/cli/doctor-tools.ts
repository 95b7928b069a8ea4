/** The doctor's look at the tools of servers: what waits to be accepted, what was found in what agents read, what is switched off. */
import { eventDefinitions } from "../../events/all.ts";
import { openReader } from "../log/reader.ts";
import { attention, type Finding, note } from "./doctor-finding.ts";
import { knownServers } from "./known-tools.ts";
import { pendingOf } from "./pending.ts";

/** None when the log cannot be read, which is told elsewhere. */
export async function toolFindings(folder: string): Promise<Finding[]> {
  try {
    const reader = openReader(folder, eventDefinitions);
    try {
      const servers = await knownServers(reader);
      const waiting = Map.groupBy(pendingOf(reader, servers), ({ server }) => server);
      const off = servers.filter(({ disabled }) => disabled.length > 0);
      return [
        ...[...waiting].map(([server, pending]) =>
          attention(
            `tools of ${server}`,
            `withheld until somebody accepts them: ${pending.map(({ tool, change }) => `${tool} (${change})`).join(", ")}`,
            `read them with "toolcrib tools pending ${server}"`,
          ),
        ),
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
