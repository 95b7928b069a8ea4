/** The tools of the conformance suite that need nothing but their arguments: they take the hand-written path. */
import type { ToolDefinition } from "../../src/mcp/downstream/definitions.ts";
import type { ToolResult } from "../../src/mcp/upstream/backend.ts";

export interface PlainTool {
  readonly definition: ToolDefinition;
  readonly result: ToolResult;
}

/** One red pixel. */
export const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A WAV file without samples. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

/** Text content, as most results are. */
export function text(value: string): ToolResult {
  return { content: [{ type: "text", text: value }] };
}

/** A definition without parameters unless `properties` says otherwise. */
export function define(name: string, properties: Readonly<Record<string, unknown>> = {}): ToolDefinition {
  return { name, description: `Conformance tool ${name}`, inputSchema: { type: "object", properties } };
}

const image = { type: "image", data: PNG, mimeType: "image/png" };

const richSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  $defs: {
    address: { $anchor: "addressDef", type: "object", properties: { street: { type: "string" }, city: { type: "string" } } },
  },
  properties: {
    name: { type: "string" },
    address: { $ref: "#/$defs/address" },
    contactMethod: { type: "string", enum: ["phone", "email"] },
    phone: { type: "string" },
    email: { type: "string" },
  },
  allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
  if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema that the suite looks for
  then: { required: ["phone"] },
  else: { required: ["email"] },
  additionalProperties: false,
};

export const plainTools: readonly PlainTool[] = [
  { definition: define("test_simple_text"), result: text("This is a simple text response for testing.") },
  { definition: define("test_image_content"), result: { content: [image] } },
  { definition: define("test_audio_content"), result: { content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] } },
  {
    definition: define("test_embedded_resource"),
    result: {
      content: [
        {
          type: "resource",
          resource: { uri: "test://embedded-resource", mimeType: "text/plain", text: "This is an embedded resource content." },
        },
      ],
    },
  },
  {
    definition: define("test_multiple_content_types"),
    result: {
      content: [
        { type: "text", text: "Multiple content types test:" },
        image,
        {
          type: "resource",
          resource: { uri: "test://mixed-content-resource", mimeType: "application/json", text: '{"test":"data","value":123}' },
        },
      ],
    },
  },
  {
    definition: define("test_error_handling"),
    result: { ...text("This tool intentionally returns an error for testing"), isError: true },
  },
  {
    definition: { name: "json_schema_2020_12_tool", description: "Tool with JSON Schema 2020-12 features", inputSchema: richSchema },
    result: text("ok"),
  },
  {
    definition: define("test_header_mirroring", {
      region: { type: "string", description: "Repeated in a header", "x-mcp-header": "Region" },
      priority: { type: "integer", "x-mcp-header": "Priority" },
    }),
    result: text("ok"),
  },
];
