import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Floor, openFloor, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { AccountRecords } from './account-records.js';

describe('AccountRecords', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let core: TestCore;
  let floor: Floor;
  let records: AccountRecords;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 2 });
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
    const { sequencer } = core;
    records = new AccountRecords(pool, sequencer.listeners, () =>
      sequencer.currentTerm?.isFresh() === true ? `${sequencer.currentTerm.epoch}` : null,
    );
  });
  afterAll(async () => {
    await core.stop();
    await pool.end();
    await database.drop();
  });

  const setLevel = (level: number) => core.run({ type: 'set_kyc_level', accountId: floor.ann, level });
  const levels = async (): Promise<(number | undefined)[]> => {
    const [owned] = await records.ofOwner('user:ann');
    return [(await records.find(floor.ann))?.kycLevel, owned?.kycLevel];
  };

  it('are as the last commit left them', async () => {
    expect(await levels()).toEqual([0, 0]);
    for (const level of [1, 2, 0, 1]) {
      await setLevel(level);
      expect(await levels()).toEqual([level, level]);
    }
    expect((await records.find(floor.bob))?.kycLevel).toBe(0);
    expect(await records.find(999_999)).toBeUndefined();
  });

  it('know who is frozen as of the last commit', async () => {
    const isFrozen = async (): Promise<boolean | undefined> => (await records.find(floor.ann))?.frozen;
    expect(await isFrozen()).toBe(false);
    for (const frozen of [true, false]) {
      await core.run({ type: 'set_account_frozen', accountId: floor.ann, frozen });
      expect(await isFrozen()).toBe(frozen);
    }
  });

  it('are read once for as long as nothing changes them', async () => {
    await records.find(floor.bob);
    await pool.query('UPDATE accounts SET name = $2 WHERE account_id = $1', [floor.bob, 'robert']);
    expect((await records.find(floor.bob))?.name).toBe('bob');
  });

  it('are read together where they are asked for at the same time', async () => {
    const others = new AccountRecords(pool, core.sequencer.listeners, () => 'one');
    const query = vi.spyOn(pool, 'query');
    const asked = [floor.ann, floor.bob, 999_999, Number.NaN, floor.ann, floor.bob];
    const found = await Promise.all(asked.map(async (accountId) => others.find(accountId)));
    expect(found.map((record) => record?.name)).toEqual([
      'ann',
      'robert',
      undefined,
      undefined,
      'ann',
      'robert',
    ]);
    // The first one goes alone, and all that come while it is read go with the next.
    expect(query).toHaveBeenCalledTimes(2);
    query.mockRestore();
  });

  it('do not remember what was read while a level was set', async () => {
    const reads = Array.from({ length: 50 }, () => records.ofOwner('user:ann'));
    await Promise.all([...reads, setLevel(3), ...Array.from({ length: 50 }, () => records.find(floor.ann))]);
    expect(await levels()).toEqual([3, 3]);
  });

  it('are read again after a change of leaders', async () => {
    await records.find(floor.bob);
    await core.cutWriter();
    await setLevel(4);
    expect(await levels()).toEqual([4, 4]);
    expect((await records.find(floor.bob))?.name).toBe('robert');
  });
});
