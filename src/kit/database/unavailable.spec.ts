import pg from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, createTestDatabase } from '../../../test/support/database.js';
import { typeOrmOptions } from './database.module.js';
import { isDatabaseUnavailable } from './unavailable.js';

describe('isDatabaseUnavailable', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(async () => {
    await database.drop();
  });

  const errorOf = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    );
  const connected = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: database.url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };

  it('knows a server that is not there', async () => {
    const nobody = new pg.Client({ host: 'localhost', port: 1 });
    expect(isDatabaseUnavailable(await errorOf(nobody.connect()))).toBe(true);
    const noSocket = new pg.Client({ host: '/nowhere' });
    expect(isDatabaseUnavailable(await errorOf(noSocket.connect()))).toBe(true);
  });

  it('knows a connection that ended under a statement', async () => {
    const [victim, killer] = [await connected(), await connected()];
    const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const asleep = errorOf(victim.query('SELECT pg_sleep(30)'));
    await killer.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
    expect(isDatabaseUnavailable(await asleep)).toBe(true);
    expect(isDatabaseUnavailable(await errorOf(victim.query('SELECT 1')))).toBe(true);
    await killer.end();
  });

  it('knows it through TypeORM too', async () => {
    const dataSource = await new DataSource(typeOrmOptions(database.url)).initialize();
    expect(isDatabaseUnavailable(await errorOf(dataSource.query('SELEKT')))).toBe(false);
    const suicide = errorOf(dataSource.query('SELECT pg_terminate_backend(pg_backend_pid())'));
    expect(isDatabaseUnavailable(await suicide)).toBe(true);
    await dataSource.destroy();
  });

  it('knows a connection that was lost between two statements of a transaction', async () => {
    const dataSource = await new DataSource(typeOrmOptions(database.url)).initialize();
    const killer = await connected();
    const lost = dataSource.transaction(async (manager) => {
      const [{ pid }] = await manager.query<[{ pid: number }]>('SELECT pg_backend_pid() AS pid');
      await killer.query('SELECT pg_terminate_backend($1, 10000)', [pid]);
      // The close event of this connection arrives in another turn than the other's answer.
      while (!manager.queryRunner!.isReleased) await new Promise((resolve) => setImmediate(resolve));
      await manager.query('SELECT 1');
    });
    expect(isDatabaseUnavailable(await errorOf(lost))).toBe(true);
    await killer.end();
    await dataSource.destroy();
  });

  it('does not take a refused statement for it', async () => {
    const client = await connected();
    expect(isDatabaseUnavailable(await errorOf(client.query('SELECT 1/0')))).toBe(false);
    expect(isDatabaseUnavailable(new Error('timeout of something else'))).toBe(false);
    expect(isDatabaseUnavailable('no error')).toBe(false);
    await client.end();
  });
});
