/** What metrics show of questions and reads and no event tells. */
import { createCounter } from "../doors/metrics-text.ts";
import type { Rejection } from "../questions/answer-question.ts";
import type { ReadAsked } from "../questions/read-asked.ts";

export interface Counts {
  /** An answer was turned down before anything was sent. */
  unanswered(reason: Rejection): void;
  /** The same reads, counted. */
  ofReads(read: ReadAsked["read"]): ReadAsked["read"];
  text(): string;
}

export function createCounts(): Counts {
  const turnedDown = createCounter("toolcrib_question_rejections_total", "Answers that were turned down before anything was sent, by why.");
  const reads = createCounter("toolcrib_resource_reads_total", "Resources that servers were asked for, by what came of it.");
  return {
    unanswered: (reason) => turnedDown.add({ reason }),
    ofReads: (read) => async (server, request) => {
      const answer = await read(server, request);
      if (request.method === "resources/read") reads.add({ server, outcome: answer.outcome.kind });
      return answer;
    },
    text: () => turnedDown.text() + reads.text(),
  };
}
