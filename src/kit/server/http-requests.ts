import { Injectable } from '@nestjs/common';
import { MetricsRegistry } from '../metrics/metrics-registry.js';
import { Boundary } from '../tracing/boundary.js';

/** Requests by route template and status; the histogram's `_count` is their number. */
@Injectable()
export class HttpRequests extends Boundary<'method' | 'route' | 'status'> {
  constructor(metrics: MetricsRegistry) {
    super(
      'server',
      metrics.histogram({
        name: 'http_request_duration_seconds',
        help: 'Time from the request line to the last byte of the answer.',
        labels: ['method', 'route', 'status'],
        buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      }),
    );
  }
}
