/** An SDK transport over a child process of ours, with our own framing and a side door for hand-written calls. */
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse } from "@modelcontextprotocol/client";
import { NotSentError } from "./call-outcome.ts";
import { type Child, type ChildSpec, startChild } from "./child.ts";
import { createLineSplitter, type Frame } from "./framing.ts";

export interface StdioHooks {
  onStart(pid: number): void;
  /** Sees every message first; true keeps it from the SDK. */
  take(message: Readonly<Record<string, unknown>>): boolean;
  /** A message that was too long to keep. */
  onOversized(id: string | number | undefined, bytes: number): void;
  /** The process is gone. */
  onExit(reason: string): void;
  onJunk(bytes: number): void;
}

/** `stderr` and `pid` are what the SDK knows a stdio transport by. */
export interface StdioTransport extends Transport {
  readonly pid: number | undefined;
  readonly stderr: null;
  stderrLines(): readonly string[];
}

/** A child that does not read its input is not fed without end. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;

/** Makes a transport whose `start` starts the process. */
export function createStdioTransport(spec: ChildSpec, hooks: StdioHooks, maxLineBytes?: number): StdioTransport {
  let child: Child | undefined;
  let exited = false;

  const transport: StdioTransport = {
    get pid() {
      return child?.pid;
    },
    stderr: null,
    stderrLines: () => child?.stderr.lines() ?? [],
    async start() {
      const split = createLineSplitter(onFrame, maxLineBytes);
      child = await startChild(spec, { onStdout: split, onExit });
      hooks.onStart(child.pid);
    },
    async send(message: JSONRPCMessage) {
      if (child === undefined || exited) throw new NotSentError("the process has ended");
      if (child.pendingBytes() > MAX_PENDING_BYTES) throw new NotSentError("the server does not read its input");
      if (!child.write(`${JSON.stringify(message)}\n`)) throw new NotSentError("the process has closed its input");
    },
    async close() {
      await child?.close();
    },
  };

  function onExit(reason: string): void {
    exited = true;
    hooks.onExit(reason);
    transport.onclose?.();
  }

  function onFrame(frame: Frame): void {
    if (frame.kind === "oversized") hooks.onOversized(frame.id, frame.bytes);
    else if (frame.kind === "junk") hooks.onJunk(frame.bytes);
    else if (!hooks.take(frame.message)) deliver(frame.message);
  }

  function deliver(message: Readonly<Record<string, unknown>>): void {
    if (isJSONRPCRequest(message) || isJSONRPCNotification(message) || isJSONRPCResponse(message)) transport.onmessage?.(message);
    else hooks.onJunk(0);
  }

  return transport;
}
