import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connectCore, disconnect } from '../../src/core/leadership/leadership.js';
import { SyncStandby } from '../../src/core/leadership/sync-standby.js';
import { StartRefusal } from '../../src/kit/config/start-refusal.js';
import type { PrimaryClient } from '../../src/kit/database/primary-client.js';
import { MetricsRegistry } from '../../src/kit/metrics/metrics-registry.js';
import { eventually, queryOnce } from '../support/core.js';
import { type PgCluster, startPgCluster } from '../support/pg-cluster.js';

describe('a synchronous standby that is required', () => {
  let cluster: PgCluster;
  let metrics: MetricsRegistry;
  let standby: SyncStandby;
  let writer: PrimaryClient;
  let failures: number;
  beforeAll(async () => {
    cluster = await startPgCluster();
    await queryOnce(cluster.primary.url, 'CREATE TABLE kept (id integer)');
  });
  afterAll(() => cluster.stop());
  beforeEach(async () => {
    metrics = new MetricsRegistry();
    standby = new SyncStandby({ url: cluster.url }, { databaseSyncStandby: 'required' }, metrics);
    writer = await connectCore(cluster.url, 'writer');
    failures = 0;
  });
  afterEach(async () => {
    standby.stop();
    await disconnect(writer);
  });

  const refusal = async (): Promise<string> => {
    const error: unknown = await standby.assertSyncStandby(writer).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StartRefusal);
    return (error as Error).message;
  };
  const lead = async (): Promise<void> => {
    await standby.assertSyncStandby(writer);
    standby.watch(() => failures++);
  };

  it('lets lead while it confirms commits', async () => {
    await lead();
    expect(standby.detail).toBe('1 confirm every commit');
    expect(await metrics.render()).toContain('tradepost_core_sync_standbys 1');
  });

  it('stops who leads, and keeps others from it, once commits wait for nobody', async () => {
    await lead();
    await cluster.requireNobody();
    await eventually(() => failures > 0, 'the leader is told');
    expect(standby.isConfirmed).toBe(false);
    expect(standby.detail).toContain('synchronous_standby_names is empty');
    expect(await refusal()).toContain('DATABASE_SYNC_STANDBY is required');
    await cluster.requireStandby();
    await eventually(
      () =>
        lead().then(
          () => true,
          () => false,
        ),
      'it may lead again',
    );
    expect(standby.isConfirmed).toBe(true);
  });

  it('asks for commits that are on the disk of the standby', async () => {
    await writer.query('SET synchronous_commit = remote_write');
    expect(await refusal()).toContain('synchronous_commit is remote_write');
  });

  it('confirms nothing where the wait of a commit is cut short', async () => {
    await lead();
    await cluster.standby!.freeze();
    const { rows } = await writer.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const commit = writer.query('INSERT INTO kept VALUES (1)');
    const outcome = expect(commit).rejects.toThrow('not confirmed by the standby');
    await eventually(
      async () =>
        (
          await cluster.primary.query(
            `SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'SyncRep'`,
            [rows[0]!.pid],
          )
        ).length === 1,
      'the commit waits for the standby',
    );
    await cluster.primary.query('SELECT pg_cancel_backend($1)', [rows[0]!.pid]);
    await outcome;
    await cluster.standby!.thaw();
  });

  it('is no reason to stop where it is away, since commits wait, but one not to begin', async () => {
    await lead();
    await cluster.standby!.kill();
    await eventually(() => !standby.isConfirmed, 'the standby is away');
    expect(standby.detail).toBe('away; commits wait for it');
    expect(failures).toBe(0);
    expect(await refusal()).toContain(
      'none of the standbys that synchronous_standby_names names (standby) is connected',
    );
  });

  it('is not asked for where it is not required', async () => {
    const off = new SyncStandby({ url: cluster.url }, { databaseSyncStandby: 'off' }, metrics);
    await off.assertSyncStandby(writer);
    expect(off).toMatchObject({ isConfirmed: true, detail: 'not required' });
  });
});
