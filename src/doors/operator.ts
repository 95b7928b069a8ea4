/** What operators decide: `/v1/doubts`, `/v1/approvals`, `/v1/questions`, `/v1/tasks` (see approvals.ts, questions.ts, tasks.ts), `/v1/agents/AGENT/denials/reset`, `/v1/secrets/scrub`, `/v1/secrets/reload`; about servers see operator-servers.ts. What they decide of calls is an event. */
import { z } from "zod";
import { serverAddress } from "../../actors/address.ts";
import type { CallViews, DoubtRow } from "../calls/views.ts";
import type { Vault } from "../secrets/vault.ts";
import { type ApprovalPorts, approvalRoutes } from "./approvals.ts";
import { type DenialResetPorts, denialReset } from "./denial-reset.ts";
import type { Routes } from "./http.ts";
import { bodyOf, failure } from "./operator-body.ts";
import { type ServerRoutePorts, serverRoutes } from "./operator-servers.ts";
import { type QuestionRoutePorts, questionRoutes } from "./questions.ts";
import { taskRoutes } from "./tasks.ts";

export interface OperatorPorts
  extends Omit<ServerRoutePorts, "runtime">,
    Omit<DenialResetPorts, "runtime">,
    Pick<ApprovalPorts, "tokenHashOf">,
    Pick<QuestionRoutePorts, "answerQuestion"> {
  readonly runtime: ServerRoutePorts["runtime"] & DenialResetPorts["runtime"];
  readonly views: CallViews;
  readonly vault: Pick<Vault, "register" | "redactText">;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Looks for changes of the secret store, and brings them into force. */
  readonly secretsChanged: (by: string) => Promise<void>;
}

/** Resolved ones are listed for a day. */
const LIST_MS = 86_400_000;

const Resolution = z.strictObject({ outcome: z.enum(["applied", "not_applied"]), note: z.string().max(2000).default("") });
const Scrub = z.strictObject({ values: z.array(z.string()).min(1).max(1000) });
const DOUBT = /^\/v1\/doubts\/([^/]+)$/;

/** As the list shows it. */
const shown = ({ call, sessionName, server, tool, digest, since, code, resolvedAt, outcome, by }: DoubtRow) => ({
  call,
  session: sessionName,
  server,
  tool,
  argumentsDigest: digest,
  since,
  code,
  ...(resolvedAt !== null && { resolvedAt, outcome, by }),
});

export function operatorRoutes(ports: OperatorPorts): Routes {
  const { runtime, views, vault, position, now, secretsChanged } = ports;
  const servers = serverRoutes(ports);
  const parts = [denialReset({ runtime, position }), approvalRoutes(ports), taskRoutes(ports), questionRoutes(ports)];
  const listDoubts = (url: URL): Response => {
    const status = url.searchParams.get("status");
    if (status !== null && status !== "open" && status !== "resolved") return failure(400, "invalid_arguments", "status: open or resolved");
    const wanted = views
      .recentDoubts(now() - LIST_MS)
      .filter(({ resolvedAt }) => status === null || (status === "open") === (resolvedAt === null));
    return Response.json({ doubts: wanted.map(shown), position: position() });
  };
  return async (request, url, operator) => {
    const { pathname } = url;
    for (const part of parts) {
      const answer = await part(request, url, operator);
      if (answer) return answer;
    }
    if (pathname === "/v1/doubts" && request.method === "GET") return listDoubts(url);
    const call = DOUBT.exec(pathname)?.[1];
    if (call !== undefined && request.method === "POST") {
      const read = await bodyOf(request, Resolution);
      if ("response" in read) return read.response;
      const doubt = views.doubt(decodeURIComponent(call));
      if (!doubt) return failure(404, "tool_not_found", `No call ${vault.redactText(decodeURIComponent(call))} was ever in doubt.`);
      if (doubt.resolvedAt !== null)
        return doubt.outcome === read.body.outcome
          ? Response.json(shown(doubt))
          : failure(409, "in_doubt", `It was resolved already: ${doubt.outcome}.`);
      const payload = { note: vault.redactText(read.body.note) };
      await runtime.enter(serverAddress(doubt.server), {
        type: "resolve",
        call: doubt.call,
        outcome: read.body.outcome,
        by: `operator:${operator.name}`,
        payload,
      });
      const current = views.doubt(doubt.call) ?? doubt;
      if (current.outcome !== read.body.outcome) return failure(409, "in_doubt", `It was resolved meanwhile: ${current.outcome}.`); // somebody was faster
      return Response.json(shown(current));
    }
    if (pathname.startsWith("/v1/secrets/") && request.method === "POST" && !operator.roles.includes("admin"))
      return failure(403, "refused", "This needs the role admin.");
    if (pathname === "/v1/secrets/reload" && request.method === "POST") {
      await secretsChanged(`operator:${operator.name}`);
      return Response.json({ reloaded: true, position: position() });
    }
    if (pathname === "/v1/secrets/scrub" && request.method === "POST") {
      const read = await bodyOf(request, Scrub);
      if ("response" in read) return read.response;
      const refused = vault.register(read.body.values.map((value, index) => ({ name: `scrub-${index}`, value })));
      return Response.json({ registered: read.body.values.length - refused.length, refused });
    }
    return servers(request, url, operator);
  };
}
