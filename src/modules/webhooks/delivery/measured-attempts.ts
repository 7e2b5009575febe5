import { Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { MetricsRegistry } from '../../../kit/metrics/metrics-registry.js';
import { Boundary } from '../../../kit/tracing/boundary.js';
import type { DueDelivery, Target } from './delivery-lane.js';
import { type Attempt, WebhookSender } from './webhook-sender.js';

const attempts = new Boundary();

/** The sender, with its attempts counted, timed and traced. */
@Injectable()
export class MeasuredAttempts {
  private readonly made: Counter<'outcome'>;
  private readonly duration: Histogram;

  constructor(
    private readonly sender: WebhookSender,
    metrics: MetricsRegistry,
  ) {
    this.made = metrics.counter({
      name: 'webhook_attempts_total',
      help: 'Attempts to deliver webhooks, by what came of them.',
      labels: ['outcome'],
    });
    this.duration = metrics.histogram({
      name: 'webhook_attempt_duration_seconds',
      help: 'How long receivers of webhooks took.',
      buckets: [0.05, 0.2, 0.5, 1, 2, 5, 15],
    });
  }

  /** Those that were cancelled do not count. */
  async attempt(target: Target, due: DueDelivery, signal: AbortSignal): Promise<Attempt> {
    const send = (): Promise<Attempt> => this.sender.attempt(target, due, signal);
    const attempt = await attempts.run('webhook attempt', send);
    const { responseStatus, durationMs } = attempt;
    this.made.inc({ outcome: responseStatus === null ? 'no_answer' : `http_${responseStatus}` });
    this.duration.observe(durationMs / 1_000);
    return attempt;
  }
}
