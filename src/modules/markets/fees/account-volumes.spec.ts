import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENT, type Floor, limit, openFloor, SPOT, TestCore } from '../../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { seedFromEnvironment } from '../../../../test/support/domain/property.js';
import { randomsFrom } from '../../../../test/support/hostile-values.js';
import { openPool } from '../../../../test/support/pool.js';
import { Clock } from '../../../kit/clock.js';
import type { MomentsService } from '../../accounts/moments/moments.service.js';
import { AccountVolumes, volumesOf } from './account-volumes.service.js';

const seed = seedFromEnvironment();

describe(`what accounts trade, SEED=${seed}`, () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let core: TestCore;
  let floor: Floor;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
  });
  afterAll(async () => {
    await core.stop();
    await pool.end();
    await database.drop();
  });

  const newVolumes = (): AccountVolumes => {
    const moments = { sequenceBefore: () => Promise.resolve(0) } as unknown as MomentsService;
    return new AccountVolumes(core.followed, moments, new Clock(), pool);
  };
  const readVolume = async (accountId: number): Promise<bigint> => {
    const [row] = await core.query<{ volume: string }>(
      `SELECT coalesce(sum(volume), 0)::text AS volume FROM (${volumesOf('$1')}) AS traded WHERE asset = 'USD'`,
      [accountId],
    );
    return BigInt(row!.volume);
  };
  const countWritten = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM account_volumes',
    );
    return rows[0]!.count;
  };

  it('is exact at every moment, whichever of it is written and by whom', async () => {
    const randoms = randomsFrom(seed);
    const random = (bound: number): number => Math.floor(randoms() * bound);
    const traders = [floor.ann, floor.bob, floor.cat];
    const processes = [newVolumes(), newVolumes()];
    const traded = new Map(traders.map((accountId) => [accountId, 0n]));
    let readings = 0;
    for (let round = 0; round < 120; round++) {
      const marketId = random(3) === 0 ? EVENT : SPOT;
      const ticks = marketId === EVENT ? 45 + random(10) : 10_000 + random(10);
      const side = random(2) === 0 ? 'buy' : 'sell';
      const { fills } = await core.place(
        limit(traders[random(3)]!, side, ticks, 1 + random(9), { marketId }),
      );
      for (const { makerAccountId, takerAccountId, notional } of fills)
        for (const accountId of [makerAccountId, takerAccountId])
          traded.set(accountId, traded.get(accountId)! + notional);
      if (random(4) === 0) {
        for (const accountId of traders) expect(await readVolume(accountId)).toBe(traded.get(accountId));
        readings++;
      }
      if (random(10) === 0) await Promise.all(processes.map((each) => each.catchUp()));
      // As after a restart.
      if (random(20) === 0) processes[random(2)] = newVolumes();
    }
    expect(readings).toBeGreaterThan(10);
    expect(await countWritten()).toBe(traders.length);
  });
});
