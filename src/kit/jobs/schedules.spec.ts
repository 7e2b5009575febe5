import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { createPgPool } from '../database/pg-pool.js';
import type { AgreedTime } from './agreed-time.js';
import { type DueRun, Schedule } from './schedule.js';
import { JobTask } from './job-task.js';
import { Schedules } from './schedules.js';

const DAILY = new JobTask<DueRun>('daily');

describe('schedules', () => {
  let database: TestDatabase;
  let pool: Pool;
  let running: Schedules[];
  let isAgreed: boolean;
  beforeEach(async () => {
    database = await createTestDatabase();
    pool = createPgPool(database.url);
    running = [];
    isAgreed = true;
  });
  afterEach(async () => {
    for (const schedules of running) await schedules.duty.end();
    await pool.end();
    await database.drop();
  });

  const begin = async (...all: Schedule[]): Promise<Schedules> => {
    const time = { isAgreed: () => Promise.resolve(isAgreed) } as unknown as AgreedTime;
    const schedules = new Schedules(pool, time);
    schedules.add(...all);
    running.push(schedules);
    await schedules.duty.begin(() => undefined);
    return schedules;
  };
  const planned = async (): Promise<{ name: string; cron: string; next_at: Date }[]> =>
    (await pool.query<{ name: string; cron: string; next_at: Date }>('SELECT * FROM plugin_schedules')).rows;
  const jobs = async (): Promise<Date[]> => {
    const { rows } = await pool.query<{ payload: DueRun }>(
      `SELECT payload FROM graphile_worker._private_jobs ORDER BY id`,
    );
    return rows.map(({ payload }) => new Date(payload.due_at));
  };
  const missed = (interval: string) =>
    pool.query(`UPDATE plugin_schedules SET next_at = date_trunc('day', now()) - interval '${interval}'`);

  it('are due at the next time in UTC, and not before', async () => {
    await begin(new Schedule(DAILY, '30 6 * * *'));
    const [plan] = await eventually(async () => {
      const rows = await planned();
      expect(rows).toHaveLength(1);
      return rows;
    });
    expect(plan).toMatchObject({ name: 'daily', cron: '30 6 * * *' });
    expect([plan!.next_at.getUTCHours(), plan!.next_at.getUTCMinutes()]).toEqual([6, 30]);
    const inMs = plan!.next_at.getTime() - Date.now();
    expect(inMs > 0 && inMs <= 86_400_000).toBe(true);
    expect(await jobs()).toEqual([]);
  });

  it('that were missed make one job, however often that was, for the first time', async () => {
    const first = await begin(new Schedule(DAILY, '0 0 * * *'));
    await eventually(async () => expect(await planned()).toHaveLength(1));
    await first.duty.end();
    await missed('40 days');
    const [before] = await planned();
    await begin(new Schedule(DAILY, '0 0 * * *'));
    await eventually(async () => expect(await jobs()).toEqual([before!.next_at]));
    const [after] = await planned();
    expect(after!.next_at.getTime()).toBeGreaterThan(Date.now());
    // Those who look at the same time add none.
    await Promise.all([begin(new Schedule(DAILY, '0 0 * * *')), begin(new Schedule(DAILY, '0 0 * * *'))]);
    await missed('1 day');
    await eventually(async () => expect((await planned())[0]!.next_at.getTime()).toBeGreaterThan(Date.now()));
    // The one that waits is replaced.
    expect(await jobs()).toHaveLength(1);
  });

  it('rest while the clocks of the process and of the database disagree', async () => {
    await begin(new Schedule(DAILY, '0 0 * * *'));
    await eventually(async () => expect(await planned()).toHaveLength(1));
    isAgreed = false;
    // A look that had begun is over by then.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await missed('1 day');
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await jobs()).toEqual([]);
    isAgreed = true;
    await eventually(async () => expect(await jobs()).toHaveLength(1));
  });

  it('that have changed are due by their new expression', async () => {
    const first = await begin(new Schedule(DAILY, '0 0 1 1 *'));
    await eventually(async () => expect(await planned()).toHaveLength(1));
    await first.duty.end();
    await begin(new Schedule(DAILY, '* * * * *'));
    await eventually(async () => {
      const [plan] = await planned();
      expect(plan!.cron).toBe('* * * * *');
      expect(plan!.next_at.getTime() - Date.now()).toBeLessThanOrEqual(60_000);
    });
  });
});
