/** What orders to the model look like in the text of a tool: our own table, chosen so that ordinary descriptions match nothing. */
import { fold } from "./fold.ts";
import { type Step, stepsOf } from "./words.ts";

export interface Phrase {
  readonly severity: "medium" | "high";
  readonly steps: readonly Step[];
}

const PREVIOUS = "previous|prior|earlier|preceding|foregoing|above";
const NEVER = "do_not|dont|never|must_not|should_not|shall_not|cannot";
const USER = "user|users|human|humans|operator|owner";
const SECRET_FILE =
  ".ssh|ssh_id|ssh_keys|id_rsa|id_ed25519|id_ecdsa|id_dsa|etc_passwd|etc_shadow|.aws|aws_credentials|.netrc|.npmrc|.pypirc|.cursor|cursor_mcp|.gnupg|.git_credentials|.bash_history|.zsh_history|claude_desktop_config";
const READ = "read|cat|open|load|access|retrieve|fetch|copy|get|include";
const PASS = "pass|send|include|put|provide|paste|append|attach|forward|upload|post";

/** Not everything that pushes a model is an attack: "you must call this first" is how many servers explain themselves. */
const HIGH = [
  // earlier instructions are to be forgotten
  `ignore|disregard|forget ..4 ${PREVIOUS} ..3 instruction|instructions|prompt|prompts|rules|guidelines|directives|orders`,
  `ignore|disregard|forget ..2 your|all_safety|all_security ..3 instructions|rules|guidelines|training|policies|safeguards|restrictions|prompt`,
  "system_prompt_override|system_message_override|end_of_system_prompt|begin_system_prompt|new_system_prompt|ignore_your_system",
  "you_are_now ..3 jailbroken|unrestricted|uncensored|dan|unfiltered",
  "from_now_on ..1 you ..2 must|will|shall|are|always|never|should",
  // the user is not to know
  `${NEVER} ..2 tell|inform|warn ..2 ${USER}`,
  `${NEVER} ..1 mention|reveal|disclose|show|explain|report ..6 to_the_user|to_user|to_the_human|to_anyone|to_them`,
  `${NEVER} ..1 mention|reveal|disclose|say ..1 that_you|that_this|this_to|it_to`,
  `without ..1 telling|informing|alerting|warning ..2 ${USER}`,
  `without ..3 ${USER} ..1 knowledge|knowing|noticing|awareness|being_aware`,
  `keep|keeping ..3 secret|hidden|confidential ..2 from ..1 ${USER}`,
  `hide|conceal|withhold this|it|these|them ..3 from ..1 ${USER}`,
  `user|human|operator ..1 must_not|should_not|shall_not|may_not|cannot|never ..1 know|notice|learn|find_out|be_told|be_informed|be_aware`,
  "secretly|covertly|surreptitiously|stealthily ..4 send|read|copy|forward|upload|include|store|add|call|use|pass|post|transmit",
  // files with credentials
  `before|first|must|always|also|then|please|otherwise ..14 ${READ} ..6 ${SECRET_FILE}`,
  `${READ} ..6 ${SECRET_FILE} ..14 ${PASS}`,
  `${PASS} ..6 content|contents|text ..4 ${SECRET_FILE}`,
  // what only the model has
  "include|reveal|print|output|repeat|leak|pass|send|append|put|write|dump|paste ..5 your|the_full|the_entire ..1 system_prompt|system_instructions|initial_prompt|initial_instructions|hidden_prompt|context_window",
  // other languages
  "忽略|无视|無視|忘记|忘掉 ..4 之前|以前|上述|先前|前面|以上 ..4 指令|指示|提示|说明|规则",
  "不要|别|请勿|切勿|不得|不能|不可 ..2 告诉|告知|透露|提及 ..4 用户|使用者",
  "ignora|ignore|ignorez|oubliez|ignorad|olvida|ignoriere|ignorieren_sie|vergiss|missachte ..4 instrucciones|instructions|anweisungen|instruktionen|istruzioni|instruções ..2 anteriores|previas|précédentes|precedenti|prévias",
  "ignoriere|ignorieren_sie|vergiss|missachte ..3 vorherigen|bisherigen|früheren|obigen|vorigen ..2 anweisungen|instruktionen|regeln",
  "no ..1 digas|informes|menciones|reveles ..4 usuario",
  "ne ..1 dites|dis|informez|révélez|mentionnez ..4 utilisateur|lutilisateur",
  "sage|sag|verrate|erzähle|sagen_sie ..3 nutzer|benutzer|anwender ..2 nichts|nicht",
  "игнорируй|игнорируйте|забудь|забудьте ..3 предыдущие|прежние|прошлые ..2 инструкции|указания",
];
const MEDIUM = [
  `${READ}|reading|contents|content ..4 ${SECRET_FILE}`,
  `${NEVER} ..1 ask|asking ..2 ${USER} ..4 confirmation|permission|approval|consent`,
  `${NEVER} ..1 use|using|call|calling ..2 any_other|other|another ..2 tool|tools|server|servers`,
  "before ..1 using|calling|invoking|running ..1 any|any_other|every|other|another ..1 tool|tools",
  "must|always ..3 call|invoke|run ..4 before_every|before_each|before_any|after_every|after_each|for_every|for_each|for_any ..2 tool|request|message|response|question|conversation|answer|turn|prompt|reply",
  "override|bypass|disable|circumvent ..1 your ..3 instructions|rules|guidelines|safeguards|training|prompt|safety",
  `${PASS} ..3 entire|full|whole|complete ..2 conversation|chat_history|message_history`,
  "from_now_on ..1 always|never|every|all",
];

/** What stands for a change of speaker in the prompts of models. */
export const MARKERS: readonly { readonly severity: Phrase["severity"]; readonly text: string }[] = [
  ...["<important>", "<|im_start|>", "<|im_end|>", "<|system|>", "<|endoftext|>", "[inst]", "[/inst]", "<<sys>>", "<system-reminder>"].map(
    (text) => ({ severity: "high", text }) as const,
  ),
  ...["<system>", "</system>", "<instructions>", "<instruction>", "<secret>", "<hidden>", "[system]", "<assistant>"].map(
    (text) => ({ severity: "medium", text }) as const,
  ),
];

const phrase =
  (severity: Phrase["severity"]) =>
  (text: string): Phrase => ({ severity, steps: stepsOf(fold(text).text) });

/** By the word that each may start with; the grave ones first. */
export const PHRASES: ReadonlyMap<string, readonly Phrase[]> = byFirstWord([...HIGH.map(phrase("high")), ...MEDIUM.map(phrase("medium"))]);

function byFirstWord(phrases: readonly Phrase[]): ReadonlyMap<string, readonly Phrase[]> {
  const index = new Map<string, Phrase[]>();
  for (const one of phrases) for (const word of one.steps[0]?.choices.keys() ?? []) index.set(word, [...(index.get(word) ?? []), one]);
  return index;
}
