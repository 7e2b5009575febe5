import type pg from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { Logger } from '@nestjs/common';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.js';
import { eventually } from '../../../test/support/eventually.js';
import { openPool } from '../../../test/support/pool.js';
import { inTransaction } from '../database/transaction.js';
import { Changes, noteChange } from './changes.js';
import { SharedCache } from './shared-cache.js';
import { SharedCaches } from './shared-caches.js';

interface Tier {
  readonly rate: string;
  readonly names?: readonly string[];
}

class Tiers extends SharedCache<Tier> {
  override readonly name = 'tiers';
}

class Words extends SharedCache<unknown> {
  override readonly name = 'words';
}

describe('shared caches', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  const processes: Process[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url);
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await Promise.all(processes.splice(0).map(({ changes }) => changes.beforeApplicationShutdown()));
    await pool.query('TRUNCATE changes, shared_values');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** As another process has it. */
  class Process {
    readonly changes = new Changes(pool);
    readonly tiers = new Tiers();
    readonly words = new Words();

    static async start(): Promise<Process> {
      const made = new Process();
      processes.push(made);
      const caches = new SharedCaches(made.changes, pool);
      await caches.load('acme', made.tiers);
      await caches.load('acme', made.words);
      return made;
    }
  }

  it('have what was stored before, and see what is stored, changed and removed in another process', async () => {
    const one = await Process.start();
    await one.tiers.put(pool, 'gold', { rate: '0.001' });
    const other = await Process.start();
    expect(other.tiers.get('gold')).toEqual({ rate: '0.001' });
    await one.tiers.put(pool, 'gold', { rate: '0.002', names: ['a', '"\\u0000'] });
    await one.tiers.put(pool, 'silver', { rate: '0.003' });
    const doneAtMs = performance.now();
    for (const { tiers } of [one, other]) {
      await eventually(() =>
        expect([tiers.get('gold'), tiers.get('silver')]).toEqual([
          { rate: '0.002', names: ['a', '"\\u0000'] },
          { rate: '0.003' },
        ]),
      );
    }
    expect(performance.now() - doneAtMs).toBeLessThan(1_000);
    expect([...other.tiers.keys()].toSorted()).toEqual(['gold', 'silver']);
    await other.tiers.remove(pool, 'gold');
    await eventually(() => expect(one.tiers.get('gold')).toBeUndefined());
    expect(one.words.get('silver')).toBeUndefined();
  });

  it('see a change once it is committed, however long that takes, and none that is taken back', async () => {
    const [one, other] = [await Process.start(), await Process.start()];
    await inTransaction(pool, async (client) => {
      await one.tiers.put(client, 'slow', { rate: '1' });
      // Committed meanwhile, with a later number.
      await other.tiers.put(pool, 'quick', { rate: '2' });
      await eventually(() => expect(one.tiers.get('quick')).toEqual({ rate: '2' }));
      await delay(600);
      expect([one.tiers.get('slow'), other.tiers.get('slow')]).toEqual([undefined, undefined]);
    });
    await eventually(() => expect(other.tiers.get('slow')).toEqual({ rate: '1' }));
    await expect(
      inTransaction(pool, async (client) => {
        await one.tiers.put(client, 'slow', { rate: '9' });
        throw new Error('taken back');
      }),
    ).rejects.toThrow('taken back');
    await delay(600);
    expect(other.tiers.get('slow')).toEqual({ rate: '1' });
  });

  it('are one value in the end where two processes change it at once', async () => {
    const [one, other] = [await Process.start(), await Process.start()];
    await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        [one, other][i % 2]!.tiers.put(pool, 'contested', { rate: String(i) }),
      ),
    );
    await eventually(async () => {
      const { rows } = await pool.query<{ value: Tier }>('SELECT value FROM shared_values');
      expect([one.tiers.get('contested'), other.tiers.get('contested')]).toEqual([
        rows[0]!.value,
        rows[0]!.value,
      ]);
    });
  });

  it('take up everything again after the database was away', async () => {
    vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const one = await Process.start();
    const query = vi
      .spyOn(pool, 'query')
      .mockImplementation(() => Promise.reject(new Error('away')) as never);
    await eventually(() => expect(query.mock.calls.length).toBeGreaterThan(1));
    query.mockRestore();
    // Neither is in a snapshot that it could go on from.
    await pool.query(
      `INSERT INTO shared_values (cache, key, value) VALUES ('acme/tiers', 'unseen', '{"rate": "5"}')`,
    );
    await eventually(() => expect(one.tiers.get('unseen')).toEqual({ rate: '5' }));
  });

  it('ask again for what could not be read', async () => {
    vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const one = await Process.start();
    const real = pool.query.bind(pool) as (...parameters: unknown[]) => unknown;
    let failures = 0;
    vi.spyOn(pool, 'query').mockImplementation((...parameters: unknown[]) => {
      const isRead = String(parameters[0]).startsWith('SELECT key');
      if (isRead && failures++ === 0) return Promise.reject(new Error('away'));
      return real(...parameters);
    });
    await one.tiers.put(pool, 'late', { rate: '7' });
    await eventually(() => expect(one.tiers.get('late')).toEqual({ rate: '7' }));
    expect(failures).toBeGreaterThan(1);
  });

  it('take up everything where more has changed than is told one by one', async () => {
    const one = await Process.start();
    await pool.query(`
      WITH stored AS (
        INSERT INTO shared_values SELECT 'acme/tiers', 'k' || n, '{"rate": "1"}' FROM generate_series(1, 12000) n
      )
      INSERT INTO changes (made_by, topic, changed)
      SELECT pg_current_xact_id()::text::bigint, 'acme/tiers', 'k' || n FROM generate_series(1, 12000) n`);
    await eventually(() => expect([...one.tiers.keys()]).toHaveLength(12_000));
  });

  it('hand out what nobody can change', async () => {
    const one = await Process.start();
    await one.tiers.put(pool, 'gold', { rate: '1', names: ['a'] });
    await eventually(() => expect(one.tiers.get('gold')).toBeDefined());
    const held = one.tiers.get('gold') as { rate: string; names: string[] };
    expect(() => (held.rate = '2')).toThrow(TypeError);
    expect(() => held.names.push('b')).toThrow(TypeError);
  });

  it.each<[string, string, unknown]>([
    ['no key', '', 1],
    ['a long key', 'k'.repeat(201), 1],
    ['a key with U+0000', 'a\0', 1],
    ['a key with half a pair', 'a\ud800', 1],
    ['what is no JSON', 'k', undefined],
    ['a function', 'k', () => 1],
    ['a large value', 'k', 'é'.repeat(512)],
    ['text with U+0000', 'k', { text: 'a\0' }],
    ['text with half a pair', 'k', ['\udc00']],
    ['a name with U+0000', 'k', { 'a\\\0': 1 }],
  ])('refuse %s', async (_what, key, value) => {
    const one = await Process.start();
    await expect(one.words.put(pool, key, value)).rejects.toMatchObject({ code: 'unprocessable' });
    expect((await pool.query('SELECT FROM shared_values')).rowCount).toBe(0);
  });

  it.each([null, 0, '', '\\u0000', '\\\\u0000', '😀', [{ a: [1.5, true] }], 'é'.repeat(511)])(
    'keep %j as it is',
    async (value) => {
      const one = await Process.start();
      await one.words.put(pool, 'ключ 😀', value);
      await eventually(() => expect(one.words.get('ключ 😀')).toEqual(value));
    },
  );

  it('refuse one value too many, and go on with those that are there', async () => {
    await pool.query(
      `INSERT INTO shared_values SELECT 'acme/words', 'k' || n, '1' FROM generate_series(1, 100000) n`,
    );
    const one = await Process.start();
    await expect(one.words.put(pool, 'one more', 1)).rejects.toMatchObject({ code: 'capacity' });
    await one.words.put(pool, 'k7', 2);
    await eventually(() => expect(one.words.get('k7')).toBe(2));
  });

  it('are not there before they are loaded', () => {
    expect(() => new Tiers().get('gold')).toThrow('the values of Tiers are not there yet');
  });

  it('cost nothing while there are none', async () => {
    const query = vi.spyOn(pool, 'query');
    const changes = new Changes(pool);
    await delay(600);
    await changes.beforeApplicationShutdown();
    expect(query).not.toHaveBeenCalled();
  });

  it('note a change once in each transaction, with it or not at all', async () => {
    await inTransaction(pool, async (client) => {
      await noteChange(client, 'topic', 'a');
      await noteChange(client, 'topic', 'a');
    });
    expect((await pool.query('SELECT topic, changed FROM changes')).rows).toEqual([
      { topic: 'topic', changed: 'a' },
    ]);
  });
});
