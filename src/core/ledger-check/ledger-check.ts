/**
 * Checks that the books balance, from the tables in one snapshot: sums per asset against the outside world, held
 * balances against holds, pools against open interest, and the stored rows against the hash of the running state at
 * that sequence. PostgreSQL computes the sums; the hash reads the rows page by page, without blocking others.
 */
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { ClientBase, Pool, PoolClient } from 'pg';
import type { HashPart } from '../../domain/engine/state-hash.js';
import { formatAmount } from '../../domain/money/amount.js';
import { PG_POOL } from '../../kit/database/pg-pool.js';
import { inTransaction } from '../../kit/database/transaction.js';
import { BackgroundLoop } from '../../kit/jobs/background-loop.js';
import { MetricsRegistry } from '../../kit/metrics/metrics-registry.js';
import { SingleWriter } from '../requests/single-writer.js';
import { monotonicMs } from '../clock/command-clock.js';
import { type DerivedTables, problemsOfDerived } from '../projection/derived-tables.js';
import { cursorOf } from '../projection/projector.js';
import { parseParts } from '../state/state-loader.js';
import { hashTables } from '../state/state-pages.js';
import { movedBetween, transfersBetween } from '../tables/ledger-transfers.js';

export interface AssetCheck {
  readonly asset: string;
  /** Sum over all accounts, the outside world included, as a decimal; zero in books that balance. */
  readonly total: string;
  /** What the service owes to those who use it: all but the outside world. */
  readonly inside: string;
  readonly held: string;
  /** Sum of the live holds of orders, payouts and transfers; equals `held`. */
  readonly liveHolds: string;
  /** What trades have brought in: all fees less all rebates. */
  readonly fees: string;
}

export interface LedgerCheckResult {
  readonly balanced: boolean;
  readonly assets: readonly AssetCheck[];
  /** What does not add up, in words; empty in books that balance. */
  readonly problems: readonly string[];
  readonly sequence: number;
  readonly stateHash: string;
}

export interface FullCheck {
  readonly status: 'running' | 'done' | 'failed';
  /** 0 to 1. */
  readonly progress: number;
  /** The snapshot's last sequence. */
  readonly sequence: number;
  readonly balanced: boolean | null;
  readonly problems: readonly string[];
}

const FULL_RESULT_KEPT_MS = 60_000;
const CHECKED_EVERY_MS = 5 * 60_000;
const TRANSFERS_PER_STEP = 100_000;
const STEP = { after: '$1::int8', until: '$2::int8' };

@Injectable()
export class LedgerCheck implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('LedgerCheck');
  /** Each process checks for its own metrics. */
  private readonly checking = new BackgroundLoop(
    { name: 'LedgerCheck', everyMs: CHECKED_EVERY_MS, isFirstLater: true },
    () => this.checkByItself(),
  );
  /** The last check by itself or by an operator, for the metrics. */
  private last: LedgerCheckResult | null = null;
  private full: FullCheck | null = null;
  private fullChangedAtMs = 0;
  private readonly derived: DerivedTables[] = [];

  constructor(
    private readonly core: SingleWriter,
    @Inject(PG_POOL) private readonly pool: Pool,
    metrics: MetricsRegistry,
  ) {
    metrics.gauge({
      name: 'ledger_balanced',
      help: '1 if the books balanced when they were last checked, 0 if not; absent before the first check.',
      collect: (gauge) => {
        gauge.reset();
        if (this.last !== null) gauge.set(this.last.balanced ? 1 : 0);
      },
    });
    metrics.gauge({
      name: 'ledger_checked_sequence',
      help: 'The ledger sequence at which the books were last checked.',
      collect: (gauge) => gauge.set(this.last?.sequence ?? 0),
    });
  }

  /** Checks these, too. */
  add(derived: readonly DerivedTables[]): void {
    this.derived.push(...derived);
  }

  onApplicationBootstrap(): Promise<void> {
    return this.checking.begin();
  }

  onModuleDestroy(): Promise<void> {
    return this.checking.end();
  }

  private async checkByItself(): Promise<boolean> {
    const { balanced, problems, sequence } = await this.check();
    if (!balanced) this.logger.error({ problems, sequence, msg: 'the books do not balance' });
    return false;
  }

  /**
   * Checks what is stored, everything acknowledged before included. Reads every balance, position and live order,
   * and no history. Throws `temporarily_unavailable` where the tables do not come up with the journal.
   */
  async check(): Promise<LedgerCheckResult> {
    await this.core.projected();
    this.last = await this.checkSnapshot();
    return this.last;
  }

  private checkSnapshot(): Promise<LedgerCheckResult> {
    return this.inSnapshot((client) => checkTables(client, this.derived));
  }

  /** Sums all transfers there are, and compares what follows trades and transfers with them, in the background; a finished sum is answered for a while, then a new one starts. */
  checkAll(): FullCheck {
    const { full } = this;
    if (
      full !== null &&
      (full.status === 'running' || monotonicMs() - this.fullChangedAtMs < FULL_RESULT_KEPT_MS)
    ) {
      return full;
    }
    this.setFull({ status: 'running', progress: 0, sequence: 0, balanced: null, problems: [] });
    void this.sumHistory().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.setFull({ status: 'failed', progress: 0, sequence: 0, balanced: null, problems: [reason] });
    });
    return this.full!;
  }

  private setFull(full: FullCheck): void {
    this.full = full;
    this.fullChangedAtMs = monotonicMs();
  }

  private async sumHistory(): Promise<void> {
    await this.core.projected();
    await this.inSnapshot(async (client) => {
      const sequence = await cursorOf(client);
      const sums = new Map<string, bigint>();
      const fees = new Map<string, bigint>();
      for (let from = 0; from < sequence; from += TRANSFERS_PER_STEP) {
        await addTransfers(client, sums, from, from + TRANSFERS_PER_STEP);
        await addFees(client, fees, from, from + TRANSFERS_PER_STEP);
        const progress = Math.min(1, (from + TRANSFERS_PER_STEP) / sequence) * 0.99;
        this.setFull({ status: 'running', progress, sequence, balanced: null, problems: [] });
      }
      const problems = [
        ...(await compareBalances(client, sums)),
        ...(await compareFees(client, fees)),
        ...(await problemsOfDerived(client, this.derived, 'all')),
      ];
      this.setFull({ status: 'done', progress: 1, sequence, balanced: problems.length === 0, problems });
    });
  }

  private inSnapshot<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return inTransaction(this.pool, work, 'BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
  }
}

/** Checks the tables as they stand; call it in a snapshot. The service need not run. */
export async function checkTables(
  client: ClientBase,
  derived: readonly DerivedTables[],
): Promise<LedgerCheckResult> {
  const problems: string[] = [];
  const { sequence, stateParts, hash, torn } = await hashTables(client);
  if (torn !== null) {
    problems.push(`The tables are torn: ${torn}.`);
    return { balanced: false, assets: [], problems, sequence, stateHash: '' };
  }
  for (const [part, sum] of stateParts === null ? [] : Object.entries(parseParts(stateParts))) {
    if (hash.part(part as HashPart) !== sum)
      problems.push(`The stored ${part} differ from the running state at sequence ${sequence}.`);
  }
  const assets = await checkAssets(client, problems);
  await checkHolds(client, problems);
  await checkPools(client, problems);
  await checkGroups(client, problems);
  problems.push(...(await problemsOfDerived(client, derived, 'latest')));
  return { balanced: problems.length === 0, assets, problems, sequence, stateHash: hash.total(sequence) };
}

async function checkAssets(client: ClientBase, problems: string[]): Promise<AssetCheck[]> {
  const { rows } = await client.query<
    Record<'asset' | 'total' | 'inside' | 'held' | 'live_holds' | 'fees', string>
  >(`
    ${TRADING_FEES}
    SELECT a.code AS asset, coalesce(t.fees, 0)::text AS fees,
      coalesce(sum(b.available + b.held), 0)::text AS total,
      coalesce(sum(b.available + b.held) FILTER (WHERE c.kind <> 'external'), 0)::text AS inside,
      coalesce(sum(b.held), 0)::text AS held,
      coalesce((SELECT sum(amount) FROM (${LIVE_HOLDS}) h WHERE h.asset = a.code), 0)::text AS live_holds
    FROM assets a LEFT JOIN balances b ON b.asset = a.code LEFT JOIN accounts c ON c.account_id = b.account_id
      LEFT JOIN trading_fees t ON t.asset = a.code
    GROUP BY a.code, t.fees ORDER BY a.code`);
  return rows.map((row) => {
    const { asset } = row;
    const figures = {
      asset,
      total: formatAmount(BigInt(row.total)),
      inside: formatAmount(BigInt(row.inside)),
      held: formatAmount(BigInt(row.held)),
      liveHolds: formatAmount(BigInt(row.live_holds)),
      fees: formatAmount(BigInt(row.fees)),
    };
    if (row.total !== '0') problems.push(`All ${asset} together are ${figures.total}, not 0.`);
    if (BigInt(row.fees) < 0n)
      problems.push(`Rebates in ${asset} are more than fees: ${figures.fees} together.`);
    if (row.held !== row.live_holds)
      problems.push(`${figures.held} ${asset} are held for live holds of ${figures.liveHolds}.`);
    return figures;
  });
}

async function checkHolds(client: ClientBase, problems: string[]): Promise<void> {
  const { rows } = await client.query<{ account_id: string; asset: string }>(`
    SELECT account_id, asset FROM (
      SELECT account_id, asset, held AS amount FROM balances WHERE held <> 0
      UNION ALL SELECT account_id, asset, -amount FROM (${LIVE_HOLDS}) h) differences
    GROUP BY account_id, asset HAVING sum(amount) <> 0 LIMIT 10`);
  for (const { account_id, asset } of rows) {
    problems.push(`Account ${account_id} holds another amount of ${asset} than its live holds.`);
  }
}

async function checkPools(client: ClientBase, problems: string[]): Promise<void> {
  const { rows } = await client.query<{ market_id: string }>(`
    SELECT m.market_id FROM markets m JOIN market_books k ON k.market_id = m.market_id
      LEFT JOIN balances b ON b.account_id = m.pool_account_id AND b.asset = m.quote_asset
      LEFT JOIN LATERAL (
        SELECT coalesce(sum(size_lots) FILTER (WHERE size_lots > 0), 0) AS longs,
          coalesce(-sum(size_lots) FILTER (WHERE size_lots < 0), 0) AS shorts
        FROM positions p WHERE p.market_id = m.market_id AND p.is_holder) p ON true
    WHERE m.kind = 'event' AND NOT EXISTS (${GROUP_OF_MARKET}) AND (
      coalesce(b.available + b.held, 0) <> CASE WHEN k.owed_short_lots IS NULL THEN k.open_interest_lots * m.lot_size
        ELSE div((k.open_interest_lots - k.owed_short_lots) * m.lot_size * m.settlement_value, 1e18) + k.owed_short_lots * m.lot_size END
      OR p.longs <> k.open_interest_lots OR p.shorts <> coalesce(k.owed_short_lots, k.open_interest_lots))`);
  for (const { market_id } of rows)
    problems.push(`The pool of ${market_id} does not equal its open interest.`);
}

/** Each short takes one from the pool, and each set without a short. What is settling owes as markets do. */
async function checkGroups(client: ClientBase, problems: string[]): Promise<void> {
  const { rows } = await client.query<{ event_group_id: string }>(`
    SELECT g.event_group_id FROM event_groups g
      JOIN markets m ON m.market_id = ANY (string_to_array(g.market_ids, ' '))
      JOIN market_books k ON k.market_id = m.market_id
      LEFT JOIN balances b ON b.account_id = g.pool_account_id AND b.asset = g.quote_asset
      LEFT JOIN LATERAL (
        SELECT coalesce(sum(size_lots) FILTER (WHERE size_lots > 0), 0) AS longs,
          coalesce(-sum(size_lots) FILTER (WHERE size_lots < 0), 0) AS shorts
        FROM positions p WHERE p.market_id = m.market_id AND p.is_holder) p ON true
    GROUP BY g.event_group_id, g.lot_size, b.available, b.held
    HAVING bool_or(p.longs <> k.open_interest_lots OR p.shorts <> coalesce(k.owed_short_lots, p.shorts))
      OR coalesce(b.available + b.held, 0) <> g.lot_size * CASE WHEN bool_and(m.settlement_value IS NULL)
        THEN sum(p.shorts) + min(p.longs - p.shorts)
        ELSE sum(CASE WHEN m.settlement_value = 0 THEN p.shorts ELSE p.longs END) END
      OR (bool_and(m.settlement_value IS NULL) AND min(p.longs - p.shorts) <> max(p.longs - p.shorts))`);
  for (const { event_group_id } of rows)
    problems.push(`The pool of the event group ${event_group_id} does not equal what its contracts can pay.`);
}

const GROUP_OF_MARKET = `
  SELECT FROM event_groups g WHERE m.market_id = ANY (string_to_array(g.market_ids, ' '))`;

/** Every live hold with its amount: of orders, in the asset they hold, and of all other owners. */
const LIVE_HOLDS = `
  SELECT o.account_id, o.held AS amount,
    CASE WHEN o.side = 'sell' THEN coalesce(m.base_asset, m.quote_asset) ELSE m.quote_asset END AS asset
  FROM orders o JOIN markets m ON m.market_id = o.market_id
  WHERE o.status IN ('open', 'partially_filled', 'untriggered')
  UNION ALL SELECT account_id, amount, asset FROM holds`;

/** By asset, as the positions have counted them. */
const TRADING_FEES = `
  WITH trading_fees AS (
    SELECT m.quote_asset AS asset, sum(p.fees) AS fees
    FROM positions p JOIN markets m ON m.market_id = p.market_id GROUP BY m.quote_asset)`;

async function addTransfers(
  client: PoolClient,
  sums: Map<string, bigint>,
  after: number,
  until: number,
): Promise<void> {
  const { rows } = await client.query<{ account_id: string; asset: string; units: string }>(
    movedBetween(STEP),
    [after, until],
  );
  for (const { account_id, asset, units } of rows) {
    const key = `${account_id} ${asset}`;
    sums.set(key, (sums.get(key) ?? 0n) + BigInt(units));
  }
}

/** Adds what the entries say of fees and rebates, by asset. */
async function addFees(
  client: PoolClient,
  sums: Map<string, bigint>,
  after: number,
  until: number,
): Promise<void> {
  const { rows } = await client.query<{ asset: string; fees: string }>(
    `SELECT asset, sum(CASE reason WHEN 'fee' THEN amount ELSE -amount END)::text AS fees
     FROM (${transfersBetween(STEP)}) AS transfers WHERE reason IN ('fee', 'rebate') GROUP BY asset`,
    [after, until],
  );
  for (const { asset, fees } of rows) sums.set(asset, (sums.get(asset) ?? 0n) + BigInt(fees));
}

async function compareFees(client: PoolClient, sums: ReadonlyMap<string, bigint>): Promise<string[]> {
  const { rows } = await client.query<{ asset: string; fees: string }>(
    `${TRADING_FEES} SELECT code AS asset, coalesce(t.fees, 0)::text AS fees
     FROM assets a LEFT JOIN trading_fees t ON t.asset = a.code ORDER BY code`,
  );
  return rows.flatMap(({ asset, fees }) => {
    const summed = sums.get(asset) ?? 0n;
    if (summed === BigInt(fees)) return [];
    return [
      `Positions have paid ${formatAmount(BigInt(fees))} ${asset} of fees, entries sum to ${formatAmount(summed)}.`,
    ];
  });
}

async function compareBalances(client: PoolClient, sums: Map<string, bigint>): Promise<string[]> {
  const { rows } = await client.query<{ account_id: string; asset: string; total: string }>(
    'SELECT account_id, asset, (available + held)::text AS total FROM balances',
  );
  const problems: string[] = [];
  for (const { account_id, asset, total } of rows) {
    const key = `${account_id} ${asset}`;
    const summed = sums.get(key) ?? 0n;
    sums.delete(key);
    if (summed !== BigInt(total)) {
      problems.push(
        `Account ${account_id} has ${formatAmount(BigInt(total))} ${asset}, its entries sum to ${formatAmount(summed)}.`,
      );
    }
  }
  for (const [key, summed] of sums)
    if (summed !== 0n) problems.push(`The entries of account ${key} have no balance.`);
  return problems;
}
