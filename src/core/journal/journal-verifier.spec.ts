import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EVENT, type Floor, limit, onClient, openFloor, TestCore } from '../../../test/support/core.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { dropKeptTables, keepTables, restoreTables } from '../../../test/support/kept-tables.js';
import { PageHash, pagesOf, readPages, type StatePage } from '../state/state-pages.js';
import { stateRowsOf } from '../state/rows-of-state.js';
import { type Checkpoint, newestCheckpoint, saveCheckpoint } from './checkpoint.js';
import { GENESIS_HASH, journalHash } from './journal.js';
import { readJournal } from './journal-reader.js';
import { type VerifyOptions } from './journal-verifier.js';

describe('verifyJournal', () => {
  let database: TestDatabase;
  let core: TestCore;
  let floor: Floor;
  let stateHash: string;
  /** The last sequences of all rows, oldest first. */
  let rows: number[];
  beforeAll(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url);
    floor = await openFloor(core);
    for (let index = 0; index < 10; index++) {
      await core.place(limit(floor.ann, 'sell', 100 + index, 10));
      await core.place(limit(floor.bob, 'buy', 100 + index, 7));
      await core.place(limit(floor.cat, 'buy', 40, 5, { marketId: EVENT }));
      await core.place(limit(floor.ann, 'sell', 40, 5, { marketId: EVENT }));
    }
    stateHash = core.stateHash();
    await core.stop();
    rows = (await onClient(database.url, (client) => readJournal(client, 0, 1_000))).map(
      ({ lastSequence }) => lastSequence,
    );
  });
  afterAll(async () => {
    await database.drop();
  });

  /** Runs one check on a damaged copy of the tables, all of which is undone afterwards. */
  const damagedBy = async (statement: string, values: unknown[] = [], options: VerifyOptions = {}) => {
    const tables = [
      'journal',
      'balances',
      'positions',
      'orders',
      'holds',
      'markets',
      'market_books',
      'core_leader',
    ];
    return onClient(database.url, async (client) => {
      await keepTables(client, tables);
      try {
        await client.query(statement, values);
        return await core.verify(options);
      } finally {
        await restoreTables(client, tables);
        await dropKeptTables(client, tables);
      }
    });
  };

  it('replays to the state that was kept in memory', async () => {
    const seen: number[] = [];
    const result = await core.verify({ onProgress: ({ sequence }) => seen.push(sequence) });
    expect(result).toMatchObject({ ok: true, entries: rows.length, sequence: rows.at(-1), stateHash });
    expect(seen.at(-1)).toBe(rows.at(-1));
  });

  describe('names the first row that differs', () => {
    const middle = () => rows[Math.floor(rows.length / 2)]!;

    it.each([
      ['its commands', `commands = replace(commands, '"sizeLots":10', '"sizeLots":11')`, 'content'],
      ['its time', `committed_at = committed_at + interval '1 millisecond'`, 'content'],
      ['its state hash', `state_hash = repeat('0', 64)`, 'content'],
      ['its own hash', `hash = repeat('0', 64)`, 'content'],
      ['the hash before it', `previous_hash = repeat('0', 64)`, 'previous_hash'],
      ['where it begins', `first_sequence = first_sequence - 1`, 'content'],
      ['its engine', `engine_version = 99`, 'engine'],
    ])('when somebody has edited %s', async (_what, change, reason) => {
      const row = rows[rows.length - 4]!;
      const result = await damagedBy(`UPDATE journal SET ${change} WHERE last_sequence = $1`, [row]);
      expect(result).toMatchObject({
        ok: false,
        sequence: row,
        reason: expect.stringContaining(reason) as string,
      });
    });

    it('when a row is missing', async () => {
      const result = await damagedBy('DELETE FROM journal WHERE last_sequence = $1', [middle()]);
      expect(result).toMatchObject({ ok: false, sequence: rows[rows.indexOf(middle()) + 1] });
    });

    it('when the last row is missing', async () => {
      const result = await damagedBy('DELETE FROM journal WHERE last_sequence = $1', [rows.at(-1)]);
      expect(result).toMatchObject({ ok: false, reason: expect.stringContaining('leader') as string });
    });

    it('when somebody has forged the chain as well', async () => {
      const entries = await onClient(database.url, (client) => readJournal(client, 0, 1_000));
      const index = entries.findIndex(({ commands }) => commands.includes('"sizeLots":7'));
      const forged = entries[index]!;
      const commands = forged.commands.replace('"sizeLots":7', '"sizeLots":8');
      const hash = journalHash(entries[index - 1]?.hash ?? GENESIS_HASH, { ...forged, commands });
      const result = await damagedBy('UPDATE journal SET commands = $2, hash = $3 WHERE last_sequence = $1', [
        forged.lastSequence,
        commands,
        hash,
      ]);
      expect(result).toMatchObject({ ok: false, sequence: forged.lastSequence });
    });

    it.each([
      ['the effects', 'effects = overlay(effects PLACING $2 FROM 3)'],
      ['the effects, cut short', 'effects = substring(effects FOR length(effects) - length($2::bytea))'],
      ['packed effects that are none', 'effects = $2'],
      ['packed commands that are none', 'commands = NULL, packed_commands = $2'],
    ])('when somebody has changed %s', async (_what, change) => {
      const statement = `UPDATE journal SET ${change} WHERE last_sequence = $1`;
      const result = await damagedBy(statement, [middle(), Buffer.from([0, 1, 2, 3, 4, 5])]);
      expect(result).toMatchObject({ ok: false, sequence: middle() });
    });

    it('when forged effects stand in a forged chain', async () => {
      const entries = await onClient(database.url, (client) => readJournal(client, 0, 1_000));
      const forged = entries.find(({ commands }) => commands.includes('"sizeLots":7'))!;
      const effects = Buffer.from(forged.effects!);
      // Within the first rows: the value of a new order.
      effects[12]! ^= 1;
      const hash = journalHash(forged.previousHash, { ...forged, effects });
      const statement = 'UPDATE journal SET effects = $2, hash = $3 WHERE last_sequence = $1';
      const result = await damagedBy(statement, [forged.lastSequence, effects, hash]);
      expect(result).toMatchObject({
        ok: false,
        sequence: forged.lastSequence,
        reason: 'its effects are not what its commands do',
      });
    });

    it.each(['[null]', '['])(
      'when forged commands are such that nobody can take them: %s',
      async (commands) => {
        const last = (await onClient(database.url, (client) => readJournal(client, 0, 1_000))).at(-1)!;
        const hash = journalHash(last.previousHash, { ...last, commands });
        const statement = 'UPDATE journal SET commands = $2, hash = $3 WHERE last_sequence = $1';
        const result = await damagedBy(statement, [last.lastSequence, commands, hash]);
        expect(result).toMatchObject({ ok: false, sequence: last.lastSequence });
      },
    );
  });

  it.each([
    [
      'balances',
      'UPDATE balances SET available = available + 1 WHERE account_id = $1 AND asset = $2',
      () => [floor.ann, 'USD'],
    ],
    [
      'positions',
      'UPDATE positions SET realized_pnl = realized_pnl + 1 WHERE account_id = $1',
      () => [floor.ann],
    ],
    ['positions', 'UPDATE positions SET settled_lots = 1 WHERE account_id = $1', () => [floor.ann]],
    [
      'orders',
      `UPDATE orders SET queue_sequence = queue_sequence + 1 WHERE status IN ('open', 'partially_filled')`,
      () => [],
    ],
    ['markets', `UPDATE market_books SET book_sequence = book_sequence + 1`, () => []],
    ['holds', `INSERT INTO holds VALUES ('payout', 'x', $1, 'USD', 1, now())`, () => [floor.ann]],
  ])('says that the stored %s are not what the journal leads to', async (part, statement, values) => {
    expect(await damagedBy(statement, values())).toMatchObject({
      ok: false,
      sequence: rows.at(-1),
      reason: expect.stringContaining(`stored ${part}`) as string,
    });
  });

  it('says that a row is missing to which others refer', async () => {
    const result = await damagedBy(`DELETE FROM markets WHERE market_id = '${EVENT}'`);
    expect(result).toMatchObject({ ok: false, reason: expect.stringContaining(EVENT) as string });
  });

  describe('a checkpoint', () => {
    const saved = (pages = 2): Promise<Checkpoint> =>
      onClient(database.url, async (client) => {
        await core.verify({ saveCheckpoint: true });
        const checkpoint = (await newestCheckpoint(client))!;
        await client.query('DELETE FROM journal_checkpoints');
        await client.query('BEGIN');
        const { sequence, journalHash, state } = checkpoint;
        await saveCheckpoint(client, { sequence, timeMs: state.timeMs, journalHash }, pagesOf(state, pages));
        await client.query('COMMIT');
        return checkpoint;
      });
    const load = () => onClient(database.url, newestCheckpoint);
    afterEach(async () => {
      await core.query('DELETE FROM journal_checkpoints');
    });

    it('is kept and read page by page, however small those are', async () => {
      const { state } = await saved();
      const kept = await core.query<{ part: string; count: string }>(
        'SELECT part, count(*) FROM journal_checkpoint_pages GROUP BY 1 HAVING count(*) > 1',
      );
      expect(kept.map(({ part }) => part)).toEqual(
        expect.arrayContaining(['accounts', 'balances', 'orders']),
      );
      expect(stateRowsOf((await load())!.state)).toEqual(stateRowsOf(state));
      expect(await core.verify({ fromCheckpoint: true })).toMatchObject({ ok: true, entries: 0, stateHash });
    });

    it('is the same from the tables as from memory', async () => {
      const stored = await onClient(database.url, async (client) => {
        await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ');
        const pages: StatePage[] = [];
        for await (const page of readPages(client, { rowsPerPage: 3 })) pages.push(page);
        return pages;
      });
      const hash = new PageHash();
      for (const page of stored) hash.add(page);
      expect(hash.hash.total(rows.at(-1)!)).toBe(stateHash);
    });

    it.each([
      ['misses a page', 'DELETE FROM journal_checkpoint_pages WHERE page = 3'],
      ['has a changed page', `UPDATE journal_checkpoint_pages SET rows = replace(rows, 'ann', 'eve')`],
      ['leads to another state', `UPDATE journal_checkpoints SET state_hash = 'x'`],
    ])('that %s is refused', async (_what, damage) => {
      await saved();
      await core.query(damage);
      await expect(load()).rejects.toThrow('not what was saved');
    });

    it('from before there were pages is read as it is', async () => {
      const { state } = await saved();
      await core.query('DELETE FROM journal_checkpoint_pages');
      await core.query(
        'UPDATE journal_checkpoints SET state = $1, time_ms = NULL, pages = NULL, pages_hash = NULL',
        [JSON.stringify(stateRowsOf(state))],
      );
      expect(stateRowsOf((await load())!.state)).toEqual(stateRowsOf(state));
      expect(await core.verify({ fromCheckpoint: true })).toMatchObject({ ok: true, stateHash });
    });
  });

  describe('from a checkpoint', () => {
    beforeEach(async () => {
      await core.query('DELETE FROM journal_checkpoints');
    });

    it('replays only what came after it', async () => {
      expect(await core.verify({ saveCheckpoint: true })).toMatchObject({ ok: true, entries: rows.length });
      core = await TestCore.start(database.url);
      await core.place(limit(floor.cat, 'buy', 90, 3));
      await core.place(limit(floor.ann, 'sell', 90, 8));
      const hash = core.stateHash();
      await core.stop();
      expect(await core.verify({ fromCheckpoint: true })).toMatchObject({
        ok: true,
        entries: 2,
        stateHash: hash,
      });
      expect(await core.verify()).toMatchObject({ ok: true, entries: rows.length + 2, stateHash: hash });
      rows = (await onClient(database.url, (client) => readJournal(client, 0, 1_000))).map(
        ({ lastSequence }) => lastSequence,
      );
    });

    it('keeps none of a journal that it could not prove', async () => {
      const damage = 'UPDATE balances SET available = available + 1';
      expect(await damagedBy(damage, [], { saveCheckpoint: true })).toMatchObject({ ok: false });
      expect(await core.query('SELECT 1 FROM journal_checkpoints')).toEqual([]);
    });

    it('needs it where earlier rows are archived', async () => {
      await core.verify({ saveCheckpoint: true });
      const kept = await core.query<{ sequence: string }>('SELECT sequence FROM journal_checkpoints');
      expect(kept).toEqual([{ sequence: `${rows.at(-1)}` }]);
      expect(await damagedBy('DELETE FROM journal WHERE last_sequence < $1', [rows.at(-1)])).toMatchObject({
        ok: true,
      });
      await core.query('DELETE FROM journal_checkpoints');
      await expect(damagedBy('DELETE FROM journal WHERE last_sequence < $1', [rows.at(-1)])).rejects.toThrow(
        'checkpoint',
      );
    });

    it('is where a new engine takes over from an older one', async () => {
      const other = await createTestDatabase();
      try {
        let engine = await TestCore.start(other.url);
        const { ann } = await openFloor(engine);
        await engine.place(limit(ann, 'buy', 100, 3));
        const before = engine.stateHash();
        await engine.stop();
        await engine.query('UPDATE journal SET engine_version = 0');

        engine = await TestCore.start(other.url);
        expect(engine.stateHash()).toBe(before);
        await engine.place(limit(ann, 'buy', 101, 3));
        const hash = engine.stateHash();
        await engine.stop();
        expect(await engine.verify()).toMatchObject({ ok: true, entries: 1, stateHash: hash });
      } finally {
        await other.drop();
      }
    });
  });
});

describe('a journal of an exchange whose limits were set', () => {
  let database: TestDatabase;
  let core: TestCore;
  beforeAll(async () => {
    database = await createTestDatabase();
    core = await TestCore.start(database.url, { limits: { openOrdersMax: 500, openStopsMax: 5 } });
    await openFloor(core);
  });
  afterAll(async () => {
    await core.stop();
    await database.drop();
  });

  it('is verified against the tables, and from a checkpoint of them', async () => {
    // Waits for the tables, too.
    await core.query('SELECT 1');
    const verified = await core.verify();
    expect(verified).toMatchObject({ ok: true });
    await onClient(database.url, async (client) => {
      await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ');
      const [last] = (await readJournal(client, 0, 1_000)).slice(-1);
      const { lastSequence: sequence, timeMs, hash } = last!;
      await saveCheckpoint(client, { sequence, timeMs, journalHash: hash }, readPages(client));
      await client.query('COMMIT');
      const { state } = (await newestCheckpoint(client))!;
      expect(state.limits).toMatchObject({ openOrdersMax: 500, openStopsMax: 5 });
    });
  });
});
