import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Floor, limit, onClient, openFloor, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import type { CoreService } from '../core.service.js';
import { type FollowJournal, JournalFollower } from './journal-follower.js';
import { type EntryEffects, readEffects } from '../journal/journal-reader.js';
import type { RecentRows } from '../journal/recent-rows.js';

describe('JournalFollower', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let core: TestCore;
  let floor: Floor;
  let follower: JournalFollower;
  beforeAll(async () => {
    database = await createTestDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 4 });
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
    follower = new JournalFollower(core.followed, pool);
    await pool.query(
      'CREATE TABLE seen (place bigint GENERATED ALWAYS AS IDENTITY, follower text, sequence bigint)',
    );
  });
  afterAll(async () => {
    await core.stop();
    await pool.end();
    await database.drop();
  });

  /** Records its input, inside the transaction that advances the cursor. */
  const writeDown =
    (name: string): FollowJournal =>
    async (entries, transaction) => {
      for (const { lastSequence } of entries) {
        await transaction.query('INSERT INTO seen (follower, sequence) VALUES ($1, $2)', [
          name,
          lastSequence,
        ]);
      }
    };
  const seenBy = async (name: string): Promise<number[]> => {
    const { rows } = await pool.query<{ sequence: string }>(
      'SELECT sequence FROM seen WHERE follower = $1 ORDER BY place',
      [name],
    );
    return rows.map(({ sequence }) => Number(sequence));
  };
  const journaled = async (): Promise<number[]> => {
    const { rows } = await pool.query<{ last: string }>(
      'SELECT last_sequence AS last FROM journal ORDER BY last_sequence',
    );
    return rows.map(({ last }) => Number(last));
  };

  it('is given every entry once, in order, from the very first', async () => {
    await follower.catchUp('a', writeDown('a'));
    expect(await seenBy('a')).toEqual(await journaled());
    expect(await follower.step('a', writeDown('a'))).toEqual({ entries: 0, isMoreLeft: false });
    await core.place(limit(floor.ann, 'buy', 100, 1));
    expect(await follower.step('a', writeDown('a'))).toEqual({ entries: 1, isMoreLeft: false });
    expect(await seenBy('a')).toEqual(await journaled());
  });

  it('is given no more at a time than spans so much of the sequence, and one entry at least', async () => {
    for (const size of [3, 1, 1, 5, 1])
      await core.submit(Array.from({ length: size }, () => limit(floor.ann, 'buy', 50, 1)));
    const lasts = await journaled();
    const spans: number[] = [];
    const note: FollowJournal = (entries) => {
      spans.push(entries.at(-1)!.lastSequence - entries[0]!.firstSequence + 1);
      return Promise.resolve();
    };
    const sequencesMax = 4;
    let steps = 0;
    while ((await follower.step('bounded', note, { sequencesMax })).isMoreLeft) steps++;
    const { rows } = await pool.query<{ sequence: string }>(
      `SELECT sequence FROM journal_cursors WHERE name = 'bounded'`,
    );
    expect(Number(rows[0]!.sequence)).toBe(lasts.at(-1));
    const largest = Math.max(...lasts.map((last, i) => last - (lasts[i - 1] ?? 0)));
    expect(largest).toBeGreaterThan(sequencesMax);
    expect(Math.max(...spans)).toBeLessThan(sequencesMax + largest);
    expect(steps).toBeLessThan(lasts.length);
  });

  it('is given again what it failed on, and keeps nothing of the failure', async () => {
    const failing: FollowJournal = async (entries, transaction) => {
      await writeDown('b')(entries, transaction);
      throw new Error('the follower fails after it has written');
    };
    await expect(follower.step('b', failing)).rejects.toThrow('fails after');
    expect(await seenBy('b')).toEqual([]);
    await follower.catchUp('b', writeDown('b'));
    expect(await seenBy('b')).toEqual(await journaled());
  });

  it('takes turns with others of its name, while orders go on', async () => {
    let isOver = false;
    const trading = (async () => {
      while (!isOver) await core.place(limit(floor.ann, 'buy', 100, 1));
    })();
    const following = Array.from({ length: 3 }, async () => {
      for (let round = 0; round < 15; round++) await follower.step('c', writeDown('c'));
    });
    await Promise.all(following);
    isOver = true;
    await trading;
    await follower.catchUp('c', writeDown('c'));
    expect(await seenBy('c')).toEqual(await journaled());
  });

  describe('beside what its process has committed lately', () => {
    const remembered = () => core.sequencer.freshTerm().recentRows;
    /** A follower whose process remembers other rows than the term does. */
    const withMemory = (take: RecentRows['take']) => {
      const followed = Object.create(core.followed, { recentRows: { value: { take } } }) as CoreService;
      return new JournalFollower(followed, pool);
    };
    /** All that a new follower is handed, before and after another commit. */
    const handedOver = async (follower: JournalFollower, name: string) => {
      const handed: EntryEffects[] = [];
      const note: FollowJournal = (entries) => Promise.resolve(void handed.push(...entries));
      await follower.catchUp(name, note);
      await core.place(limit(floor.ann, 'buy', 100, 1));
      await follower.catchUp(name, note);
      return handed;
    };
    const read = () => onClient(database.url, (client) => readEffects(client, 0, 10_000));

    it('is handed these, which are what the journal has', async () => {
      let answered = 0;
      const counting = withMemory((range) => {
        const rows = remembered().take(range);
        answered += rows.length;
        return rows;
      });
      expect(await handedOver(counting, 'remembered')).toEqual(await read());
      expect(answered).toBe(1);
    });

    it('is handed what the journal has where that is another row, as after a restore', async () => {
      let answered = 0;
      const other = withMemory((range) => {
        const rows = remembered().take(range);
        answered += rows.length;
        return rows.map((row) => ({ ...row, timeMs: 0, hash: 'of another row' }));
      });
      expect(await handedOver(other, 'other')).toEqual(await read());
      expect(answered).toBe(1);
    });
  });
});
