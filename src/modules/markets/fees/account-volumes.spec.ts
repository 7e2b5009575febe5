import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limit, openFloor, TestCore } from '../../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { openPool } from '../../../../test/support/pool.js';
import { Followers } from '../../../core/followers/followers.js';
import { Clock } from '../../../platform/clock.js';
import type { Purges } from '../../../platform/jobs/purges.js';
import type { MomentsService } from '../../core-access/moments.service.js';
import { AccountVolumes } from './account-volumes.service.js';

let database: TestDatabase;
let pool: pg.Pool;
let core: TestCore;
beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url);
  core = await TestCore.start(database.url);
});
afterAll(async () => {
  await core.stop();
  await pool.end();
  await database.drop();
});

it('volumes tell how long the oldest trade has waited to be counted', async () => {
  const floor = await openFloor(core);
  const followers = new Followers();
  let isFailing = false;
  const moments = {
    sequenceBefore: () => (isFailing ? Promise.reject(new Error('no moments')) : Promise.resolve(0)),
  } as unknown as MomentsService;
  const purges = { add: () => undefined } as unknown as Purges;
  const volumes = new AccountVolumes(core.followed, moments, new Clock(), pool, purges, followers);
  volumes.onModuleInit();
  const lagMs = (): number => followers.lags[0]!.lagMs;
  try {
    await core.place(limit(floor.ann, 'buy', 100, 2));
    await core.sequencer.currentTerm!.projected();
    expect(lagMs()).toBe(0);
    await core.place(limit(floor.bob, 'sell', 100, 1));
    expect(lagMs()).toBeGreaterThan(0);
    isFailing = true;
    await expect(volumes.catchUp()).rejects.toThrow('no moments');
    expect(lagMs()).toBeGreaterThan(0);
    isFailing = false;
    await volumes.catchUp();
    expect(lagMs()).toBe(0);
    expect((await pool.query('SELECT FROM account_volumes')).rowCount).toBe(2);
  } finally {
    await volumes.onModuleDestroy();
  }
});
