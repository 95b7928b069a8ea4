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
