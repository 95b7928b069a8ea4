/** The guide to calls whose outcome is not known, late or owed. */
import type { Guide } from "./guide.ts";

export const callsGuide: Guide = {
  name: "calls",
  summary: "What became of a call: status, doubt, and what may be repeated.",
  document: () =>
    [
      "# What became of a call",
      "Every call has an id (`c_…`). `call_status(id)` tells its state and its result; without an id it lists what is open or in doubt.",
      "## Certainty",
      "- **answered**: the tool gave its own result, also when that is an error of the tool.\n- **not_applied**: certainly nothing was done.\n- **in_doubt**: it was sent and no answer came, so it may have been carried out.",
      "## Repeating",
      "`retryable: true` means that repeating cannot do harm. A call in doubt is never repeated for you, and the same call of yours is refused until the doubt is settled: " +
        'look whether it was carried out, then say so with `resolve_call {"call": "c_…", "outcome": "applied" | "not_applied"}`. After that the same call can go out again.',
      "## Notices",
      "Text blocks in front of a result that begin with “Notice” are about earlier calls, not part of the result.",
    ].join("\n\n"),
};
