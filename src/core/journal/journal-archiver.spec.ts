import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Floor, limit, onClient, openFloor, queryOnce, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { openPool } from '../../../test/support/pool.js';
import { tradeAtRandom } from '../../../test/support/trading-run.js';
import { Clock } from '../../kit/clock.js';
import { rebuildTables } from './rebuild.js';
import { archiveJournal, type Archived, removeArchived, writeArchive } from './journal-archiver.js';
import { listArchive } from './journal-archive.js';
import { JournalFollower } from '../reads/journal-follower.js';
import { makePartitions } from './journal-partitions.js';
import { type JournalEntry, readJournal } from './journal-reader.js';
import { PointInTime } from '../reads/point-in-time.js';

/** Small, so that there are several files of several members. */
const SIZES = { bytesPerFile: 6_000, bytesPerMember: 2_000 };

describe('the archive of the journal', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tradepost-archive-'));
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
    await tradeAtRandom(core, floor, 7, 40);
  });
  afterEach(async () => {
    await core.stop();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  // Rows that are not projected yet stay in the journal's table, so `archive` and `prove` wait for the projection.
  const entries = (): Promise<JournalEntry[]> =>
    onClient(database.url, (client) => readJournal(client, 0, 10_000));
  const archive = async () => {
    await core.sequencer.freshTerm().projected();
    return onClient(database.url, (client) => archiveJournal(client, { folder, ...SIZES }));
  };
  const verify = (options: Parameters<TestCore['verify']>[0] = {}) =>
    core.verify({ archive: folder, ...options });
  /** The sequence up to which a checkpoint proves the journal. */
  const prove = async (): Promise<number> => {
    await core.sequencer.freshTerm().projected();
    const verification = await core.verify({ saveCheckpoint: true });
    return verification.sequence;
  };
  const write = (sequence: number) =>
    onClient(database.url, (client) => writeArchive(client, folder, sequence, SIZES));
  const remove = (sequence: number) =>
    onClient(database.url, (client) => removeArchived(client, folder, sequence));

  it('holds all but the last row, from which a service starts', async () => {
    const all = await entries();
    const archived = (await archive()) as Archived;
    expect(archived).toMatchObject({ rows: all.length - 1, sequence: all.at(-2)!.lastSequence });
    expect(archived.files.length).toBeGreaterThan(2);
    expect(await entries()).toEqual([all.at(-1)]);
    const hash = core.stateHash();
    await core.stop();
    core = await TestCore.start(database.url);
    expect(core.stateHash()).toBe(hash);
  });

  it('is verified with the table as one chain, and the tables are rebuilt from both', async () => {
    const before = await verify();
    await archive();
    expect(await verify()).toEqual(before);
    await tradeAtRandom(core, floor, 8, 10);
    const stateHash = core.stateHash();
    const { length } = await entries();
    expect(await verify()).toMatchObject({ ok: true, from: 0, stateHash });
    expect(await core.verify()).toMatchObject({ ok: true, entries: length - 1, stateHash });
    await core.sequencer.freshTerm().projected();
    const rebuilt = await onClient(database.url, (client) => rebuildTables(client, { archive: folder }));
    expect(rebuilt).toMatchObject({ differences: [], hashFault: null, stateHash });
    await expect(onClient(database.url, (client) => rebuildTables(client))).rejects.toThrow(
      'begins at sequence',
    );
  });

  it('grows by every run', async () => {
    await archive();
    const all = await verify();
    await tradeAtRandom(core, floor, 9, 10);
    expect(await archive()).toMatchObject({ sequence: (await entries())[0]!.firstSequence - 1 });
    await tradeAtRandom(core, floor, 10, 10);
    await archive();
    expect(await archive()).toMatchObject({ files: [], rows: 0 });
    const verification = await verify();
    expect(verification).toMatchObject({ ok: true, from: 0, stateHash: core.stateHash() });
    expect(verification.sequence).toBeGreaterThan(all.sequence);
    const files = await listArchive(folder);
    for (const [index, { firstSequence }] of files.entries())
      expect(firstSequence).toBe((files[index - 1]?.lastSequence ?? 0) + 1);
  });

  it('keeps every answer about the past', async () => {
    const pool = openPool(database.url);
    try {
      const pointInTime = new PointInTime(core.followed, pool, new Clock());
      const all = await entries();
      const times = all.flatMap(({ timeMs }) => [timeMs - 1, timeMs]);
      const ask = async () => ({
        sequences: await pointInTime.sequencesAt(times),
        times: await Promise.all(all.map(({ lastSequence }) => pointInTime.timeOf(lastSequence))),
      });
      const before = await ask();
      expect(new Set(before.sequences).size).toBeGreaterThan(all.length / 2);
      await archive();
      expect(await ask()).toEqual(before);
    } finally {
      await pool.end();
    }
  });

  it('leaves in the table what a follower has not read, and tells one that comes later', async () => {
    const pool = openPool(database.url);
    try {
      const follower = new JournalFollower(core.followed, pool);
      await follower.catchUp('early', () => Promise.resolve());
      await tradeAtRandom(core, floor, 11, 10);
      const [cursor] = await core.query<{ sequence: number }>(
        `SELECT sequence::int FROM journal_cursors WHERE name = 'early'`,
      );
      expect(await archive()).toMatchObject(cursor!);
      let seen = 0;
      await follower.catchUp('early', (read) => {
        seen += read.length;
        return Promise.resolve();
      });
      expect(seen).toBe((await entries()).length);
      await expect(follower.step('late', () => Promise.resolve())).rejects.toThrow('archived');
    } finally {
      await pool.end();
    }
  });

  it('waits for the consumers of plugins, but not for those that have long been away', async () => {
    await core.query(
      `INSERT INTO journal_cursors (name, sequence, reads_journal) VALUES ('plugin:acme:points', 0, true)`,
    );
    await core.query(`INSERT INTO plugin_consumers (name, types, place) VALUES ('acme:points', '{}', 0)`);
    expect(await archive()).toMatchObject({ rows: 0, sequence: 0 });
    await core.query(`DELETE FROM plugin_consumers`);
    expect(await archive()).not.toMatchObject({ rows: 0 });
  });

  it('takes whole partitions, and parts of the one that is in use', async () => {
    const end = core.sequencer.freshTerm().sequence + 1;
    await core.stop();
    await queryOnce(
      database.url,
      `ALTER TABLE journal DETACH PARTITION journal_0;
       ALTER TABLE journal ATTACH PARTITION journal_0 FOR VALUES FROM (MINVALUE) TO (${end});
       DROP TABLE journal_10000000`,
    );
    await onClient(database.url, (client) => makePartitions(client, end, 1_000));
    core = await TestCore.start(database.url);
    await tradeAtRandom(core, floor, 12, 20);
    const all = await entries();
    expect(await archive()).toMatchObject({ rows: all.length - 1 });
    const partitions = await queryOnce<{ name: string }>(
      database.url,
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'journal'::regclass`,
    );
    expect(partitions.map(({ name }) => name)).not.toContain('journal_0');
    expect(partitions.map(({ name }) => name)).toContain(`journal_${end}`);
    expect(await verify()).toMatchObject({ ok: true, entries: all.length, stateHash: core.stateHash() });
  });

  describe('where a run is killed', () => {
    it('in the middle of a file, writes it anew', async () => {
      await writeFile(join(folder, 'journal.unfinished'), 'the beginning of a file');
      const all = await entries();
      expect(await verify()).toMatchObject({ ok: true, entries: all.length });
      expect(await archive()).toMatchObject({ rows: all.length - 1 });
      expect(await readdir(folder)).not.toContain('journal.unfinished');
    });

    it('between two files, goes on with the next', async () => {
      const all = await entries();
      const sequence = await prove();
      const files = await write(sequence);
      for (const { path } of files.slice(1)) await rm(path);
      expect(await verify()).toMatchObject({ ok: true, entries: all.length });
      expect(await archive()).toMatchObject({ rows: all.length - 1 });
      expect((await listArchive(folder)).map(({ lastSequence }) => lastSequence)).toEqual(
        files.map(({ lastSequence }) => lastSequence),
      );
      expect(await verify()).toMatchObject({ ok: true, entries: all.length });
    });

    it('before any row was removed, reads each once', async () => {
      const all = await entries();
      const sequence = await prove();
      await write(sequence);
      await tradeAtRandom(core, floor, 13, 10);
      const { length } = await entries();
      expect(await verify()).toMatchObject({ ok: true, entries: length });
      expect(await archive()).toMatchObject({ rows: length - 1 });
      expect(length).toBeGreaterThan(all.length);
      expect(await verify()).toMatchObject({ ok: true, entries: length, stateHash: core.stateHash() });
    });

    it('after some were removed, removes the others', async () => {
      const all = await entries();
      const sequence = await prove();
      const files = await write(sequence);
      await rm(files.at(-1)!.path);
      const removed = await remove(sequence);
      expect(removed).toBeLessThan(all.length - 1);
      await write(sequence);
      expect(removed + (await remove(sequence))).toBe(all.length - 1);
      expect(await verify()).toMatchObject({ ok: true, entries: all.length });
      expect(await queryOnce(database.url, 'SELECT count(*)::int FROM journal_commits')).toEqual([
        { count: all.length },
      ]);
    });
  });

  describe('with a damaged file', () => {
    const damages: Readonly<Record<string, (path: string) => Promise<void>>> = {
      cut: async (path) => truncate(path, (await stat(path)).size - 20),
      'no archive at all': (path) => writeFile(path, 'x'),
      forged: async (path) => {
        const text = gunzipSync(await readFile(path)).toString();
        await writeFile(path, gzipSync(text.replace('\\"type\\"', '\\"Type\\"')));
      },
      'without a line': async (path) => {
        const lines = gunzipSync(await readFile(path))
          .toString()
          .split('\n');
        await writeFile(path, gzipSync(lines.toSpliced(0, 1).join('\n')));
      },
      missing: (path) => rm(path),
    };
    /** Runs a check on each kind of damage to the second file, and undoes it afterwards. */
    const withDamages = async (check: (told: string) => Promise<void>): Promise<void> => {
      const { path } = (await listArchive(folder))[1]!;
      const content = await readFile(path);
      for (const [what, damage] of Object.entries(damages)) {
        await damage(path);
        await check(what === 'missing' ? 'is missing' : path);
        await writeFile(path, content);
      }
    };

    it('costs no row, and is named', async () => {
      const all = await entries();
      const sequence = await prove();
      await write(sequence);
      await withDamages(async (told) => {
        await expect(remove(sequence)).rejects.toThrow(told);
      });
      expect(await entries()).toEqual(all);
      expect(await remove(sequence)).toBe(all.length - 1);
    });

    it('is named by the verification, which needs it no more after a checkpoint', async () => {
      await archive();
      await withDamages(async (told) => {
        const verification = await verify();
        expect(verification.ok ? 'ok' : verification.reason).toContain(told);
        const rebuild = onClient(database.url, (client) => rebuildTables(client, { archive: folder }));
        await expect(rebuild).rejects.toThrow(told);
        expect(await core.verify()).toMatchObject({ ok: true, stateHash: core.stateHash() });
      });
      expect(await verify()).toMatchObject({ ok: true, from: 0 });
    });
  });

  describe('beside an older database', () => {
    let older: TestDatabase;
    let restored: TestCore;
    beforeEach(async () => {
      await core.stop();
      older = await createTestDatabase(new URL(database.url).pathname.slice(1));
      core = await TestCore.start(database.url);
      await tradeAtRandom(core, floor, 23, 20);
      await archive();
      restored = await TestCore.start(older.url);
    });
    afterEach(async () => {
      await restored.stop();
      await older.drop();
    });
    const told = async (what: string): Promise<void> => {
      const expected = [expect.stringContaining(what)] as unknown;
      await restored.sequencer.freshTerm().projected();
      expect(await restored.verify({ archive: folder })).toMatchObject({ ok: true, foreignRows: expected });
      await onClient(older.url, async (client) => {
        expect(await rebuildTables(client, { archive: folder })).toMatchObject({
          hashFault: null,
          differences: [],
          foreignRows: expected,
        });
        await expect(archiveJournal(client, { folder, ...SIZES })).rejects.toThrow(what);
      });
    };

    it('is not read for what that holds itself; the file that goes on after its end is named', async () => {
      const files = await listArchive(folder);
      const [{ last }] = (await restored.query<{ last: string }>(
        'SELECT last_sequence AS last FROM core_leader',
      )) as [{ last: string }];
      const next = files.find(({ lastSequence }) => lastSequence > Number(last))!;
      await told(`${next.path} goes on after the end of this database`);
      const names = await readdir(folder);
      expect(names).toHaveLength(files.length);
    });

    it('that has gone another way since is named with the first row that differs', async () => {
      await tradeAtRandom(restored, floor, 29, 30);
      await told('has another row than this database at sequence');
    });
  });

  it('that ends before the table begins is refused', async () => {
    await archive();
    const files = await listArchive(folder);
    await rm(files.at(-1)!.path);
    await expect(verify()).rejects.toThrow('name the folder');
    expect(await core.verify({ fromCheckpoint: true })).toMatchObject({ ok: true });
  });

  it('is not begun where the journal cannot be proven', async () => {
    await core.place(limit(floor.cat, 'buy', 90, 3));
    await core.query('UPDATE balances SET available = available + 1');
    expect(await archive()).toMatchObject({ ok: false });
    expect(await readdir(folder)).toEqual([]);
  });

  it('is written by one run at a time', async () => {
    await onClient(database.url, async (client) => {
      await client.query('SELECT pg_advisory_lock($1)', [0x6172_6368]);
      await expect(archive()).rejects.toThrow('another run');
    });
  });
});
