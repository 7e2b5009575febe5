import { describe, expect, it } from 'vitest';
import { type Floor, limit, onClient, queryOnce, TestCore } from '../../../test/support/core.js';
import type { TestDatabase } from '../../../test/support/database.js';
import { onFreshFloor } from '../../../test/support/fresh-floor.js';
import { journalPartitions, makePartitions, SEQUENCES_PER_PARTITION } from './journal-partitions.js';

describe('the partitions of the journal', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  onFreshFloor(
    (fresh) => void ({ database, core, floor } = fresh),
    () => core.stop(),
  );

  const ends = () =>
    onClient(database.url, async (client) => (await journalPartitions(client)).map(({ end }) => end));
  /** Takes away all ranges that are not begun. */
  const narrow = async (): Promise<number> => {
    const end = core.sequencer.freshTerm().sequence + 1;
    await queryOnce(
      database.url,
      `ALTER TABLE journal DETACH PARTITION journal_0;
       ALTER TABLE journal ATTACH PARTITION journal_0 FOR VALUES FROM (MINVALUE) TO (${end});
       DROP TABLE journal_${SEQUENCES_PER_PARTITION}`,
    );
    return end;
  };

  it('are there a whole range ahead of the last commit from the first take-over on', async () => {
    expect(await ends()).toEqual([SEQUENCES_PER_PARTITION, 2 * SEQUENCES_PER_PARTITION]);
  });

  it('are made while others commit and read, and once only', async () => {
    const end = await narrow();
    await core.stop();
    await onClient(database.url, async (client) => {
      await makePartitions(client, end, 10);
      expect(await ends()).toEqual([end, end + 10, end + 20]);
      await makePartitions(client, end, 10);
      expect(await ends()).toEqual([end, end + 10, end + 20]);
    });
    core = await TestCore.start(database.url);
    await onClient(database.url, async (reader) => {
      await reader.query('BEGIN');
      await reader.query('LOCK TABLE journal IN ROW EXCLUSIVE MODE');
      await onClient(database.url, (client) => makePartitions(client, 3 * SEQUENCES_PER_PARTITION));
      await reader.query('COMMIT');
    });
    for (let index = 0; index < 30; index++) await core.place(limit(floor.ann, 'buy', 100, 1));
    const rows = await core.query<{ partitions: string }>(
      'SELECT count(DISTINCT tableoid) AS partitions FROM journal',
    );
    expect(Number(rows[0]!.partitions)).toBeGreaterThan(3);
    expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
  });

  it('are made by the next term where a commit finds none, and nobody is blamed for it', async () => {
    await narrow();
    const { order } = await core.place(limit(floor.ann, 'buy', 100, 1));
    expect(order.status).toBe('open');
    expect(core.sequencer.faults.size).toBe(0);
    expect(await ends()).toHaveLength(2);
  });

  it('keep commands and effects out of compression, as the first one does', async () => {
    const storage = await core.query(
      `SELECT DISTINCT attname, attstorage FROM pg_attribute JOIN pg_inherits ON inhrelid = attrelid
       WHERE inhparent = 'journal'::regclass AND attname IN ('actors', 'commands', 'effects') ORDER BY 1`,
    );
    expect(storage).toEqual([
      { attname: 'actors', attstorage: 'e' },
      { attname: 'commands', attstorage: 'e' },
      { attname: 'effects', attstorage: 'e' },
    ]);
  });
});
