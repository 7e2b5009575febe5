import { Injectable } from '@nestjs/common';
import { StartRefusal } from '../config/start-refusal.js';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

export interface MetricOptions<Label extends string = never> {
  /** Prometheus name without the prefix, with its unit last, such as `core_batch_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly Label[];
}

/**
 * The registry of all metrics; `/metrics` renders it. Each application has its own registry, so that several can live
 * in one process.
 */
@Injectable()
export class MetricsRegistry {
  private readonly registry = new Registry();
  /** Throws for the name of a metric that may not be made here. */
  private readonly requireName: (name: string) => void = () => undefined;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  counter<Label extends string = never>(options: MetricOptions<Label>): Counter<Label> {
    return new Counter(this.configurationOf(options));
  }

  /** `collect` is called at each scrape, for values that are cheaper to compute than to track. */
  gauge<Label extends string = never>(
    options: MetricOptions<Label> & { collect?: (gauge: Gauge<Label>) => void | Promise<void> },
  ): Gauge<Label> {
    const { collect } = options;
    return new Gauge({
      ...this.configurationOf(options),
      ...(collect && {
        collect(this: Gauge<Label>) {
          return collect(this);
        },
      }),
    });
  }

  histogram<Label extends string = never>(
    options: MetricOptions<Label> & { buckets: readonly number[] },
  ): Histogram<Label> {
    return new Histogram({ ...this.configurationOf(options), buckets: [...options.buckets] });
  }

  /** The same registry for a part of the service that may not make every metric; `requireName` throws for the others. */
  limitedTo(requireName: (name: string) => void): MetricsRegistry {
    const limited = Object.create(MetricsRegistry.prototype) as MetricsRegistry;
    return Object.assign(limited, { registry: this.registry, requireName });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** All metrics in Prometheus' text format. */
  render(): Promise<string> {
    return this.registry.metrics();
  }

  private configurationOf<Label extends string>({ name, help, labels = [] }: MetricOptions<Label>) {
    this.requireName(name);
    if (this.registry.getSingleMetric(`tradepost_${name}`) !== undefined) throw new MetricTaken(name);
    return { name: `tradepost_${name}`, help, labelNames: [...labels], registers: [this.registry] };
  }
}

/** Two parts of the service, or a plugin and the service, make a metric of one name. */
export class MetricTaken extends StartRefusal {
  constructor(readonly metric: string) {
    super(`Two metrics are named "${metric}"; rename one.`);
  }
}
