/** Every built-in tool there is. */
import { mcpAnswer } from "./answer.ts";
import { callStatus } from "./call-status.ts";
import { cancelTask } from "./cancel-task.ts";
import type { BuiltinTool } from "./define.ts";
import { findTools } from "./find-tools.ts";
import { getGuide } from "./get-guide.ts";
import { getPrompt } from "./get-prompt.ts";
import { invokeTool } from "./invoke-tool.ts";
import { listGuides } from "./list-guides.ts";
import { listResources } from "./list-resources.ts";
import { listServices } from "./list-services.ts";
import { readResource } from "./read-resource.ts";
import { registerServer } from "./register-server.ts";
import { resolveCall } from "./resolve-call.ts";
import { searchServices } from "./search-services.ts";
import { serviceDetails } from "./service-details.ts";
import { unregisterServer } from "./unregister-server.ts";

export const builtinTools: readonly BuiltinTool[] = [
  findTools,
  listServices,
  serviceDetails,
  invokeTool,
  getPrompt,
  listResources,
  readResource,
  registerServer,
  unregisterServer,
  searchServices,
  listGuides,
  getGuide,
  callStatus,
  resolveCall,
  mcpAnswer,
  cancelTask,
];
export const builtinTool: ReadonlyMap<string, BuiltinTool> = new Map(builtinTools.map((tool) => [tool.name, tool]));
