import { Inject, Injectable } from '@nestjs/common';
import type { JobHelpers, Runner, TaskList } from 'graphile-worker';
import type { Pool } from 'pg';
import { PG_POOL } from '../database/pg-pool.js';
import type { Transaction } from '../database/transaction.js';
import { MetricsRegistry } from '../metrics/metrics-registry.js';
import { addJob } from './add-job.js';
import type { LeaderDuty } from './job-leader.js';
import { jobLogger } from '../database/job-logger.js';
import type { JobOptions, JobTask, JobWork } from './job-task.js';
import { Boundary } from '../tracing/boundary.js';

/** The most jobs at once. They share `PG_POOL` with the requests. */
const CONCURRENCY = 8;
/** How often to poll for delayed jobs; immediate jobs send a notification. */
const POLL_EVERY_MS = 1_000;
/** How long running jobs may continue after the service stops, before their signal aborts. */
const STOP_PATIENCE_MS = 3_000;

/**
 * Delayed work, in Postgres. A job is added in the transaction of the change that needs it, so both happen or neither
 * does. The leader of the background work runs it at least once, soon after the commit; a failed job is retried after a
 * pause. The next leader resumes the jobs of a killed process.
 */
@Injectable()
export class Jobs implements LeaderDuty {
  readonly duty = this;
  private readonly tasks: TaskList = {};
  /** The tasks of plugins by their own names, under which jobs were stored once; null where several have one. */
  private readonly storedFormerly = new Map<string, string | null>();
  private readonly runs: Boundary<'task' | 'outcome'>;
  private runner: Runner | undefined;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    metrics: MetricsRegistry,
  ) {
    const durations = metrics.histogram({
      name: 'job_duration_seconds',
      help: 'How long jobs ran, by task and by whether they succeeded.',
      labels: ['task', 'outcome'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    });
    this.runs = new Boundary('internal', durations);
    metrics.gauge({
      name: 'jobs_open',
      help: 'Jobs by state: due, for later, or given up after their last try.',
      labels: ['state'],
      async collect(gauge) {
        const { rows } = await pool.query<{ due: string; later: string; given_up: string }>(
          `SELECT count(*) FILTER (WHERE attempts < max_attempts AND run_at <= now()) AS due,
             count(*) FILTER (WHERE attempts < max_attempts AND run_at > now()) AS later,
             count(*) FILTER (WHERE attempts >= max_attempts AND locked_at IS NULL) AS given_up
           FROM graphile_worker.jobs`,
        );
        const { due, later, given_up } = rows[0]!;
        gauge.set({ state: 'due' }, Number(due));
        gauge.set({ state: 'later' }, Number(later));
        gauge.set({ state: 'given_up' }, Number(given_up));
      },
    });
  }

  /** For each handler that a module declares in `jobs`, before the service has started. */
  handle<Payload extends object>(
    { name: ownName, storedName: name }: JobTask<Payload>,
    work: JobWork<Payload>,
  ): void {
    this.storedFormerly.set(ownName, this.storedFormerly.has(ownName) ? null : name);
    this.tasks[name] = (payload: unknown, { job, abortSignal }: JobHelpers) =>
      this.runs.run(
        `job ${name}`,
        () => work(payload as Payload, { attempt: job.attempts, signal: abortSignal }),
        () => ({ attributes: { 'tradepost.job.attempt': job.attempts } }),
        (outcome) => ({ task: name, outcome }),
      );
  }

  /** As `addJob`, for those who have this injected. */
  add<Payload extends object>(
    transaction: Transaction,
    task: JobTask<Payload>,
    payload: Payload,
    options?: JobOptions,
  ): Promise<void> {
    return addJob(transaction, task, payload, options);
  }

  /** Called on becoming leader. No other process runs jobs then, so all locks belong to dead processes. */
  async begin(resign: () => void): Promise<void> {
    await this.pool.query(
      `SELECT graphile_worker.force_unlock_workers(array_agg(DISTINCT locked_by))
       FROM graphile_worker.jobs WHERE locked_by IS NOT NULL HAVING count(*) > 0`,
    );
    for (const [ownName, name] of this.storedFormerly)
      if (name !== null) this.tasks[ownName] ??= this.tasks[name];
    const { run } = await import('graphile-worker');
    this.runner = await run({
      pgPool: this.pool,
      taskList: this.tasks,
      concurrency: CONCURRENCY,
      pollInterval: POLL_EVERY_MS,
      gracefulShutdownAbortTimeout: STOP_PATIENCE_MS,
      noHandleSignals: true,
      parsedCronItems: [],
      logger: await jobLogger(),
    });
    // It stops by itself only after an error, such as the loss of the database.
    this.runner.promise.then(resign, resign);
  }

  /** Called on losing the lead. Waits for running jobs. */
  async end(): Promise<void> {
    const { runner } = this;
    this.runner = undefined;
    // A runner that stopped by itself rejects this, and has no jobs left.
    await runner?.stop().catch(() => undefined);
  }
}
