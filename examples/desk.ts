/**
 * A server to look around with, of protocol 2026-07-28: the front desk of an office. It asks (`book_room`), goes on in the background (`print_badges`),
 * is slow to confirm (`order_lunch`), and writes down whatever it really did in `.toolcrib/desk-book.txt` beside this file.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { acceptedContent, inputRequired, McpServer, ProtocolError, type ServerContext } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

const FOLDER = join(import.meta.dir, ".toolcrib");
const BOOK = join(FOLDER, "desk-book.txt");
const TASKS = "io.modelcontextprotocol/tasks";
const LUNCH_MS = 30_000;
const BADGES_MS = 5_000;
const INVALID_PARAMS = -32602;

type Arguments = Readonly<Record<string, string>>;
type Context = ServerContext["mcpReq"];
const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

function writeDown(what: string): string {
  mkdirSync(FOLDER, { recursive: true });
  appendFileSync(BOOK, `${what}\n`);
  return what;
}

const room = inputRequired.elicit({
  message: "Which room?",
  requestedSchema: { type: "object", properties: { room: { type: "string", enum: ["garden", "library"] } }, required: ["room"] },
});

/** The badges that are printed, by the id of the task. They are forgotten when this process ends. */
const printing = new Map<string, { readonly guest: string; readonly createdAt: number; isCancelled: boolean }>();

function startPrinting(guest: string) {
  const taskId = crypto.randomUUID();
  printing.set(taskId, { guest, createdAt: Date.now(), isCancelled: false });
  return { resultType: "task", ...standOf(taskId) };
}

function standOf(taskId: string) {
  const task = printing.get(taskId);
  if (!task) throw new ProtocolError(INVALID_PARAMS, "There is no such task.");
  const createdAt = new Date(task.createdAt).toISOString();
  const head = { taskId, createdAt, lastUpdatedAt: createdAt, ttlMs: null, pollIntervalMs: 500 };
  if (task.isCancelled) return { ...head, status: "cancelled" };
  if (Date.now() < task.createdAt + BADGES_MS) return { ...head, status: "working" };
  return { ...head, status: "completed", result: { resultType: "complete", ...text(`a badge for ${task.guest} is printed`) } };
}

function announcesTasks({ envelope = {} }: { envelope?: Readonly<Record<string, unknown>> }): boolean {
  const capabilities = envelope["io.modelcontextprotocol/clientCapabilities"] as { extensions?: Record<string, unknown> } | undefined;
  return capabilities?.extensions?.[TASKS] !== undefined;
}

const TOOLS: Readonly<
  Record<string, { readonly description: string; readonly needs: readonly string[]; call(args: Arguments, context: Context): unknown }>
> = {
  read_book: {
    description: "Reads what the desk has done, one line each.",
    needs: [],
    call: () => text(existsSync(BOOK) ? readFileSync(BOOK, "utf8").trimEnd() : "nothing yet"),
  },
  book_room: {
    description: "Books a room for a day. Asks which room.",
    needs: ["day"],
    call: ({ day }, { inputResponses }) => {
      if (inputResponses?.["which"] === undefined) return inputRequired({ inputRequests: { which: room } });
      const answer = acceptedContent<{ room: string }>(inputResponses, "which");
      return text(answer ? writeDown(`the ${answer.room} is booked for ${day}`) : "no room was booked");
    },
  },
  cancel_booking: {
    description: "Gives up what is booked for a day.",
    needs: ["day"],
    call: ({ day }) => text(writeDown(`the booking for ${day} is cancelled`)),
  },
  print_badges: {
    description: "Prints a badge for a guest, in the background.",
    needs: ["guest"],
    call: ({ guest = "" }, context) => (announcesTasks(context) ? startPrinting(guest) : text(`a badge for ${guest} is printed`)),
  },
  order_lunch: {
    description: "Orders lunch. The order goes out at once, the kitchen confirms it after half a minute.",
    needs: ["day"],
    call: async ({ day }) => {
      const ordered = writeDown(`lunch is ordered for ${day}`);
      await Bun.sleep(LUNCH_MS);
      return text(`${ordered}, and confirmed`);
    },
  },
};

function createDesk(): McpServer {
  const mcp = new McpServer({ name: "desk", version: "1.0.0" }, { capabilities: { tools: {}, extensions: { [TASKS]: {} } } });
  mcp.server.setRequestHandler("tools/list", () => ({
    tools: Object.entries(TOOLS).map(([name, { description, needs }]) => ({
      name,
      description,
      inputSchema: {
        type: "object" as const,
        properties: Object.fromEntries(needs.map((key) => [key, { type: "string" }])),
        required: [...needs],
      },
    })),
  }));
  mcp.server.setRequestHandler("tools/call", async ({ params: { name, arguments: args = {} } }, { mcpReq }) => {
    const tool = TOOLS[name];
    if (!tool) throw new ProtocolError(INVALID_PARAMS, "There is no such tool.");
    return (await tool.call(args as Arguments, mcpReq)) as ReturnType<typeof text>;
  });
  const about = { params: z.looseObject({ taskId: z.string() }) };
  mcp.server.setRequestHandler("tasks/get", about, ({ taskId }) => standOf(taskId));
  mcp.server.setRequestHandler("tasks/cancel", about, ({ taskId }) => {
    const task = printing.get(taskId);
    if (task) task.isCancelled = true;
    return {};
  });
  return mcp;
}

serveStdio(createDesk, { legacy: "reject" });
