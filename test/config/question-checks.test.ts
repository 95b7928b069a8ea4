/** `elicitation` and `tasks`: what is refused, and what is accepted with a warning. */
import { expect, test } from "bun:test";
import { formatProblem } from "../../src/config/problems.ts";
import { errorsOf, loaded } from "./fixture.ts";

const server = (more: object) => ({ mcpServers: { s: { command: "prog", ...more } } });
const warningsOf = (file: object): string[] => loaded(file).warnings.map((problem) => formatProblem(problem).replace(/^\S+: /, ""));

const refused: [file: object, error: string][] = [
  [{ elicitation: { mod: "auto" } }, 'elicitation.mod: is not a known key (did you mean "mode"?)'],
  [{ elicitation: { Mode: "auto" } }, 'elicitation.Mode: is not a known key (did you mean "mode"?)'],
  [{ elicitation: [] }, "elicitation: expected an object, found a list"],
  [{ elicitation: { maxPerCall: -1 } }, "elicitation.maxPerCall: must be at least 0"],
  [{ elicitation: { deniedFields: "a" } }, "elicitation.deniedFields: expected a list, found a text"],
  [{ elicitation: { responder: 5 } }, "elicitation.responder: expected a text, found a number"],
  [{ elicitation: { defaults: { a: 1, A: 2 } } }, "elicitation.defaults.A: the same field as a (case does not count)"],
  [server({ elicitation: { maxPerCall: 1.5 } }), "mcpServers.s.elicitation.maxPerCall: expected a whole number, found a number"],
  [server({ elicitation: { mode: "auto", Mode: "off" } }), 'mcpServers.s.elicitation.Mode: is not a known key (did you mean "mode"?)'],
  [server({ tasks: {} }), "mcpServers.s.tasks: expected true or false, found an object"],
  [server({ taskTimeoutMinutes: "5" }), "mcpServers.s.taskTimeoutMinutes: expected a number, found a text"],
  [{ tasks: true }, "tasks: expected an object, found true or false"],
  [{ tasks: { offer: "alway" } }, 'tasks.offer: expected one of auto, never, always (did you mean "always"?)'],
  [{ tasks: { heartbeatMs: 1 } }, "tasks.heartbeatMs: must be at least 100"],
  [{ tasks: { perTool: { s__act: "sometimes" } } }, "tasks.perTool.s__act: expected one of auto, never, always"],
  [{ bridge: { defaultTaskTimeoutMinutes: 0 } }, "bridge.defaultTaskTimeoutMinutes: must be at least 1"],
  [{ bridge: { taskPollFailureLimit: 0 } }, "bridge.taskPollFailureLimit: must be at least 1"],
];
test.each(refused)("%j is refused", (file, error) => {
  expect(errorsOf(file)).toContain(error);
});

const warned: [file: object, warning: string][] = [
  [{ elicitation: { mode: "ask" } }, "elicitation.mode: is no mode, and is read as decline (known: auto, decline, off, handback)"],
  [{ elicitation: { mode: "declin" } }, 'elicitation.mode: is no mode, and is read as decline (did you mean "decline"?)'],
  [{ elicitation: { mode: false } }, "elicitation.mode: is no mode, and is read as decline (known: auto, decline, off, handback)"],
  [{ elicitation: { mode: "HANDBACK" } }, "elicitation.mode: is read as auto: only a server's own block hands questions back to the agent"],
  [
    { elicitation: { responder: "conversation" } },
    "elicitation.responder: is not used: only a server's own block may name it. Only defaults are answered",
  ],
  [
    { elicitation: { responder: "clint" } },
    'elicitation.responder: nobody has this name: only defaults are answered (did you mean "client"?)',
  ],
  [{ elicitation: { handbackTtlMinutes: 0 } }, "elicitation.handbackTtlMinutes: is read as 30: an answer takes longer than 0 minutes"],
  [
    { elicitation: { defaults: { apiToken: "abcdefghij" } } },
    "elicitation.defaults.apiToken: looks like a secret: it is not written down, and no question is answered with it (if it is none, name it in secrets.ignore)",
  ],
  [
    server({ elicitation: { mode: "ask" } }),
    "mcpServers.s.elicitation.mode: is no mode, and is read as decline (known: auto, decline, off, handback)",
  ],
  [server({ tasks: true, taskTimeoutMinutes: 0 }), "mcpServers.s.taskTimeoutMinutes: is ignored: a task takes longer than 0 minutes"],
  [
    server({ taskTimeoutMinutes: 5 }),
    "mcpServers.s.taskTimeoutMinutes: has no effect: this server's calls go on in the background only with `tasks`: true",
  ],
  [{ bridge: { taskPollMinMs: 50_000 } }, "bridge.taskPollMaxMs: is raised to bridge.taskPollMinMs, 50000"],
  [
    { ...server({}), tasks: { perTool: { S__act: "never", t__act: "never", call_statu: "never" } } },
    'tasks.perTool.call_statu: names no built-in tool, alias or group (did you mean "call_status"?)',
  ],
  [{ tasks: { perTool: { "group:mcp": "never" } } }, 'tasks.perTool["group:mcp"]: is the name of a group: here stand names of tools'],
];
test.each(warned)("%j is accepted with a warning", (file, warning) => {
  expect(warningsOf(file)).toContain(warning);
});

test("what is meant so has no warning", () => {
  const elicitation = { mode: "HandBack", responder: "Conversation", responderTimeoutMs: 0, defaults: { maxTokens: 512, useKey: true } };
  const s = { command: "x", elicitation, tasks: true, taskTimeoutMinutes: 5 };
  expect(warningsOf({ mcpServers: { s }, elicitation: { responder: "none" }, tasks: { perTool: { s__act: "always" } } })).toEqual([]);
});
