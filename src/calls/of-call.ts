/** What lists show of the call that a question, a task or an approval is about. */
export interface OfCall {
  readonly id: string;
  readonly callId: string;
  /** Its name, and its id. */
  readonly session: string;
  readonly sessionId: string;
  readonly agent: string;
  readonly server: string;
  readonly tool: string;
  /** As published. */
  readonly name: string;
}
