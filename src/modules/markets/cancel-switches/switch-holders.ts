import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { CancelSwitchHolderEntity } from './cancel-switch-holder.entity.js';

/** How long a process counts as alive after its last renewal. */
const LEASE_MS = 3_000;
/** For how long its lease must be seen to be over: a database that stood still kept everybody from renewing theirs. */
const SEEN_OVER_FOR_MS = 1_000;

const NOBODY_IS_THERE = `NOT EXISTS (
  SELECT 1 FROM cancel_switch_holders holding
  WHERE holding.holder = switch.holder AND holding.alive_until > clock_timestamp())`;

/**
 * The processes whose connections hold switches. Each renews a lease; the leader finds the switches of expired leases,
 * whatever happened to the process.
 */
@Injectable()
export class SwitchHolders {
  /** This process. */
  readonly own = randomUUID();
  /** Since when the leases of others are seen to be over, by the monotonic clock. */
  private over = new Map<string, number>();

  constructor(
    @InjectRepository(CancelSwitchHolderEntity)
    private readonly holders: Repository<CancelSwitchHolderEntity>,
  ) {}

  /** Says that this process is there. */
  async renew(): Promise<void> {
    await this.holders.query(
      `INSERT INTO cancel_switch_holders (holder, alive_until)
       VALUES ($1, clock_timestamp() + $2::int8 * interval '1 millisecond')
       ON CONFLICT (holder) DO UPDATE SET alive_until = excluded.alive_until`,
      [this.own, LEASE_MS],
    );
  }

  /** The connections of this process that have switches. */
  async connectionsHolding(): Promise<ReadonlySet<string>> {
    const rows = await this.holders.query<{ source: string }[]>(
      'SELECT source FROM cancel_switches WHERE holder = $1',
      [this.own],
    );
    return new Set(rows.map(({ source }) => source));
  }

  /** Has everything triggered that is held by processes that are gone. */
  async triggerForsaken(): Promise<void> {
    const rows = await this.holders.query<{ holder: string }[]>(
      `SELECT DISTINCT holder FROM cancel_switches switch WHERE holder <> $1 AND ${NOBODY_IS_THERE}`,
      [this.own],
    );
    const nowMs = performance.now();
    this.over = new Map(rows.map(({ holder }) => [holder, this.over.get(holder) ?? nowMs]));
    const gone = [...this.over].filter(([, sinceMs]) => nowMs - sinceMs >= SEEN_OVER_FOR_MS);
    if (gone.length > 0) await this.forsake(gone.map(([holder]) => holder));
  }

  private forsake(gone: readonly string[]): Promise<void> {
    return this.holders.manager.transaction(async (manager: EntityManager) => {
      await manager.query(
        `UPDATE cancel_switches switch SET triggers_at = clock_timestamp(), holder = NULL
         WHERE holder = ANY($1::text[]) AND ${NOBODY_IS_THERE}`,
        [gone],
      );
      await manager.query(
        `DELETE FROM cancel_switch_holders WHERE alive_until < clock_timestamp() - interval '1 hour'`,
      );
    });
  }
}
