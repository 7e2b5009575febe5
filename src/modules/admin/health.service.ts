import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CoreService } from '../../core/core.service.js';
import { SyncStandby } from '../../core/leadership/sync-standby.js';
import { Consumers } from '../../kit/consumers/consumers.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { TEMPORARILY_UNAVAILABLE } from '../../kit/http/error-codes.js';
import { ApiError } from '../../kit/http/errors.js';
import { Readiness } from '../../kit/server/readiness.js';
import { REDIS_LINK, type RedisLink } from '../../kit/redis/redis-link.js';

/** If the sequencer's oldest request has waited longer, traffic should go elsewhere. No load brings a follower there. */
const LAG_MAX_MS = 5_000;
const DATABASE_TIMEOUT_MS = 2_000;

export interface HealthCheck {
  readonly name:
    | 'database'
    | 'leadership'
    | 'sequencer'
    | 'projection'
    | 'followers'
    | 'consumers'
    | 'redis'
    | 'installation'
    | 'draining'
    | 'markets'
    | 'clock'
    | 'sync_standby';
  readonly healthy: boolean;
  /** For operators; never shown to the public. */
  readonly detail: string;
}

export interface HealthReport {
  /** `degraded`: works, but a market, a follower of commits, a consumer of a plugin, the clock, Redis or a copy of the exchange needs an operator. `unavailable`: send requests elsewhere. */
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly checks: readonly HealthCheck[];
}

/** Checks whether the service can work now: database, leadership, lag, Redis, shut-down, halted markets. */
@Injectable()
export class HealthService {
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly core: CoreService,
    private readonly readiness: Readiness,
    @Inject(REDIS_LINK) private readonly link: RedisLink | null,
    private readonly syncStandby: SyncStandby,
    private readonly consumers: Consumers,
  ) {}

  async report(): Promise<HealthReport> {
    const redis = this.checkRedis();
    // The leader works without Redis; other processes need it to forward commands.
    const { leading } = this.core.status();
    const required = [await this.checkDatabase(), ...this.checkCore(), this.checkDraining()];
    const optional = [
      ...this.checkInstallation(),
      this.checkFollowers(),
      await this.checkConsumers(),
      this.checkMarkets(),
      this.checkClock(),
      this.checkSyncStandby(),
    ];
    (leading ? optional : required).push(...redis);
    const isServing = required.every(({ healthy }) => healthy);
    const isWell = optional.every(({ healthy }) => healthy);
    const status = !isServing ? 'unavailable' : isWell ? 'ok' : 'degraded';
    return { status, checks: [...required, ...optional] };
  }

  /** Throws `temporarily_unavailable` (503) while requests should go elsewhere. */
  async requireReady(): Promise<HealthReport> {
    const report = await this.report();
    if (report.status === 'unavailable') {
      throw new ApiError(TEMPORARILY_UNAVAILABLE, 'The service is not ready; try again shortly.', {
        headers: { 'Retry-After': '1' },
      });
    }
    return report;
  }

  private async checkDatabase(): Promise<HealthCheck> {
    const startedAtMs = performance.now();
    try {
      await within(DATABASE_TIMEOUT_MS, this.pool.query('SELECT 1'));
      const durationMs = Math.round(performance.now() - startedAtMs);
      return { name: 'database', healthy: true, detail: `answered in ${durationMs} ms` };
    } catch (error) {
      return {
        name: 'database',
        healthy: false,
        detail: error instanceof Error ? error.message : String(error),
      };
    }
  }

  private checkCore(): HealthCheck[] {
    const { leading, following, epoch, sequence, queueDepth, lagMs, projection } = this.core.status();
    const at = `tables at sequence ${projection.sequence}, the oldest commit waits for ${Math.round(projection.lagMs)} ms`;
    return [
      {
        name: 'leadership',
        healthy: leading || following,
        detail: leading ? `leads in epoch ${epoch}` : following ? 'follows the leader' : 'does not lead',
      },
      {
        name: 'sequencer',
        healthy: lagMs <= LAG_MAX_MS,
        detail: `at sequence ${sequence}, ${queueDepth} waiting, the oldest for ${Math.round(lagMs)} ms`,
      },
      {
        name: 'projection',
        healthy: projection.lagMs <= LAG_MAX_MS,
        detail: projection.failure === null ? at : `${at}: ${projection.failure}`,
      },
    ];
  }

  /** Empty for a single process. */
  private checkRedis(): HealthCheck[] {
    if (this.link === null) return [];
    const { isUp } = this.link;
    return [{ name: 'redis', healthy: isUp, detail: isUp ? 'connected' : 'cannot be reached' }];
  }

  /** Empty for a single process. */
  private checkInstallation(): HealthCheck[] {
    if (this.link === null) return [];
    const { otherInstallation: other } = this.core.status();
    const detail =
      other === null
        ? 'alone on this REDIS_URL'
        : `another installation uses this REDIS_URL: ${other.holder} leads it in epoch ${other.epoch}`;
    return [{ name: 'installation', healthy: other === null, detail }];
  }

  private checkDraining(): HealthCheck {
    const { isDraining } = this.readiness;
    return {
      name: 'draining',
      healthy: !isDraining,
      detail: isDraining ? 'shutting down' : 'takes requests',
    };
  }

  private checkFollowers(): HealthCheck {
    const { followers } = this.core.status();
    const detail = followers
      .toSorted((one, other) => other.lagMs - one.lagMs)
      .map(({ name, lagMs }) => `${name} ${(lagMs / 1000).toFixed(1)} s`)
      .join(', ');
    const healthy = followers.every(({ lagMs }) => lagMs <= LAG_MAX_MS);
    return { name: 'followers', healthy, detail: `behind the commits: ${detail || 'nobody follows'}` };
  }

  private async checkConsumers(): Promise<HealthCheck> {
    try {
      const failing = await within(DATABASE_TIMEOUT_MS, this.consumers.failing());
      const detail = failing
        .map(
          ({ name, attempts, since, failure }) =>
            `${name} fails since ${since.toISOString()}, ${attempts} times: ${failure}`,
        )
        .join('; ');
      return { name: 'consumers', healthy: failing.length === 0, detail: detail || 'none of plugins fails' };
    } catch {
      // The database has a check of its own.
      return { name: 'consumers', healthy: true, detail: 'cannot be asked' };
    }
  }

  private checkMarkets(): HealthCheck {
    const { faults } = this.core.status();
    const detail = faults.map(({ marketId, reason }) => `${marketId}: ${reason}`).join('; ');
    return { name: 'markets', healthy: faults.length === 0, detail: detail || 'none halted by the core' };
  }

  private checkSyncStandby(): HealthCheck {
    const { isConfirmed, detail } = this.syncStandby;
    return { name: 'sync_standby', healthy: isConfirmed, detail };
  }

  private checkClock(): HealthCheck {
    const { driftMs, hasStepped } = this.core.status().clock;
    const detail = hasStepped
      ? `was set by ${Math.round(driftMs / 1000)} s; commands go on by the monotonic clock until it agrees again or the service restarts`
      : 'agrees with the monotonic clock';
    return { name: 'clock', healthy: !hasStepped, detail };
  }
}

async function within<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
