/** A prompt called like a tool: its arguments become texts, its messages a JSON document. */
import type { CallReply, CallRequest, DownstreamRequest } from "./downstream.ts";
import { isObject } from "./json.ts";

/** What is asked of the server. */
export const promptRequest = ({ tool, arguments: args, ...leg }: CallRequest): DownstreamRequest => ({
  ...leg,
  method: "prompts/get",
  params: {
    name: tool,
    arguments: Object.fromEntries(
      Object.entries(args).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)]),
    ),
  },
});

export const asToolOutcome = (outcome: CallReply): CallReply =>
  outcome.kind === "result" ? { ...outcome, result: asToolResult(outcome.result) } : outcome;

/** Text content as it is, any other as JSON with its type; `_meta` and the messages as the server gave them stay beside it. */
export function asToolResult({ messages: all, description }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const given: readonly unknown[] = Array.isArray(all) ? all : [];
  const messages = given.filter(isObject).map(({ role, content }) => {
    const isText = isObject(content) && content["type"] === "text";
    return {
      role,
      content: isText ? content["text"] : JSON.stringify(content),
      contentType: isObject(content) ? content["type"] : "unknown",
    };
  });
  const structuredContent = { messages, ...(typeof description === "string" && { description }) };
  return { content: [{ type: "text", text: JSON.stringify(messages) }], structuredContent };
}
