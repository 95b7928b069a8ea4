/** Every guide there is, by name. */
import { callsGuide } from "./calls.ts";
import type { Guide } from "./guide.ts";
import { mcpGuide } from "./mcp.ts";

export const guides: readonly Guide[] = [callsGuide, mcpGuide];
