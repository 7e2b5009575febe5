import { Inject, Logger, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { MetricsRegistry } from '../metrics/metrics-registry.js';
import type { OtlpTracing } from './otlp-tracing.js';
import { presentTracing, setTracing } from './tracing.js';

/** Exports spans where `OTEL_EXPORTER_OTLP_ENDPOINT` is set; otherwise it loads nothing. */
@Module({})
export class TracingModule implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('Tracing');
  private tracing: OtlpTracing | undefined;
  private isFailing = false;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'tracing'>,
    private readonly metrics: MetricsRegistry,
  ) {}

  async onModuleInit(): Promise<void> {
    const { tracing } = this.config;
    if (tracing === undefined) return;
    const spans = this.metrics.counter({
      name: 'trace_spans_total',
      help: 'Spans by what became of them: exported, failed for the receiver of traces, or dropped since too many waited.',
      labels: ['outcome'],
    });
    const { OtlpTracing } = await import('./otlp-tracing.js');
    this.tracing = new OtlpTracing(tracing, (count, failure) => {
      const outcome = failure === undefined ? 'exported' : failure === 'queue_full' ? 'dropped' : 'failed';
      spans.inc({ outcome }, count);
      if (outcome === 'failed' && !this.isFailing)
        this.logger.warn({ failure, msg: 'traces cannot be exported; they are dropped until they can' });
      this.isFailing = outcome === 'failed' || (this.isFailing && outcome !== 'exported');
    });
    setTracing(this.tracing);
  }

  /** After everything that has spans has stopped. */
  async onApplicationShutdown(): Promise<void> {
    if (this.tracing === undefined) return;
    if (presentTracing() === this.tracing) setTracing(undefined);
    await this.tracing.close();
  }
}
