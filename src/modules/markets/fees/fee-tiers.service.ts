import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { Repository } from 'typeorm';
import { Clock } from '../../../kit/clock.js';
import { CoalescedWork } from '../../../kit/coalesced-work.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import type { FeeRateOverride } from '../policies/fee-policy.js';
import { AccountVolumes, volumesOf } from './account-volumes.service.js';
import { growingCache } from '../../../kit/growing-cache.js';
import { type AccountTier, DEFAULT_SCHEDULE, type FeeTier, tierAt } from './fee-tier.js';
import { FeeScheduleEntity } from './fee-schedule.entity.js';

/** How long this process goes by what it has read: other processes see a change so much later. */
const SCHEDULES_KEPT_MS = 5_000;
const STANDINGS_KEPT_MS = 10_000;
const STANDINGS_KEPT_MAX = 20_000;

/** Of one account: its schedule, and what it traded today and in the 29 days before, in UTC. */
const STANDING = {
  name: 'fee-standing',
  text: `
    SELECT (SELECT name FROM account_fee_schedules WHERE account_id = $1) AS schedule,
      (SELECT coalesce(json_object_agg(asset, volume), '{}') FROM (
        SELECT asset, sum(volume)::text AS volume FROM (${volumesOf('$1')}) AS traded
        WHERE day > (to_timestamp($2::float8 / 1000) AT TIME ZONE 'UTC')::date - 30
        GROUP BY asset) AS by_asset) AS volumes`,
};

interface Standing {
  /** Given by an operator; null where none was. */
  readonly schedule: string | null;
  /** By quote asset, in units of 10^-18, as text. */
  readonly volumes: Readonly<Record<string, string>>;
}

/**
 * Which tier of which fee schedule an account is in. Orders are answered from memory: the schedules are read every few
 * seconds, and so is the standing of an account that trades, so a new tier applies some seconds late.
 */
@Injectable()
export class FeeTiers {
  private schedules: ReadonlyMap<string, FeeScheduleEntity> = new Map();
  private readAtMs = -Infinity;
  private readonly reading = new CoalescedWork(() => this.readSchedules());
  private readonly standings = growingCache<number, Promise<Standing>>(STANDINGS_KEPT_MAX, {
    ttl: STANDINGS_KEPT_MS,
  });

  constructor(
    @InjectRepository(FeeScheduleEntity) private readonly stored: Repository<FeeScheduleEntity>,
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly volumes: AccountVolumes,
    private readonly clock: Clock,
  ) {}

  /** Whether it is certain by now that every account trades at the rates of the markets. */
  get areNone(): boolean {
    return this.isFresh && this.schedules.size === 0;
  }

  /** Where orders of the account are now. */
  async tierOf(accountId: number, quoteAsset: string): Promise<AccountTier> {
    if (!this.isFresh) await this.reading.take();
    if (this.schedules.size === 0) return toTier(undefined, NOTHING, quoteAsset);
    return this.tierBy(await this.standingOf(accountId), quoteAsset);
  }

  /** By quote asset, after everything has been written and read again. */
  async renewed(accountId: number): Promise<(quoteAsset: string) => AccountTier> {
    await this.volumes.catchUp();
    this.forget(accountId);
    await this.reading.take();
    const standing = await this.standingOf(accountId);
    return (quoteAsset) => this.tierBy(standing, quoteAsset);
  }

  /** After a change: what follows in this process goes by it. */
  async changed(): Promise<void> {
    await this.reading.take();
  }

  forget(accountId: number): void {
    this.standings.delete(accountId);
  }

  private get isFresh(): boolean {
    return performance.now() - this.readAtMs < SCHEDULES_KEPT_MS;
  }

  private async readSchedules(): Promise<void> {
    const readAtMs = performance.now();
    this.schedules = new Map((await this.stored.find()).map((schedule) => [schedule.name, schedule]));
    this.readAtMs = readAtMs;
  }

  private standingOf(accountId: number): Promise<Standing> {
    const known = this.standings.get(accountId);
    if (known !== undefined) return known;
    const standing = this.readStanding(accountId);
    this.standings.set(accountId, standing);
    standing.catch(() => {
      if (this.standings.peek(accountId) === standing) this.standings.delete(accountId);
    });
    return standing;
  }

  private async readStanding(accountId: number): Promise<Standing> {
    const { rows } = await this.pool.query<Standing>({
      ...STANDING,
      values: [accountId, this.clock.nowMs()],
    });
    return rows[0]!;
  }

  private tierBy(standing: Standing, quoteAsset: string): AccountTier {
    const schedule = this.schedules.get(standing.schedule ?? DEFAULT_SCHEDULE);
    return toTier(schedule, standing, quoteAsset);
  }
}

const NOTHING: Standing = { schedule: null, volumes: {} };

function toTier(
  schedule: FeeScheduleEntity | undefined,
  { volumes }: Standing,
  quoteAsset: string,
): AccountTier {
  const volumeAsset = schedule?.volumeAsset ?? quoteAsset;
  const volume = BigInt(volumes[volumeAsset] ?? 0);
  const place = schedule === undefined ? 0 : tierAt(schedule.tiers, volume);
  return {
    schedule: schedule?.name ?? null,
    place,
    rates: ratesIn(schedule?.tiers[place]),
    nextTier: schedule?.tiers[place + 1] ?? null,
    volumeAsset,
    volume,
  };
}

function ratesIn(tier: FeeTier | undefined): FeeRateOverride | null {
  return tier === undefined ? null : { maker: tier.maker_fee_rate, taker: tier.taker_fee_rate };
}
