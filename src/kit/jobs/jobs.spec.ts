import { Test, type TestingModule } from '@nestjs/testing';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { DatabaseConnection } from '../database/database-connection.js';
import { createPgPool, PG_POOL } from '../database/pg-pool.js';
import { typeOrmOptions } from '../database/database.module.js';
import { MetricsRegistry } from '../metrics/metrics-registry.js';
import { JobLeader } from './job-leader.js';
import { JobTask } from './job-task.js';
import { Jobs } from './jobs.js';

const GREET = new JobTask<{ readonly name: string }>('test.greet');

describe('Jobs', () => {
  let database: TestDatabase;
  let pool: Pool;
  let processes: TestingModule[];
  beforeEach(async () => {
    database = await createTestDatabase();
    pool = createPgPool(database.url);
    processes = [];
  });
  afterEach(async () => {
    for (const process of processes) await process.close();
    await pool.end();
    await database.drop();
  });

  /** The jobs of one process; other processes share the database with it. */
  async function startProcess(work: (name: string, attempt: number, signal: AbortSignal) => Promise<void>) {
    const process = await Test.createTestingModule({
      providers: [
        JobLeader,
        Jobs,
        MetricsRegistry,
        { provide: PG_POOL, useValue: pool },
        { provide: DatabaseConnection, useValue: { url: database.url } },
      ],
    }).compile();
    processes.push(process);
    const jobs = process.get(Jobs);
    jobs.handle(GREET, ({ name }, { attempt, signal }) => work(name, attempt, signal));
    process.get(JobLeader).assume(jobs);
    await process.init();
    return process;
  }

  it('carries out what was committed, and nothing of what was rolled back', async () => {
    const greeted: string[] = [];
    const process = await startProcess(async (name) => void greeted.push(name));
    const jobs = process.get(Jobs);
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await jobs.add(client, GREET, { name: 'nobody' });
      await client.query('ROLLBACK');
      await client.query('BEGIN');
      await jobs.add(client, GREET, { name: 'ann' });
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    const dataSource = await new DataSource(typeOrmOptions(database.url)).initialize();
    await dataSource.transaction((manager) => jobs.add(manager, GREET, { name: 'bob' }));
    await dataSource.destroy();
    await eventually(() => greeted.length === 2, 'both were greeted');
    expect(greeted.sort()).toEqual(['ann', 'bob']);
  });

  it('ends what was still beginning when it was told to stop', async () => {
    const events: string[] = [];
    let finishBeginning = (): void => undefined;
    const leader = new JobLeader({ url: database.url } as DatabaseConnection);
    leader.assume({
      async begin() {
        events.push('beginning');
        await new Promise<void>((resolve) => (finishBeginning = resolve));
        events.push('begun');
      },
      end: () => Promise.resolve(void events.push('ended')),
    });
    leader.assume({
      begin: () => Promise.resolve(void events.push('too late')),
      end: () => Promise.resolve(),
    });
    leader.onApplicationBootstrap();
    await eventually(() => events.length > 0, 'it begins');
    const stopped = leader.onModuleDestroy();
    await new Promise((resolve) => setImmediate(resolve));
    finishBeginning();
    await stopped;
    expect(events).toEqual(['beginning', 'begun', 'ended']);
  });

  it('tries again what failed', async () => {
    const attempts: number[] = [];
    const process = await startProcess(async (_name, attempt) => {
      attempts.push(attempt);
      if (attempt === 1) throw new Error('the first try fails');
    });
    await process.get(Jobs).add(pool, GREET, { name: 'ann' });
    await eventually(() => attempts.length === 1, 'it was tried');
    // The pause is a second or three; a test need not wait for it.
    await eventually(async () => {
      const { rowCount } = await pool.query(
        `UPDATE graphile_worker._private_jobs SET run_at = now() WHERE attempts = 1 AND locked_at IS NULL`,
      );
      return rowCount === 1;
    }, 'it waits for its next try');
    await eventually(() => attempts.length === 2, 'it was tried again');
    expect(attempts).toEqual([1, 2]);
  });

  it('keeps one job under a key, the newest', async () => {
    const greeted: string[] = [];
    const process = await startProcess(async (name) => void greeted.push(name));
    const jobs = process.get(Jobs);
    await jobs.add(pool, GREET, { name: 'ann' }, { key: 'one', runAt: new Date(Date.now() + 3_600_000) });
    await jobs.add(pool, GREET, { name: 'bob' }, { key: 'one' });
    await eventually(() => greeted.length === 1, 'one was greeted');
    expect(greeted).toEqual(['bob']);
    const { rowCount } = await pool.query('SELECT 1 FROM graphile_worker.jobs WHERE locked_at IS NULL');
    expect(rowCount).toBe(0);
  });

  it('runs in one process at a time, and in the next once that one has stopped', async () => {
    const greeted: string[] = [];
    const first = await startProcess(async () => void greeted.push('first'));
    const second = await startProcess(async () => void greeted.push('second'));
    for (let i = 0; i < 5; i++) await first.get(Jobs).add(pool, GREET, { name: 'ann' });
    await eventually(() => greeted.length === 5, 'all were greeted');
    const [leading] = greeted;
    expect(new Set(greeted).size).toBe(1);
    const [leader, other] = leading === 'first' ? [first, second] : [second, first];
    await leader.close();
    processes = [other];
    await other.get(Jobs).add(pool, GREET, { name: 'ann' });
    await eventually(() => greeted.length === 6, 'the other process took over');
    expect(greeted[5]).not.toBe(leading);
  });

  it('takes up at once what a killed process was at', async () => {
    await pool.query(`SELECT graphile_worker.add_job('test.greet', '{"name": "ann"}')`);
    await pool.query(
      `UPDATE graphile_worker._private_jobs
       SET locked_at = now(), locked_by = 'worker-of-the-dead', attempts = 1`,
    );
    const attempts: number[] = [];
    await startProcess(async (_name, attempt) => void attempts.push(attempt));
    await eventually(() => attempts.length === 1, 'it was taken up');
    expect(attempts).toEqual([2]);
  });

  it('leads again after its connection was cut', async () => {
    const greeted: string[] = [];
    const process = await startProcess(async (name) => void greeted.push(name));
    await process.get(Jobs).add(pool, GREET, { name: 'ann' });
    await eventually(() => greeted.length === 1, 'it leads');
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'tradepost-jobs' AND datname = current_database()`,
    );
    await process.get(Jobs).add(pool, GREET, { name: 'bob' });
    await eventually(() => greeted.length === 2, 'it leads again');
  });

  it('waits for running jobs when it stops, and tells those that take long', async () => {
    let ended = false;
    const begun: string[] = [];
    const process = await startProcess(async (name, _attempt, signal) => {
      begun.push(name);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      ended = true;
    });
    await process.get(Jobs).add(pool, GREET, { name: 'ann' });
    await eventually(() => begun.length === 1, 'it runs');
    await process.close();
    processes = [];
    expect(ended).toBe(true);
  });
});
