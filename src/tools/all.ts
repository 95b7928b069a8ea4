/** Every built-in tool there is. */
import { callStatus } from "./call-status.ts";
import type { BuiltinTool } from "./define.ts";
import { invokeTool } from "./invoke-tool.ts";
import { listServices } from "./list-services.ts";
import { resolveCall } from "./resolve-call.ts";
import { serviceDetails } from "./service-details.ts";

export const builtinTools: readonly BuiltinTool[] = [listServices, serviceDetails, invokeTool, callStatus, resolveCall];
export const builtinTool: ReadonlyMap<string, BuiltinTool> = new Map(builtinTools.map((tool) => [tool.name, tool]));
