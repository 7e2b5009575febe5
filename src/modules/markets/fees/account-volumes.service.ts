import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { NOBODY } from '../../../core/commit-listeners.js';
import { CoreService } from '../../../core/core.service.js';
import { cursorOf } from '../../../core/projection/projector.js';
import { Clock } from '../../../kit/clock.js';
import { CoalescedWork } from '../../../kit/coalesced-work.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { inTransaction } from '../../../kit/database/transaction.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import { MomentsService } from '../../accounts/moments/moments.service.js';

/** How soon after a trade it is written: what comes in between is written together with it. */
const GATHER_MS = 10_000;
/** For what other processes have left. */
const EVERY_MS = 60_000;
/** How much of the ledger's sequence a step covers; a trade takes up three places of it or more. */
const STEP_SEQUENCES = 100_000;
/** What the first step goes back to: a day more than counts. */
const COUNTED_MS = 31 * 24 * 60 * 60 * 1_000;
export const VOLUMES_CURSOR = 'volumes';
/** The last sequence that is in the sums. */
export const COUNTED = `coalesce((SELECT sequence FROM journal_cursors WHERE name = '${VOLUMES_CURSOR}'), 0)`;

const DAY = `(t.executed_at AT TIME ZONE 'UTC')::date`;
/** Of a trade `t` in a market `m`. Ticks and lots have 18 decimals together, so nothing is rounded. */
const NOTIONAL = 'div(t.price_ticks::numeric * t.size_lots * m.tick_size * m.lot_size, 1e18::numeric)';

/** What was traded between two sequences. */
export const volumesBetween = (after: string, until: string): string => `
  WITH traded AS (
    SELECT t.maker_account_id, t.taker_account_id, ${DAY} AS day, m.quote_asset, ${NOTIONAL} AS notional
    FROM markets m CROSS JOIN LATERAL (
      SELECT * FROM trades WHERE market_id = m.market_id AND trade_id > ${after} AND trade_id <= ${until}) t
  ), sides AS (
    SELECT maker_account_id AS account_id, day, quote_asset, notional FROM traded
    UNION ALL SELECT taker_account_id, day, quote_asset, notional FROM traded
  )
  SELECT account_id, day, quote_asset AS asset, sum(notional) AS volume FROM sides
  GROUP BY account_id, day, quote_asset ORDER BY account_id, day, quote_asset`;

/** Bounded on both sides, so that PostgreSQL knows how few there are. */
const NOT_COUNTED = `trade_id > ${COUNTED} AND trade_id <= (SELECT sequence FROM core_projection)`;

/** What an account, an SQL expression, has traded: the sums of days, and each trade that is not in them yet. */
export const volumesOf = (accountId: string): string => `
  SELECT day, asset, volume FROM account_volumes WHERE account_id = ${accountId}
  UNION ALL
  SELECT ${DAY}, m.quote_asset, ${NOTIONAL}
  FROM (
    SELECT * FROM trades WHERE maker_account_id = ${accountId} AND ${NOT_COUNTED}
    UNION ALL SELECT * FROM trades WHERE taker_account_id = ${accountId} AND ${NOT_COUNTED}
  ) AS t JOIN markets m USING (market_id)`;

const ADD_TRADES = `
  INSERT INTO account_volumes (account_id, day, asset, volume) ${volumesBetween('$1', '$2')}
  ON CONFLICT (account_id, day, asset) DO UPDATE SET volume = account_volumes.volume + EXCLUDED.volume`;

export const OLD_VOLUMES: PurgedRows = {
  table: 'account_volumes',
  key: ['account_id', 'day', 'asset'],
  over: `day < (now() AT TIME ZONE 'UTC')::date - 31`,
  orderBy: 'day',
};

/**
 * Sums up what accounts trade in a day, a moment after the trades and off the order path. Every process may take the next
 * step; the cursor in the same transaction makes each trade count once.
 */
@Injectable()
export class AccountVolumes implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly steps = new CoalescedWork(() => this.step());
  private readonly loop = new BackgroundLoop(
    { name: 'AccountVolumes', everyMs: EVERY_MS, gatherMs: GATHER_MS },
    () => this.steps.take(),
  );
  private unsubscribe: () => void = () => undefined;

  constructor(
    private readonly core: CoreService,
    private readonly moments: MomentsService,
    private readonly clock: Clock,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  onModuleInit(): void {
    this.unsubscribe = this.core.onCommitted((batch) => {
      if (batch.trades.length > 0) this.loop.request();
    }, NOBODY);
  }

  onApplicationBootstrap(): Promise<void> {
    return this.loop.begin();
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    await this.loop.end();
    await this.steps.settled();
  }

  /** Counts what was committed before the call, unless it is more than a step behind. */
  async catchUp(): Promise<void> {
    await this.steps.take();
  }

  /** Answers whether more is left. */
  private async step(): Promise<boolean> {
    await this.core.projected();
    const start = await this.moments.sequenceBefore(this.clock.nowMs() - COUNTED_MS);
    return inTransaction(this.pool, async (client) => {
      const after = Math.max(await this.lockCursor(client), start);
      const end = await cursorOf(client);
      const until = Math.min(after + STEP_SEQUENCES, end);
      if (until <= after) return false;
      await client.query(ADD_TRADES, [after, until]);
      await client.query('UPDATE journal_cursors SET sequence = $2 WHERE name = $1', [VOLUMES_CURSOR, until]);
      return until < end;
    });
  }

  private async lockCursor(client: PoolClient): Promise<number> {
    await client.query('INSERT INTO journal_cursors (name, sequence) VALUES ($1, 0) ON CONFLICT DO NOTHING', [
      VOLUMES_CURSOR,
    ]);
    const { rows } = await client.query<{ sequence: string }>(
      'SELECT sequence FROM journal_cursors WHERE name = $1 FOR UPDATE',
      [VOLUMES_CURSOR],
    );
    return Number(rows[0]!.sequence);
  }
}
