import type { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseConnection } from '../../src/kit/database/database-connection.js';
import { typeOrmOptions } from '../../src/kit/database/database.module.js';
import { createPgPool } from '../../src/kit/database/pg-pool.js';
import { PrimaryClient } from '../../src/kit/database/primary-client.js';
import { eventually } from '../support/core.js';
import { CLUSTER_PASSWORD, type PgCluster, startPgCluster } from '../support/pg-cluster.js';

describe('connections to a database with a standby', () => {
  let cluster: PgCluster;
  let pool: Pool;
  let dataSource: DataSource;
  beforeAll(async () => {
    cluster = await startPgCluster();
    pool = createPgPool(cluster.url);
    dataSource = await new DataSource(typeOrmOptions(cluster.url)).initialize();
    await pool.query('CREATE TABLE kept (port integer)');
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await pool.end();
    await cluster.stop();
  });
  beforeEach(async () => {
    if (cluster.standby === null) await cluster.attachStandby();
  });

  const WRITE = `INSERT INTO kept VALUES (inet_server_port()) RETURNING port`;
  const portOfPool = async () => (await pool.query<{ port: number }>(WRITE)).rows[0]!.port;
  const portOfTypeOrm = async () => (await dataSource.query<{ port: number }[]>(WRITE))[0]!.port;
  const comesBack = (port: () => Promise<number>) =>
    eventually(
      () =>
        port().then(
          (now) => now === cluster.primary.port,
          () => false,
        ),
      'the new primary is written to',
    );

  it('go to the primary, and to the standby once that has taken its place', async () => {
    expect(await portOfPool()).toBe(cluster.primary.port);
    expect(await portOfTypeOrm()).toBe(cluster.primary.port);

    const client = new PrimaryClient({ connectionString: cluster.url });
    await client.connect();
    const ended = new Promise((resolve) => client.once('end', resolve));
    await cluster.destroyPrimary();
    await ended;
    await expect(portOfPool()).rejects.toThrow();
    await cluster.promote();
    await comesBack(portOfPool);
    await comesBack(portOfTypeOrm);
  });

  it('leave a primary that hangs, and never go back to it', async () => {
    const old = cluster.primary;
    const client = new PrimaryClient({ connectionString: cluster.url });
    await client.connect();
    const ended = new Promise((resolve) => client.once('end', resolve));
    await old.freeze();
    await cluster.promote();
    await ended;
    await comesBack(portOfPool);
    await old.thaw();
    await comesBack(portOfPool);
    await cluster.primary.kill();
    const error = await eventualError(portOfPool, /timeline 2, before the promotion to 3/);
    expect(error.message).toContain(`127.0.0.1:${old.port}`);
    expect(error.message).not.toContain(CLUSTER_PASSWORD);
    await cluster.primary.start();
    await comesBack(portOfPool);
    await old.kill();
  });

  it('are thrown away where the server takes no writes any more', async () => {
    const client = new PrimaryClient({ connectionString: cluster.primary.url });
    await client.connect();
    const ended = new Promise((resolve) => client.once('end', resolve));
    await client.query('SET default_transaction_read_only = on');
    await expect(client.query(WRITE)).rejects.toMatchObject({ code: '25006' });
    await ended;
  });

  it('refuse the start in one line that names the servers and no password', async () => {
    const url = cluster.url.replace(CLUSTER_PASSWORD, 'hunter2-hunter2');
    const error = await DatabaseConnection.open({ databaseUrl: url, dataDir: '/nowhere' }).catch(
      (reason: Error) => reason,
    );
    expect((error as Error).message).toMatch(
      /^DATABASE_URL cannot be connected to: no server takes writes: 127\.0\.0\.1/,
    );
    expect((error as Error).message).toContain('password authentication failed');
    expect((error as Error).message).not.toContain('hunter2');
  });
});

async function eventualError(work: () => Promise<unknown>, message: RegExp): Promise<Error> {
  let last: Error | undefined;
  await eventually(async () => {
    last = await work().then(
      () => undefined,
      (error: Error) => error,
    );
    return last !== undefined && message.test(last.message);
  }, `an error like ${message.source}`);
  return last!;
}
