import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import type { CoreService } from '../../core/core.service.js';
import type { CoreStatus } from '../../core/core.types.js';
import type { SyncStandby } from '../../core/leadership/sync-standby.js';
import { Readiness } from '../../kit/server/readiness.js';
import type { Consumers } from '../../kit/consumers/consumers.js';
import type { FailingConsumer } from '../../kit/consumers/consumer-records.js';
import type { RedisLink } from '../../kit/redis/redis-link.js';
import { HealthService } from './health.service.js';

const STATUS = {
  leading: true,
  following: false,
  otherInstallation: null,
  epoch: 1,
  sequence: 2,
  queueDepth: 0,
  lagMs: 0,
  stateHash: '',
  clock: { driftMs: 0, hasStepped: false },
  projection: { sequence: 2, lagMs: 0, failure: null },
  followers: [{ name: 'tables', lagMs: 40 }],
  faults: [],
};

function health(
  core: Partial<CoreStatus>,
  link: Pick<RedisLink, 'isUp'> | null,
  failing: readonly FailingConsumer[] = [],
): HealthService {
  const pool = { query: () => Promise.resolve() } as unknown as Pool;
  const status: CoreStatus = { ...STATUS, ...core };
  return new HealthService(
    pool,
    { status: () => status } as CoreService,
    new Readiness(),
    link as RedisLink | null,
    { isConfirmed: true, detail: 'not required' } as SyncStandby,
    { failing: () => Promise.resolve(failing) } as unknown as Consumers,
  );
}

describe('the check of Redis', () => {
  it('is not made where the process serves alone', async () => {
    const report = await health({}, null).report();
    expect(report.status).toBe('ok');
    expect(report.checks.map(({ name }) => name)).not.toContain('redis');
  });

  it('lets the process that leads go on without Redis, and tells operators', async () => {
    expect((await health({}, { isUp: true }).report()).status).toBe('ok');
    const report = await health({}, { isUp: false }).report();
    expect(report.status).toBe('degraded');
    expect(report.checks).toContainEqual({ name: 'redis', healthy: false, detail: 'cannot be reached' });
  });

  it('sends requests elsewhere where a replica cannot reach Redis', async () => {
    const replica = { leading: false, following: true };
    expect((await health(replica, { isUp: false }).report()).status).toBe('unavailable');
  });
});

describe('the check of consumers of plugins', () => {
  it('tells operators which one fails, since when and why, and sends nobody elsewhere', async () => {
    const failure = { name: 'acme:points', attempts: 3, since: new Date(0), failure: 'no such table' };
    const report = await health({}, null, [failure]).report();
    expect(report.status).toBe('degraded');
    expect(report.checks).toContainEqual({
      name: 'consumers',
      healthy: false,
      detail: 'acme:points fails since 1970-01-01T00:00:00.000Z, 3 times: no such table',
    });
    expect((await health({}, null).report()).status).toBe('ok');
  });
});

describe('the check of what follows commits', () => {
  const followers = (fillsMs: number) => [
    { name: 'tables', lagMs: 40 },
    { name: 'fills', lagMs: fillsMs },
  ];

  it('tells operators how far each is behind, and lets the process go on', async () => {
    const checkOf = async (fillsMs: number) => {
      const service = health({ followers: followers(fillsMs) }, null);
      await service.requireReady();
      const { status, checks } = await service.report();
      const { healthy, detail } = checks.find(({ name }) => name === 'followers')!;
      return { status, healthy, detail };
    };
    expect(await checkOf(900)).toEqual({
      status: 'ok',
      healthy: true,
      detail: 'behind the commits: fills 0.9 s, tables 0.0 s',
    });
    expect(await checkOf(5_100)).toEqual({
      status: 'degraded',
      healthy: false,
      detail: 'behind the commits: fills 5.1 s, tables 0.0 s',
    });
  });
});

describe('the check of other installations', () => {
  const otherInstallation = { holder: 'drill:7:of-the-copy', epoch: 5 };
  const told = {
    name: 'installation',
    healthy: false,
    detail: 'another installation uses this REDIS_URL: drill:7:of-the-copy leads it in epoch 5',
  };

  it.each([
    ['the process that leads', { leading: true, following: false }],
    ['a replica', { leading: false, following: true }],
  ])('lets %s go on, and tells operators', async (_process, role) => {
    const report = await health({ ...role, otherInstallation }, { isUp: true }).report();
    expect(report.status).toBe('degraded');
    expect(report.checks).toContainEqual(told);
    expect((await health(role, { isUp: true }).report()).status).toBe('ok');
  });
});
