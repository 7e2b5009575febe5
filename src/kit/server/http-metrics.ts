import { Injectable } from '@nestjs/common';
import type { Histogram } from 'prom-client';
import { MetricsRegistry } from '../metrics/metrics-registry.js';

const BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

type Label = 'method' | 'route' | 'status';

/** Counts and times requests by route template and status; the histogram's `_count` is the number of requests. */
@Injectable()
export class HttpMetrics {
  private readonly durations: Histogram<Label>;
  private readonly series = new Map<string, Histogram.Internal<Label>>();

  constructor(registry: MetricsRegistry) {
    this.durations = registry.histogram({
      name: 'http_request_duration_seconds',
      help: 'Time from the request line to the last byte of the answer.',
      labels: ['method', 'route', 'status'],
      buckets: BUCKETS_S,
    });
  }

  observe(method: string, route: string, status: number, durationS: number): void {
    const name = `${method} ${status} ${route}`;
    let series = this.series.get(name);
    if (!series) {
      series = this.durations.labels({ method, route, status: String(status) });
      this.series.set(name, series);
    }
    series.observe(durationS);
  }
}
