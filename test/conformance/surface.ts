/** The prompts, resources and completions that the conformance suite expects beside the tools. */
import { inputRequired, type Prompt, ProtocolError, type Resource, type Server } from "@modelcontextprotocol/server";
import { accepted } from "./asking-tools.ts";
import { PNG } from "./plain-tools.ts";

const prompts: readonly Prompt[] = [
  { name: "test_simple_prompt", description: "No arguments" },
  {
    name: "test_prompt_with_arguments",
    description: "Two arguments",
    arguments: [
      { name: "arg1", required: true },
      { name: "arg2", required: true },
    ],
  },
  { name: "test_prompt_with_embedded_resource", description: "A resource", arguments: [{ name: "resourceUri", required: true }] },
  { name: "test_prompt_with_image", description: "An image" },
  { name: "test_input_required_result_prompt", description: "Asks before it answers" },
];

const resources: readonly Resource[] = [
  { uri: "test://static-text", name: "static-text", description: "Text", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", description: "An image", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "watched-resource", description: "Can be subscribed to", mimeType: "text/plain" },
];

function user(
  content: { readonly type: "text"; readonly text: string } | { readonly type: "image"; readonly data: string; readonly mimeType: string },
) {
  return { role: "user" as const, content };
}

/** Registers all of it on the server of one session, with more prompts if there are any by then. */
export function addSurface(server: Server, more: readonly Prompt[] = []): void {
  server.setRequestHandler("prompts/list", () => ({ prompts: [...prompts, ...more] }));
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) => {
    const given = params.arguments ?? {};
    switch (params.name) {
      case "test_simple_prompt":
        return { messages: [user({ type: "text", text: "This is a simple prompt for testing." })] };
      case "test_prompt_with_arguments":
        return { messages: [user({ type: "text", text: `Prompt with arguments: arg1='${given["arg1"]}', arg2='${given["arg2"]}'` })] };
      case "test_prompt_with_embedded_resource": {
        const resource = { uri: String(given["resourceUri"]), mimeType: "text/plain", text: "Embedded resource content for testing." };
        const embedded = { role: "user" as const, content: { type: "resource" as const, resource } };
        return { messages: [embedded, user({ type: "text", text: "Please process the embedded resource above." })] };
      }
      case "test_prompt_with_image":
        return {
          messages: [
            user({ type: "image", data: PNG, mimeType: "image/png" }),
            user({ type: "text", text: "Please analyze the image above." }),
          ],
        };
      case "test_input_required_result_prompt": {
        const context = accepted(mcpReq.inputResponses, "user_context", "context");
        if (typeof context === "string") return { messages: [user({ type: "text", text: `In the context ${context}` })] };
        return inputRequired({
          inputRequests: {
            user_context: inputRequired.elicit({
              message: "What context should the prompt use?",
              requestedSchema: { type: "object", properties: { context: { type: "string" } }, required: ["context"] },
            }),
          },
        });
      }
      default:
        throw new ProtocolError(-32602, `Unknown prompt ${params.name}`);
    }
  });
  server.setRequestHandler("resources/list", () => ({ resources: [...resources] }));
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "template", description: "By id", mimeType: "application/json" }],
  }));
  server.setRequestHandler("resources/read", ({ params: { uri } }) => ({ contents: [contents(uri)] }));
  server.setRequestHandler("resources/subscribe", () => ({}));
  server.setRequestHandler("resources/unsubscribe", () => ({}));
  server.setRequestHandler("completion/complete", () => ({ completion: { values: ["paris", "park", "party"], total: 3, hasMore: false } }));
}

function contents(uri: string) {
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
  if (id !== undefined) {
    return { uri, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) };
  }
  switch (uri) {
    case "test://static-text":
      return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." };
    case "test://static-binary":
      return { uri, mimeType: "image/png", blob: PNG };
    case "test://watched-resource":
      return { uri, mimeType: "text/plain", text: "Watched" };
    default:
      throw new ProtocolError(-32602, "Resource not found", { uri });
  }
}
