/** A log with a little of everything, and its projections as rows. */
import {
  CallAnswered,
  CallDispatched,
  CallQueued,
  CallRefused,
  CallRejected,
  CallRequested,
  CallResolved,
  CallSettled,
  CallUnclaimed,
} from "../../events/call.ts";
import { ServerRefused, ServerRegistered, ServerUnregistered } from "../../events/registry.ts";
import { ServerConnected, ServerDisconnected } from "../../events/server.ts";
import { SessionBequeathed, SessionConnected, SessionDisconnected } from "../../events/session.ts";
import type { Log } from "../../src/log/log.ts";
import { projections } from "../../src/log/projections/all.ts";
import { answered, asked, batch, on, opened, START } from "./fixture.ts";

export const flight = { session: "s_1", agent: "ann", tool: "send", capability: "mutating", digest: "d", deadline: START + 5000 } as const;
export const request = {
  name: "mail__send",
  server: "mail",
  tool: "send",
  capability: "mutating",
  digest: "d",
  rule: "r",
  timeoutMs: 1,
} as const;

/** A little of everything. */
export async function story(log: Log): Promise<void> {
  const session = "session/s_1";
  await log.append(opened(1, "s_1"));
  await log.append(
    batch(2, session, [on(session, SessionConnected({ connection: "m1" })), on(session, SessionConnected({ connection: "m2" }))]),
  );
  await log.append(batch(3, session, [on(session, SessionDisconnected({ connection: "m1" }))]));
  await log.append(
    batch(4, "registry", [
      on("registry", ServerRegistered({ name: "mail", id: "r_1", origin: "operator", transport: "stdio" })),
      on("registry", ServerRegistered({ name: "web", id: "r_2", origin: "agent", transport: "http" })),
      on("registry", ServerRefused({ name: "bad", reason: "no command" })),
    ]),
  );
  const connected = { transport: "stdio", protocolVersion: "2025-11-25", era: "legacy", implementation: "mailer 1" } as const;
  await log.append(batch(5, "server/mail", [on("server/mail", ServerConnected({ id: "r_1", ...connected }))]));
  await log.append(batch(6, "registry", [on("registry", ServerUnregistered({ name: "web", id: "r_2" }))]));
  await log.append(asked(7, "s_1", "plain", { key: "k1" }));
  await log.append(answered(8, "s_1", "plain"));
  await log.append(
    batch(9, session, [
      on(session, CallRequested({ call: "waits", ...request })),
      on("server/mail", CallQueued({ call: "waits", ...flight, reason: "slots", name: "mail__send" })),
      on(session, CallRequested({ call: "rejected", ...request })),
      on("server/mail", CallQueued({ call: "rejected", ...flight, reason: "slots", name: "mail__send" })),
      on(session, CallRefused({ call: "refused", name: "rm", code: "refused", rule: "deny" }, { arguments: {}, reason: "no" })),
    ]),
  );
  await log.append(
    batch(10, "server/mail", [
      on("server/mail", CallDispatched({ call: "waits", ...flight, queued: true })),
      on("server/mail", CallRejected({ call: "rejected", session: "s_1", code: "timeout" })),
      on(session, CallAnswered({ call: "rejected", certainty: "not_applied", code: "timeout" })),
    ]),
  );
  await log.append(
    batch(11, "server/mail", [
      on("server/mail", CallSettled({ call: "waits", session: "s_1", capability: "mutating", certainty: "in_doubt", code: "timeout" })),
      on(session, CallAnswered({ call: "waits", certainty: "in_doubt", code: "timeout" })),
      on(session, CallUnclaimed({ call: "waits", cancel: false })),
    ]),
  );
  await log.append(asked(12, "s_1", "lost", { capability: "mutating" }));
  await log.append(
    batch(13, "server/mail", [
      on("server/mail", ServerDisconnected({ id: "r_1", reason: "exit 1" })),
      on(
        "server/mail",
        CallSettled({ call: "lost", session: "session/s_1", capability: "mutating", certainty: "in_doubt", code: "execution_failed" }),
      ),
      on(session, CallAnswered({ call: "lost", certainty: "in_doubt", code: "execution_failed" })),
    ]),
  );
  await log.append(
    batch(14, "server/mail", [on("server/mail", CallResolved({ call: "waits", session: "s_1", outcome: "applied", by: "agent" }))]),
  );
  await log.append(
    batch(15, session, [
      on(session, CallRequested({ call: "held", ...request })),
      on("server/mail", CallQueued({ call: "held", ...flight, reason: "connecting", name: "mail__send" })),
    ]),
  );
  await log.append(asked(16, "s_1", "open", { capability: "idempotent" }));
  await log.append(batch(17, session, [on(session, SessionBequeathed({ to: "s_2", calls: ["waits"] }))]));
}

export const dump = (log: Log) =>
  Object.fromEntries(projections.flatMap(({ drop }) => drop).map((table) => [table, log.query(`select * from ${table} order by 1, 2`)]));
