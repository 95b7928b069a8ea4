/** Why a question was answered as it was, in words. */

const WORDS: Readonly<Record<string, string>> = {
  mode: "the operator lets no question of this server be answered",
  "not-a-form": "it is not a form that can be filled in here",
  maxPerCall: "the server asks more often in one call than the operator allows",
  "rounds-per-call": "the server asks more often in one call than is allowed (rounds-per-call), and was not listened to from then on",
  "question-message-characters": "its text is longer than is allowed (question-message-characters)",
  "question-schema-bytes": "its form is larger than is allowed (question-schema-bytes)",
  "question-fields": "its form has more fields than are allowed (question-fields)",
  unreadable: "its form has fields that cannot be filled in reliably",
  sensitive: "it asks for what looks like a credential, or for what the operator keeps back",
  defaults: "the configured defaults answer it",
  handback: "it was handed back to whoever made the call",
  responder: "somebody was there to answer it",
  decision: "only a person may decide that, and none could be asked",
  "no-responder": "there is nobody here to answer it",
  "choices-only": "nobody here answers anything but a choice among options",
  invalid: "the answer did not fit the form",
  empty: "not one of its fields could be answered",
  declined: "whoever was asked did not want to answer",
  timeout: "nobody answered in time",
  expired: "nobody answered in time",
  failed: "whoever was to answer it could not",
  withdrawn: "the server took it back",
  "bridge.maxPendingQuestions": "too many questions wait for an answer already (bridge.maxPendingQuestions)",
  "bridge.maxPendingQuestionsPerSession":
    "too many questions of this session wait for an answer already (bridge.maxPendingQuestionsPerSession)",
  cancelled: "the call was cancelled",
  lapsed: "what it takes to go on was gone",
};

/** A clause that goes on after "because". A rule that is not known here, like the name of a limit, stands for itself. */
export const describeRule = (rule: string): string => (Object.hasOwn(WORDS, rule) && WORDS[rule]) || `of the rule ${JSON.stringify(rule)}`;
