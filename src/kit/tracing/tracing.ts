/**
 * Spans, where an exporter is set: `tracing.module.ts` then loads what makes them, and otherwise nothing is loaded and
 * nothing made. A trace is written as W3C's `traceparent` wherever it waits or travels.
 */

/** `server` takes a call from outside, `client` makes one. */
export type SpanKind = 'server' | 'client' | 'internal';

/** Never who callers are, nor what they sent, but for the id of a request. */
export type SpanAttributes = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface SpanBegin {
  /** A `traceparent`; what is being handled, where absent. One that cannot be read begins a new trace. */
  readonly parent?: string | undefined;
  /** The traces that led here, besides the parent. */
  readonly links?: readonly string[];
  readonly attributes?: SpanAttributes;
}

export interface SpanEnd {
  /** In place of the one that it began with. */
  readonly name?: string;
  readonly attributes?: SpanAttributes;
  /** Its code or class is told, never its message. */
  readonly error?: unknown;
}

export interface OpenSpan {
  /** Undefined where it is not sampled. */
  readonly trace: string | undefined;
  /** Runs what belongs to it, so that it is the parent of spans therein. */
  within<Result>(work: () => Result): Result;
  /** One that never ends is not exported. */
  end(end?: SpanEnd): void;
}

export interface Tracing {
  begin(name: string, kind: SpanKind, begin?: SpanBegin): OpenSpan;
  /** The trace of what is being handled. */
  readonly trace: string | undefined;
  /** For log lines about what is being handled. */
  logFields(): { readonly trace_id?: string; readonly span_id?: string };
  /** Runs what belongs to a trace of elsewhere, or to none. */
  within<Result>(trace: string | undefined, work: () => Result): Result;
}

/** Of the process, as OpenTelemetry's own. */
let present: Tracing | undefined;

export function presentTracing(): Tracing | undefined {
  return present;
}

export function setTracing(tracing: Tracing | undefined): void {
  present = tracing;
}

/** The trace of what is being handled; undefined where there is none, or it is not sampled. */
export function presentTrace(): string | undefined {
  return present?.trace;
}

/** Runs what belongs to a trace of elsewhere, or to none. */
export function withinTrace<Result>(trace: string | undefined, work: () => Result): Result {
  return present === undefined ? work() : present.within(trace, work);
}
