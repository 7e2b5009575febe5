import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { PointInTime } from '../../core/reads/point-in-time.js';
import { entriesOf } from '../../core/tables/ledger-transfers.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { RealizedPnl } from './realized-pnl.js';
import type { LimitKind } from './self-limit.entity.js';

const REMEMBERED_MAX = 10_000;

/** Paid to open contracts; closing is another reason. */
const STAKED = `
  SELECT coalesce(sum(amount), 0) AS total, max(transfer_id) AS last
  FROM (${entriesOf('= ANY ($1)', { after: '$3::int8', until: `${Number.MAX_SAFE_INTEGER}` })}) AS entries
  WHERE debit_account_id = account_id AND asset = $2 AND reason = 'event_open'`;

/** None of these is carried by a trade. From outside, from other owners, and from the owner's wallets: that is the way of what came over a chain. */
const DEPOSITED = `
  SELECT coalesce(sum(t.amount), 0) AS total, max(t.transfer_id) AS last
  FROM transfers t
  JOIN accounts own ON own.account_id = t.credit_account_id
  JOIN accounts other ON other.account_id = t.debit_account_id
  WHERE t.credit_account_id = ANY ($1) AND t.asset = $2 AND t.transfer_id > $3 AND t.reason IN ('deposit', 'transfer')
    AND (other.owner IS DISTINCT FROM own.owner OR other.kind = 'wallet')`;

/**
 * What live orders in event markets pay if they fill: their hold without fees, and the whole value of contracts for a stop
 * that has no limit.
 */
const ORDERED = `
  SELECT coalesce(sum(CASE
    WHEN o.price_ticks IS NULL AND o.reduce_only THEN 0
    WHEN o.price_ticks IS NULL THEN o.remaining_lots * m.lot_size
    ELSE least(o.held, o.remaining_lots * CASE o.side
      WHEN 'buy' THEN div(o.price_ticks * m.tick_size * m.lot_size, 1e18)
      ELSE m.lot_size - div(o.price_ticks * m.tick_size * m.lot_size, 1e18) END)
  END), 0) AS total
  FROM orders o JOIN markets m USING (market_id)
  WHERE o.account_id = ANY ($1) AND o.status IN ('open', 'partially_filled', 'untriggered')
    AND m.kind = 'event' AND m.quote_asset = $2`;

/** What was realised in all markets, and what open contracts have cost and may all lose. */
const POSITIONS = `
  SELECT coalesce(sum(p.realized_pnl - p.fees), 0) AS realized, coalesce(sum(CASE
    WHEN m.kind <> 'event' OR m.status = 'settled' THEN 0
    WHEN p.size_lots >= 0 THEN p.cost_basis
    ELSE -p.size_lots * m.lot_size - p.cost_basis
  END), 0) AS at_risk
  FROM positions p JOIN markets m USING (market_id)
  WHERE p.account_id = ANY ($1) AND m.quote_asset = $2`;

export interface LimitFigure {
  /** Of the period so far; a loss is never below zero. */
  readonly used: bigint;
  /** What open contracts and orders may still add, where that counts. */
  readonly atRisk: bigint;
}

interface Sum {
  readonly total: bigint;
  /** The last row in it. */
  readonly last: number;
}

/**
 * How much of a limit is used by the accounts of an owner, from the tables of the core: so nothing has to be given back where an order is cancelled or
 * a command repeated, and nothing is lost in a crash. Await `core.projected()` first.
 *
 * Sums over a period go on from the last one that this process has read. A row is never added before one that was read, so
 * what a figure costs does not grow with the period.
 */
@Injectable()
export class LimitFigures {
  private readonly sums = new LRUCache<string, Sum>({ max: REMEMBERED_MAX });
  private readonly baselines = new LRUCache<string, bigint>({ max: REMEMBERED_MAX });
  /** The last sequence before a period, by its start. */
  private readonly starts = new LRUCache<number, number>({ max: 100 });

  constructor(
    private readonly realized: RealizedPnl,
    private readonly pointInTime: PointInTime,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  async of(
    accountIds: readonly number[],
    kind: LimitKind,
    asset: string,
    startMs: number,
  ): Promise<LimitFigure> {
    const after = await this.sequenceBefore(startMs);
    switch (kind) {
      case 'deposit':
        return { used: await this.sumOf(DEPOSITED, accountIds, asset, after), atRisk: 0n };
      case 'stake': {
        const [paid, ordered] = await Promise.all([
          this.sumOf(STAKED, accountIds, asset, after),
          this.ordered(accountIds, asset),
        ]);
        return { used: paid + ordered, atRisk: 0n };
      }
      case 'loss':
        return this.lossOf(accountIds, asset, after);
    }
  }

  private async lossOf(accountIds: readonly number[], asset: string, after: number): Promise<LimitFigure> {
    const [before, ordered, { rows }] = await Promise.all([
      this.realizedBefore(accountIds, asset, after),
      this.ordered(accountIds, asset),
      this.pool.query<{ realized: string; at_risk: string }>(POSITIONS, [accountIds, asset]),
    ]);
    const { realized, at_risk } = rows[0]!;
    const loss = before - BigInt(realized);
    return { used: loss > 0n ? loss : 0n, atRisk: BigInt(at_risk) + ordered };
  }

  private async ordered(accountIds: readonly number[], asset: string): Promise<bigint> {
    const { rows } = await this.pool.query<{ total: string }>(ORDERED, [accountIds, asset]);
    return BigInt(rows[0]!.total);
  }

  private async sumOf(
    statement: string,
    accountIds: readonly number[],
    asset: string,
    after: number,
  ): Promise<bigint> {
    const key = JSON.stringify([statement === STAKED, accountIds, asset, after]);
    const known = this.sums.get(key) ?? { total: 0n, last: after };
    const { rows } = await this.pool.query<{ total: string; last: string | null }>(statement, [
      accountIds,
      asset,
      known.last,
    ]);
    const { total, last } = rows[0]!;
    const sum = { total: known.total + BigInt(total), last: Number(last ?? known.last) };
    const latest = this.sums.get(key);
    if (latest === undefined || latest.last < sum.last) this.sums.set(key, sum);
    return sum.total;
  }

  /** It never changes once the period has begun. */
  private async realizedBefore(
    accountIds: readonly number[],
    asset: string,
    sequence: number,
  ): Promise<bigint> {
    const key = JSON.stringify([accountIds, asset, sequence]);
    const known = this.baselines.get(key);
    if (known !== undefined) return known;
    let realized = 0n;
    for (const accountId of accountIds) realized += await this.realized.by(accountId, asset, sequence);
    this.baselines.set(key, realized);
    return realized;
  }

  private async sequenceBefore(startMs: number): Promise<number> {
    const known = this.starts.get(startMs);
    if (known !== undefined) return known;
    const [sequence] = await this.pointInTime.sequencesAt([startMs - 1]);
    this.starts.set(startMs, sequence);
    return sequence!;
  }
}
