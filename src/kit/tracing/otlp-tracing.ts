/** Loaded only where an exporter is set. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Attributes,
  context,
  type Context,
  createNoopMeter,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind as Kind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { parseKeyPairsIntoRecord, parseTraceParent, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingConfig } from '../config/settings/tracing.js';
import type { OpenSpan, SpanAttributes, SpanBegin, SpanEnd, SpanKind, Tracing } from './tracing.js';

/** Spans that wait for the exporter; more are dropped. */
const WAITING_SPANS_MAX = 8_192;
const EXPORTED_EVERY_MS = 1_000;
/** As many as the commands of a commit. */
const LINKS_MAX = 1_000;
/** How long the last spans may take when the service stops. */
const CLOSE_MS_MAX = 2_000;

const KINDS: Readonly<Record<SpanKind, Kind>> = {
  server: Kind.SERVER,
  client: Kind.CLIENT,
  internal: Kind.INTERNAL,
};

/** Called with so many spans that have left the queue, and why they were not exported, if they were not. */
export type OnSpans = (count: number, failure: string | undefined) => void;

export class OtlpTracing implements Tracing {
  private readonly provider: TracerProvider;
  private readonly tracer: ReturnType<TracerProvider['getTracer']>;

  /** Also makes it OpenTelemetry's own of the process, for plugins. */
  constructor(config: TracingConfig, onSpans: OnSpans) {
    const { endpoint, headers, serviceName, resourceAttributes } = config;
    // The queue makes one counter, of the spans that have left it.
    const meter = Object.assign(createNoopMeter(), {
      createCounter: () => ({
        add: (count: number, attributes?: Attributes) =>
          onSpans(count, attributes?.['error.type'] as string | undefined),
      }),
    });
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({
        ...parseKeyPairsIntoRecord(resourceAttributes),
        'service.name': serviceName,
        'service.instance.id': randomUUID(),
      }),
      sampler: samplerOf(config),
      spanLimits: { linkCountLimit: LINKS_MAX },
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: new OTLPTraceExporter({
            url: `${endpoint}/v1/traces`,
            headers: parseKeyPairsIntoRecord(headers),
          }),
          maxQueueSize: WAITING_SPANS_MAX,
          scheduledDelayMillis: EXPORTED_EVERY_MS,
          selfObsMeterProvider: { getMeter: () => meter },
        }),
      ],
    });
    this.tracer = this.provider.getTracer('tradepost');
    context.setGlobalContextManager(new AsyncLocalStorageContextManager());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    trace.setGlobalTracerProvider(this.provider);
  }

  /** Sends what waits, if that can be done soon. */
  async close(): Promise<void> {
    trace.disable();
    propagation.disable();
    context.disable();
    const left = new AbortController();
    await Promise.race([
      this.provider.shutdown().catch(() => undefined),
      delay(CLOSE_MS_MAX, undefined, { signal: left.signal }).catch(() => undefined),
    ]);
    left.abort();
  }

  begin(name: string, kind: SpanKind, { parent, links = [], attributes = {} }: SpanBegin = {}): OpenSpan {
    const around = parent === undefined ? context.active() : contextOf(parent);
    const options = {
      kind: KINDS[kind],
      attributes: mutable(attributes),
      links: links.map((link) => ({ context: parseTraceParent(link)! })),
    };
    const span = this.tracer.startSpan(name, options, around);
    return new OtlpSpan(span, trace.setSpan(around, span));
  }

  get trace(): string | undefined {
    return traceparentOf(trace.getActiveSpan()?.spanContext());
  }

  logFields(): { readonly trace_id?: string; readonly span_id?: string } {
    const span = trace.getActiveSpan()?.spanContext();
    return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
  }

  within<Result>(traceparent: string | undefined, work: () => Result): Result {
    return context.with(traceparent === undefined ? ROOT_CONTEXT : contextOf(traceparent), work);
  }
}

class OtlpSpan implements OpenSpan {
  readonly trace: string | undefined;

  constructor(
    private readonly span: Span,
    private readonly inside: Context,
  ) {
    this.trace = traceparentOf(span.spanContext());
  }

  within<Result>(work: () => Result): Result {
    return context.with(this.inside, work);
  }

  end({ name, attributes, error }: SpanEnd = {}): void {
    const { span } = this;
    if (name !== undefined) span.updateName(name);
    if (attributes !== undefined) span.setAttributes(mutable(attributes));
    if (error !== undefined) {
      span.setAttribute('error.type', typeOf(error));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end();
  }
}

function mutable(attributes: SpanAttributes): Record<string, string | number | string[] | undefined> {
  return attributes as Record<string, string | number | string[] | undefined>;
}

function contextOf(traceparent: string): Context {
  const span = parseTraceParent(traceparent);
  return span === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, span);
}

function traceparentOf(span: SpanContext | undefined): string | undefined {
  if (span === undefined || (span.traceFlags & 1) === 0) return undefined;
  return `00-${span.traceId}-${span.spanId}-01`;
}

/** Messages may have data of callers in them. */
function typeOf(error: unknown): string {
  const { code } = Object(error) as { code?: unknown };
  if (typeof code === 'string') return code;
  return error instanceof Error ? error.constructor.name : 'unknown';
}

function samplerOf({ sampler, samplerRatio }: TracingConfig): Sampler {
  const ofRoots = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(samplerRatio),
  };
  return sampler.startsWith('parentbased_')
    ? new ParentBasedSampler({
        root: ofRoots[sampler.slice('parentbased_'.length) as keyof typeof ofRoots](),
      })
    : ofRoots[sampler as keyof typeof ofRoots]();
}
