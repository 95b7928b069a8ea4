/** Names of the timers of approvals. */

/** Of the timers: the end of a request that waits, and of an approval. */
export const holdKey = (call: string): string => `hold:${call}`;
export const approvalKey = (id: string): string => `approval:${id}`;
