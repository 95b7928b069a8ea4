/** The Prometheus text format: just enough of it to write, with label values that cannot break a line. */

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
  /** `_bucket`, `_sum`, `_count` of a histogram. */
  readonly suffix?: string;
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

/** One metric with its samples; nothing when there are none. `help` is one line. */
export function metricText(name: string, type: "counter" | "gauge" | "histogram", help: string, samples: readonly Sample[]): string {
  if (samples.length === 0) return "";
  const lines = samples.map(({ labels = {}, value, suffix = "" }) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
  });
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("\n")}\n`;
}

export interface Counter {
  /** One more under these labels, which are the same ones each time. */
  add(labels: Readonly<Record<string, string>>): void;
  text(): string;
}
/** Beyond so many series a server is not named any more. */
const MAX_SERIES = 2000;

/** Counts by labels; nothing is shown before the first. */
export function createCounter(name: string, help: string): Counter {
  const series = new Map<string, { readonly labels: Readonly<Record<string, string>>; value: number }>();
  return {
    add(given) {
      const isFull = series.size >= MAX_SERIES && !series.has(JSON.stringify(given));
      const labels = isFull && "server" in given ? { ...given, server: "" } : given;
      const key = JSON.stringify(labels);
      const known = series.get(key);
      if (known) known.value++;
      else series.set(key, { labels, value: 1 });
    },
    text: () => metricText(name, "counter", help, [...series.values()]),
  };
}

export interface Histogram {
  observe(value: number): void;
  samples(labels: Readonly<Record<string, string>>): readonly Sample[];
}

/** `bounds` ascending; what is above the last one counts as +Inf. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = new Float64Array(bounds.length + 1);
  let sum = 0;
  return {
    observe(value) {
      let bucket = 0;
      while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
    },
    samples(labels) {
      let total = 0;
      const buckets = [...counts].map((count, index) => {
        total += count;
        return { suffix: "_bucket", labels: { ...labels, le: String(bounds[index] ?? "+Inf") }, value: total };
      });
      return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: total }];
    },
  };
}
