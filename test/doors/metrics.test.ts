import { expect, test } from "bun:test";
import { createHealth, MIN_FREE_BYTES } from "../../src/doors/health.ts";
import { createMetrics } from "../../src/doors/metrics.ts";
import { createHistogram, metricText } from "../../src/doors/metrics-text.ts";
import { text } from "../harness.ts";
import { bench } from "./debug-fixture.ts";

const linesOf = async (gateway: Awaited<ReturnType<typeof bench>>) => (await gateway.metrics.respond().text()).split("\n");

test("calls are counted by server, tool, code and certainty, and timed", async () => {
  const gateway = await bench();
  const session = await gateway.session("s_1");
  const answers = [text("fine"), { kind: "result", result: { content: [], isError: true } }, { kind: "lost", reason: "gone" }] as const;
  for (const answer of answers) {
    gateway.mail.answer = async () => {
      await gateway.clock.advance(200);
      return answer;
    };
    await session.ask("mail__send", { to: crypto.randomUUID() });
  }
  const lines = await linesOf(gateway);
  expect(lines).toContain('toolcrib_calls_total{server="mail",tool="send",certainty="answered",code=""} 2');
  expect(lines).toContain('toolcrib_calls_total{server="mail",tool="send",certainty="in_doubt",code="execution_failed"} 1');
  expect(lines).toContain('toolcrib_tool_errors_total{server="mail",tool="send"} 1');
  expect(lines).toContain('toolcrib_call_duration_seconds_bucket{server="mail",le="0.1"} 0');
  expect(lines).toContain('toolcrib_call_duration_seconds_bucket{server="mail",le="0.25"} 3');
  expect(lines).toContain('toolcrib_call_duration_seconds_count{server="mail"} 3');
  expect(lines).toContain("toolcrib_calls_in_doubt 1");
  expect(lines).toContain("toolcrib_calls_in_flight 0");
  expect(lines).toContain('toolcrib_connections{state="connected"} 1');
  expect(lines).toContain(`toolcrib_log_position ${gateway.log.head.position}`);
});

test("names that an agent made up and arguments are in no label", async () => {
  const gateway = await bench();
  const session = await gateway.session("s_1");
  for (let n = 0; n < 50; n++) await session.ask(`invented_${n}`, { secret: "s3cret" });
  await session.ask("mail__send", { secret: "s3cret" }, { idempotencyKey: "" }); // refused, and its tool is known
  const all = (await linesOf(gateway)).join("\n");
  expect(all).not.toMatch(/invented|s3cret/);
  expect(all).toContain('toolcrib_calls_total{server="",tool="",certainty="not_applied",code="tool_not_found"} 50');
  expect(all).toContain('toolcrib_calls_total{server="mail",tool="send",certainty="not_applied",code="invalid_arguments"} 1');
});

test("a server that publishes ever new names cannot make ever new series", () => {
  const metrics = createMetrics({
    offerOf: () => undefined,
    webhookFailures: () => 0,
    inDoubt: () => 0,
    openQuestions: () => 0,
    runningTasks: () => 0,
    serverName: () => "",
    sessionsInMemory: () => 0,
    position: () => 0,
    walBytes: () => 0,
    connections: () => [],
    hooks: () => [],
    counted: () => "",
    version: "1",
    build: "b",
  });
  const event = (type: string, data: object) => ({ type, schema: 1, stream: "session/s", data });
  for (let n = 0; n < 5000; n++) {
    const call = `c_${n}`;
    const asked = event("call.requested", { call, server: `server${n % 400}`, tool: `tool${n}` });
    metrics.observeCommit({ at: n, events: [asked, event("call.answered", { call, certainty: "answered" })] });
  }
  return metrics
    .respond()
    .text()
    .then((all) => {
      const series = all.split("\n").filter((line) => line.startsWith("toolcrib_calls_total{"));
      expect(series.length).toBeLessThan(2100);
      expect(series).toContain('toolcrib_calls_total{server="",tool="",certainty="answered",code=""} 3000');
      expect(all.split("\n").filter((line) => line.startsWith("toolcrib_call_duration_seconds_count")).length).toBeLessThan(210);
    });
});

test("label values are escaped and histograms add up", () => {
  expect(metricText("m", "gauge", "Help.", [{ labels: { a: 'x"y\\z\nw' }, value: 1 }])).toBe(
    '# HELP m Help.\n# TYPE m gauge\nm{a="x\\"y\\\\z\\nw"} 1\n',
  );
  const histogram = createHistogram([1, 2]);
  for (const value of [0.5, 1, 1.5, 9]) histogram.observe(value);
  expect(histogram.samples({}).map(({ labels, value }) => [labels?.["le"], value])).toEqual([
    ["1", 2],
    ["2", 3],
    ["+Inf", 4],
    [undefined, 12],
    [undefined, 4],
  ]);
});

test("readyz is 503 until everything is there, and 200 but degraded when addresses were skipped", async () => {
  const state = { recovered: false, open: false, skipped: [] as string[], free: MIN_FREE_BYTES, failing: undefined as string | undefined };
  const health = createHealth({
    isRecovered: () => state.recovered,
    isOpen: () => state.open,
    skipped: () => state.skipped,
    freeBytes: () => state.free,
    logFailing: () => state.failing,
    version: "1",
    build: "b",
  });
  const ready = async () => {
    const response = health.ready(true);
    const { status, degraded, checks } = (await response.json()) as {
      status: string;
      degraded: string[];
      checks: { name: string; status: string }[];
    };
    return {
      http: response.status,
      status,
      degraded: degraded.length,
      failed: checks.filter((check) => check.status === "failed").map(({ name }) => name),
    };
  };
  expect(await ready()).toEqual({ http: 503, status: "unavailable", degraded: 2, failed: ["recovery", "doors"] });
  state.recovered = true;
  state.open = true;
  expect(await ready()).toEqual({ http: 200, status: "ready", degraded: 0, failed: [] });
  state.skipped = ["server/mail"];
  expect(await ready()).toEqual({ http: 200, status: "degraded", degraded: 1, failed: [] });
  expect(health.degraded()[0]).toContain("server/mail");
  state.free = MIN_FREE_BYTES - 1;
  expect(await ready()).toMatchObject({ http: 503, failed: ["disk"] });
  state.free = MIN_FREE_BYTES;
  state.failing = "no space";
  expect(await ready()).toMatchObject({ http: 503, failed: ["log"] });
});
