import type { Histogram, LabelValues } from 'prom-client';
import { type OpenSpan, presentTracing, type SpanBegin, type SpanEnd, type SpanKind } from './tracing.js';

export type Outcome = 'done' | 'failed';

/**
 * A place where work enters or leaves the service or one of its parts. All that passes is timed in one place: as a
 * metric, where the boundary has one, and as a span, where traces are exported.
 */
export class Boundary<Label extends string = never> {
  private readonly series = new Map<string, Histogram.Internal<Label>>();

  constructor(
    private readonly kind: SpanKind = 'internal',
    private readonly durations?: Histogram<Label>,
  ) {}

  /** For work that ends elsewhere; see `run`. */
  enter(name: string, begin?: () => SpanBegin): Passage<Label> {
    return new Passage(this, presentTracing()?.begin(name, this.kind, begin?.()));
  }

  /** Runs the work as one passage. It is not counted where there are no labels for its outcome. */
  run<Result>(
    name: string,
    work: () => Promise<Result>,
    begin?: () => SpanBegin,
    labelsOf: (outcome: Outcome) => LabelValues<Label> | undefined = () => ({}),
  ): Promise<Result> {
    if (this.durations === undefined && presentTracing() === undefined) return work();
    return this.pass(this.enter(name, begin), work, labelsOf);
  }

  observe(labels: LabelValues<Label>, durationMs: number): void {
    if (this.durations === undefined) return;
    const name = Object.values(labels).join(' ');
    let series = this.series.get(name);
    // Looked up by us, since prom-client takes longer.
    if (series === undefined) this.series.set(name, (series = this.durations.labels(labels)));
    series.observe(durationMs / 1_000);
  }

  private async pass<Result>(
    passage: Passage<Label>,
    work: () => Promise<Result>,
    labelsOf: (outcome: Outcome) => LabelValues<Label> | undefined,
  ): Promise<Result> {
    try {
      const result = await passage.within(work);
      passage.end(labelsOf('done'));
      return result;
    } catch (error) {
      passage.end(labelsOf('failed'), () => ({ error }));
      throw error;
    }
  }
}

/** Work on its way through a boundary. One that never ends is neither counted nor exported. */
export class Passage<Label extends string = never> {
  private readonly beganAtMs = performance.now();

  constructor(
    private readonly boundary: Boundary<Label>,
    private readonly span: OpenSpan | undefined,
  ) {}

  /** Undefined where it is not traced. */
  get trace(): string | undefined {
    return this.span?.trace;
  }

  get durationMs(): number {
    return performance.now() - this.beganAtMs;
  }

  /** Runs the work, or a part of it, so that whatever passes a boundary therein is a part of this. */
  within<Result>(work: () => Result): Result {
    return this.span === undefined ? work() : this.span.within(work);
  }

  end(labels: LabelValues<Label> | undefined, end?: () => SpanEnd): void {
    if (labels !== undefined) this.boundary.observe(labels, this.durationMs);
    this.span?.end(end?.());
  }
}
