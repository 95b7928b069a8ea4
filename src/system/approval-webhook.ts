/** Posts a request for an approval to the address that the profile names. Nobody waits for it: what fails is counted. */
import type { ApprovalView } from "../calls/approval-views.ts";
import type { Unusable } from "../config/outside.ts";
import type { GuardedFetch } from "../net/guarded-fetch.ts";

export interface WebhookPorts {
  /** Of a profile. */
  readonly addressOf: (profile: string) => string | Unusable | undefined;
  /** Of a session, by its id. */
  readonly profileOf: (session: string) => string;
  readonly fetch: GuardedFetch;
}
export interface ApprovalWebhook {
  notify(approval: ApprovalView): void;
  /** Posts of this process that did not arrive. */
  failures(): number;
}

const TIMEOUT_MS = 10_000;

export function createApprovalWebhook({ addressOf, profileOf, fetch }: WebhookPorts): ApprovalWebhook {
  let failures = 0;
  return {
    failures: () => failures,
    notify({ votes: _v, position: _p, sessionId, ...approval }) {
      const webhook = addressOf(profileOf(sessionId));
      if (webhook === undefined) return;
      if (typeof webhook !== "string") return void failures++;
      const body = JSON.stringify({ event: "approval.requested", approval });
      const headers = { "content-type": "application/json" };
      void fetch(webhook, { method: "POST", headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) })
        .then(async (response) => {
          await response.body?.cancel();
          if (!response.ok) failures++;
        })
        .catch(() => {
          failures++;
        });
    },
  };
}
