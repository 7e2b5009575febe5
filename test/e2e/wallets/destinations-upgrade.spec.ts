import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ListDestinationsByOwner1780000001541 } from '../../../src/migrations/1780000001541-list-destinations-by-owner.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';

let database: TestDatabase;
let source: DataSource;

beforeAll(async () => {
  database = await createTestDatabase();
  source = await new DataSource({ type: 'postgres', url: database.url, driver: pg }).initialize();
});

afterAll(async () => {
  await source.destroy();
  await database.drop();
});

it('destinations that wallets had listed are their owner’s, each once, from when it first took effect', async () => {
  const runner = source.createQueryRunner();
  const migration = new ListDestinationsByOwner1780000001541();
  await migration.down(runner);
  await runner.query(`
    INSERT INTO wallets (wallet_id, account_id, owner, name, sealed_seed)
    VALUES (1, 11, 'user:1', 'a', ''), (2, 12, 'user:1', 'b', ''), (3, 13, 'user:2', 'c', '');
    INSERT INTO wallet_destinations (wallet_id, chain, address, label, effective_at, removed_at)
    VALUES (1, 'ethereum', '0x1', 'late', now() + interval '1 hour', NULL),
           (2, 'ethereum', '0x1', 'early', now(), NULL),
           (1, 'ethereum', '0x2', 'only', now(), NULL),
           (2, 'ethereum', '0x2', 'removed', now(), now()),
           (3, 'ethereum', '0x1', 'another', now(), NULL);
  `);
  await migration.up(runner);
  const listed: unknown = await runner.query(
    `SELECT owner, label FROM wallet_destinations WHERE removed_at IS NULL ORDER BY destination_id`,
  );
  const [{ count }] = (await runner.query('SELECT count(*)::int FROM wallet_destinations')) as [
    { count: number },
  ];
  await runner.release();
  expect(listed).toEqual([
    { owner: 'user:1', label: 'early' },
    { owner: 'user:1', label: 'only' },
    { owner: 'user:2', label: 'another' },
  ]);
  expect(count).toBe(5);
});
