import { Column, DataSource, Entity, PrimaryColumn } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/database.js';
import { openPool } from '../../../../test/support/pool.js';
import { purge } from '../../jobs/purges.js';
import { KeyedRows, type KeyedRow, type RowRequest } from './keyed-rows.js';
import { requestHashOf } from '../../repeated-requests.js';

@Entity('letters')
class LetterEntity implements KeyedRow {
  @PrimaryColumn({ name: 'letter_id', type: 'text' })
  letterId: string;

  @Column({ name: 'text', type: 'text' })
  text: string;

  @Column({ name: 'request_hash', type: 'text', nullable: true })
  requestHash: string | null;
}

const LETTERS = new KeyedRows(LetterEntity, {
  table: 'letters',
  key: 'letter_id',
  madeAt: 'written_at',
  fingerprintOf: ({ text }) => text,
});

describe('rows by the key of their request', () => {
  let database: TestDatabase;
  let source: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    source = new DataSource({ type: 'postgres', url: database.url, entities: [LetterEntity] });
    await source.initialize();
    await source.query(`
      CREATE TABLE letters (letter_id text PRIMARY KEY DEFAULT gen_random_uuid()::text, text text NOT NULL, request_hash text,
        written_at timestamptz NOT NULL DEFAULT now());
      CREATE UNIQUE INDEX ON letters (request_hash) WHERE request_hash IS NOT NULL`);
  });
  beforeEach(() => source.query('TRUNCATE letters'));
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  const request = (key: string | undefined, text = 'Dear Ann', owner = 'user:bob'): RowRequest => ({
    requestHash: requestHashOf(owner, key),
    fingerprint: text,
  });
  /** As groups do it: answers whether this request made the row, and the row. */
  const write = async (asked: RowRequest, fault?: Error): Promise<[boolean, LetterEntity | null]> => {
    const isMade = await source.transaction(async (manager) => {
      await LETTERS.free(manager, asked);
      const rows = await manager.query<unknown[]>(
        'INSERT INTO letters (text, request_hash) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING letter_id',
        [asked.fingerprint, asked.requestHash],
      );
      if (fault !== undefined) throw fault;
      return rows.length > 0;
    });
    return [isMade, await LETTERS.find(source.manager, asked)];
  };
  const count = async (): Promise<number> => source.manager.count(LetterEntity);
  const age = (hours: number) =>
    source.query(`UPDATE letters SET written_at = written_at - make_interval(hours => ${hours})`);

  it('are made once by many requests at once, and all of them find the one', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => write(request('once'))));
    expect(answers.filter(([isMade]) => isMade)).toHaveLength(1);
    expect(new Set(answers.map(([, row]) => row?.letterId)).size).toBe(1);
    expect(await count()).toBe(1);
  });

  it('are each owner’s own, and made each time without a key', async () => {
    await write(request('mine'));
    await write(request('mine', 'Dear Ann', 'user:eve'));
    await write(request(undefined));
    expect((await write(request(undefined)))[1]).toBeNull();
    expect(await count()).toBe(4);
  });

  it('refuse the key with another request', async () => {
    await write(request('one'));
    await expect(LETTERS.find(source.manager, request('one', 'Dear Eve'))).rejects.toMatchObject({
      code: 'idempotency_key_reused',
      status: 422,
    });
  });

  it('leave the key free where the row was not committed, or was deleted', async () => {
    await expect(write(request('lost'), new Error('killed'))).rejects.toThrow('killed');
    expect((await write(request('lost')))[0]).toBe(true);
    await source.query('DELETE FROM letters');
    expect((await write(request('lost', 'Dear Eve')))[0]).toBe(true);
  });

  it('let go of the key after a day, whether the purge has come or not', async () => {
    await write(request('old'));
    await age(23);
    expect((await write(request('old')))[0]).toBe(false);
    await age(1);
    expect(await LETTERS.find(source.manager, request('old'))).toBeNull();
    expect((await write(request('old', 'Dear Eve')))[0]).toBe(true);
    expect(await count()).toBe(2);
  });

  it('lose old keys to the purge, and nothing else', async () => {
    await write(request('old'));
    await age(24);
    await write(request('young'));
    const pool = openPool(database.url);
    expect([await purge(pool, LETTERS.purge), await purge(pool, LETTERS.purge)]).toEqual([1, 0]);
    await pool.end();
    expect(await count()).toBe(2);
    expect(await LETTERS.find(source.manager, request('young'))).not.toBeNull();
  });

  it('are found by the digest of an older version, too', async () => {
    await source.query(`INSERT INTO letters (text, request_hash) VALUES ('Dear Ann', 'as before')`);
    const found = await LETTERS.find(source.manager, { ...request('new'), formerHash: 'as before' });
    expect(found?.text).toBe('Dear Ann');
  });
});
