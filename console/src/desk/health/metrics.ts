/** What a process tells of itself in the text form of Prometheus. */
export interface Sample {
  readonly atMs: number;
  readonly lines: readonly Line[];
}

interface Line {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^(\w+)(?:\{(.*)\})? (\S+)/;
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;

export function parseMetrics(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(LABEL)].map(([, key, told]): [string, string] => [key!, told!]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

type Labels = Readonly<Record<string, string | RegExp>>;

function isLike(line: Line, name: string, wanted: Labels): boolean {
  return (
    line.name === name &&
    Object.entries(wanted).every(([key, value]) => {
      const told = line.labels[key] ?? '';
      return typeof value === 'string' ? told === value : value.test(told);
    })
  );
}

/** The sum over all lines of that name; undefined where there is none. */
export function sumOf(sample: Sample, name: string, labels: Labels = {}): number | undefined {
  const values = valuesOf(sample, name, labels);
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0);
}

/** The largest of all lines of that name; undefined where there is none. */
export function largestOf(sample: Sample, name: string): number | undefined {
  const values = valuesOf(sample, name);
  return values.length === 0 ? undefined : Math.max(...values);
}

function valuesOf({ lines }: Sample, name: string, labels: Labels = {}): number[] {
  return lines.filter((line) => isLike(line, name, labels)).map(({ value }) => value);
}

/** How much a counter has grown a second; undefined after a new start, when it begins anew. */
export function rateOf(before: Sample, now: Sample, name: string, labels: Labels = {}): number | undefined {
  const grown = (sumOf(now, name, labels) ?? 0) - (sumOf(before, name, labels) ?? 0);
  const seconds = (now.atMs - before.atMs) / 1000;
  return grown < 0 || seconds <= 0 ? undefined : grown / seconds;
}

/**
 * Within how many seconds this share of what was counted between two samples has ended, as the upper bound of its
 * bucket; undefined where nothing was counted.
 */
export function quantileOf(
  before: Sample,
  now: Sample,
  name: string,
  share: number,
  labels: Labels = {},
): number | undefined {
  const bounds = new Set(
    now.lines.filter((line) => isLike(line, `${name}_bucket`, labels)).map((line) => line.labels['le']!),
  );
  const buckets = [...bounds]
    .map((le) => {
      const own = { ...labels, le };
      const grown = (sumOf(now, `${name}_bucket`, own) ?? 0) - (sumOf(before, `${name}_bucket`, own) ?? 0);
      return { bound: le === '+Inf' ? Infinity : Number(le), grown };
    })
    .sort((a, b) => a.bound - b.bound);
  const all = buckets.at(-1)?.grown ?? 0;
  if (all <= 0) return undefined;
  const found = buckets.find(({ grown }) => grown >= all * share)!;
  // What is beyond the last bound is told as that bound.
  return found.bound === Infinity ? buckets.at(-2)?.bound : found.bound;
}
