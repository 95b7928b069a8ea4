/** Memory is collected now and then while many calls begin to wait, and not for each of them. */
import { expect, test } from "bun:test";
import { createGather } from "../../src/questions/gather.ts";
import { createKept } from "../../src/questions/kept.ts";
import { openSealedStore } from "../../src/secrets/sealed.ts";

test("each hundred calls that begin to wait, questions and tasks together, have memory collected once; reading and dropping them never do", () => {
  let collected = 0;
  const gather = createGather(() => void collected++);
  const store = openSealedStore(":memory:", new Uint8Array(32), () => 1);
  const questions = createKept<number>(store, "question", gather);
  const tasks = createKept<number>(store, "task", gather);
  for (let at = 0; at < 125; at++) {
    questions.put(`q_${at}`, at);
    tasks.put(`t_${at}`, at);
  }
  expect(collected).toBe(2);
  for (const id of questions.ids()) {
    expect(questions.get(id)).toBeNumber();
    questions.drop(id);
  }
  expect([collected, questions.ids().length, tasks.ids().length]).toEqual([2, 0, 125]);
  store.close();
});
