import type { Counter, Histogram } from 'prom-client';
import type { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { Boundary, type Passage } from '../../kit/tracing/boundary.js';
import type { Waiting } from './work-queue.js';
import type { PreparedBatch } from '../term/prepared-batch.js';

type Batch = readonly Pick<Waiting, 'trace'>[];

/** A batch's way from the queue to its commit, as a metric and a span; without a registry as a span alone. */
export class CommitBoundary {
  private readonly batches: Boundary;
  private readonly requests: Histogram | undefined;
  private readonly rows: Counter | undefined;

  constructor(metrics?: MetricsRegistry) {
    const durations = metrics?.histogram({
      name: 'core_batch_duration_seconds',
      help: 'From taking a batch off the queue to its commit.',
      buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5],
    });
    this.batches = new Boundary('internal', durations);
    this.requests = metrics?.histogram({
      name: 'core_batch_requests',
      help: 'Requests made durable together in one commit.',
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    });
    this.rows = metrics?.counter({
      name: 'core_rows_written_total',
      help: 'Rows written by commits.',
    });
  }

  /** A span has one parent: the first of the commands that are traced. It links to the others. */
  enter(batch: Batch): Passage {
    return this.batches.enter('commit', () => {
      const [parent, ...links] = batch.flatMap(({ trace }) => trace ?? []);
      return { parent, links };
    });
  }

  /** It is durable. A batch that changed nothing leaves no trace, and no figure. */
  end(
    passage: Passage,
    batch: Batch,
    { journal, rowCount, firstSequence, lastSequence }: PreparedBatch,
  ): void {
    if (journal === null) return;
    this.requests?.observe(batch.length);
    this.rows?.inc(rowCount);
    passage.end({}, () => ({
      attributes: {
        'tradepost.batch.requests': batch.length,
        'tradepost.first_sequence': firstSequence,
        'tradepost.last_sequence': lastSequence,
      },
    }));
  }

  fail(passage: Passage, error: unknown): void {
    passage.end(undefined, () => ({ error }));
  }
}
