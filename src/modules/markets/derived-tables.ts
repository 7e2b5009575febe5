/** What this group makes of the core's tables, for what compares the two and makes these anew. */
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LedgerCheck } from '../../core/ledger-check.js';
import type { Cursors, DerivedTables } from '../../core/projection/derived-tables.js';
import { MARKS_CURSOR, marksBetween } from './holdings/balance-history.js';
import { COUNTED, VOLUMES_CURSOR, volumesBetween } from './fees/account-volumes.service.js';
import { FILLS_CURSOR, FillFold } from './fills/fill-fold.js';
import { INTERVAL_SECONDS } from './market-data/candle.dto.js';
import { CANDLE_FOLD, CANDLES_CURSOR } from './market-data/candle-fold.js';
import { remake } from './market-data/market-fold.js';

/** A cursor of each market, and up to where its follower has come. */
const placesOf = (cursor: string): string => `
  SELECT substr(name, ${cursor.length + 1}) AS market_id, sequence FROM journal_cursors WHERE starts_with(name, '${cursor}')`;

function* marketsOf(cursors: Cursors, cursor: string): Iterable<[marketId: string, until: number]> {
  for (const [name, until] of cursors) if (name.startsWith(cursor)) yield [name.slice(cursor.length), until];
}

/** In markets all of whose trades, sets and settlements are fills already, the last fill tells the position. */
const LAST_FILLS = `
  WITH places AS (${placesOf(FILLS_CURSOR)}), complete AS MATERIALIZED (
    SELECT market_id FROM places p
    WHERE NOT EXISTS (SELECT FROM trades t WHERE t.market_id = p.market_id AND t.trade_id > p.sequence)
      AND NOT EXISTS (SELECT FROM set_legs l WHERE l.market_id = p.market_id AND l.leg_id > p.sequence)
      AND NOT EXISTS (SELECT FROM settlements s WHERE s.market_id = p.market_id AND s.sequence > p.sequence)
      AND NOT EXISTS (SELECT FROM settlement_chunks s WHERE s.market_id = p.market_id AND s.sequence > p.sequence)
  )
  SELECT format('The last fill of account %s in %s does not lead to its position.', account_id, market_id) AS problem
  FROM positions p JOIN complete USING (market_id)
  LEFT JOIN LATERAL (
    SELECT size_lots, cost_basis, realized_pnl, fees FROM fills f
    WHERE f.account_id = p.account_id AND f.market_id = p.market_id ORDER BY f.sequence DESC LIMIT 1
  ) AS last ON true
  WHERE (p.size_lots, p.cost_basis, p.realized_pnl, p.fees) IS DISTINCT FROM
    (coalesce(last.size_lots, 0), coalesce(last.cost_basis, 0), coalesce(last.realized_pnl, 0), coalesce(last.fees, 0))`;

const FILLS_OF_TRADES = `
  WITH places AS (${placesOf(FILLS_CURSOR)}), moved AS (
    SELECT market_id, account_id, size_lots, fee
    FROM places p JOIN trades t USING (market_id)
    CROSS JOIN LATERAL (VALUES (maker_account_id, maker_fee), (taker_account_id, taker_fee)) AS sides (account_id, fee)
    WHERE t.trade_id <= p.sequence
    UNION ALL
    SELECT market_id, account_id, size_lots, 0 FROM places p JOIN set_legs l USING (market_id) WHERE l.leg_id <= p.sequence
  ), expected AS (
    SELECT account_id, market_id, count(*) AS fills, sum(size_lots) AS lots, sum(fee) AS fees
    FROM moved GROUP BY account_id, market_id
  ), stored AS (
    SELECT account_id, market_id, count(*) AS fills, sum(lots) AS lots, sum(fee) AS fees
    FROM fills WHERE kind IN ('trade', 'set') GROUP BY account_id, market_id
  )
  SELECT format('Account %s has %s fills in %s, its trades and sets make %s; or their lots or fees differ.',
    account_id, coalesce(stored.fills, 0), market_id, coalesce(expected.fills, 0)) AS problem
  FROM stored FULL JOIN expected USING (account_id, market_id)
  WHERE (stored.fills, stored.lots, stored.fees) IS DISTINCT FROM (expected.fills, expected.lots, expected.fees)
  UNION ALL
  SELECT format('Account %s traded in %s on %s, which is %s.', account_id, market_id, day,
    CASE WHEN d.account_id IS NULL THEN 'not among its days' ELSE 'a day without a fill' END)
  FROM (SELECT DISTINCT account_id, (executed_at AT TIME ZONE 'UTC')::date AS day, market_id FROM fills) AS f
  FULL JOIN fill_days d USING (account_id, day, market_id)
  WHERE f.account_id IS NULL OR d.account_id IS NULL`;

const FILL_TABLES: DerivedTables = {
  tables: ['fills', 'fill_days'],
  remake: async (client, cursors) => {
    const fold = new FillFold();
    for (const [marketId, until] of marketsOf(cursors, FILLS_CURSOR))
      await remake(client, fold, marketId, until);
  },
  latestProblems: LAST_FILLS,
  problems: FILLS_OF_TRADES,
};

const CANDLE_TABLES: DerivedTables = {
  tables: ['candles'],
  remake: async (client, cursors) => {
    for (const [marketId, until] of marketsOf(cursors, CANDLES_CURSOR))
      await remake(client, CANDLE_FOLD, marketId, until);
  },
  problems: `
    WITH expected AS (
      SELECT market_id, sum(size_lots) AS lots
      FROM (${placesOf(CANDLES_CURSOR)}) AS p JOIN trades t USING (market_id)
      WHERE t.trade_id <= p.sequence GROUP BY market_id
    ), stored AS (
      SELECT market_id, interval_seconds, sum(volume_lots) AS lots FROM candles GROUP BY market_id, interval_seconds
    ), intervals AS (SELECT unnest(ARRAY[${Object.values(INTERVAL_SECONDS).join(', ')}]) AS interval_seconds)
    SELECT format('Candles of %s seconds in %s have %s lots, its trades have %s.', interval_seconds, market_id,
      coalesce(stored.lots, 0), coalesce(expected.lots, 0)) AS problem
    FROM (SELECT * FROM expected CROSS JOIN intervals) AS expected FULL JOIN stored USING (market_id, interval_seconds)
    WHERE stored.lots IS DISTINCT FROM expected.lots`,
};

const MARKED = `coalesce((SELECT sequence FROM journal_cursors WHERE name = '${MARKS_CURSOR}'), 0)`;

const MARK_TABLES: DerivedTables = {
  tables: ['balance_marks'],
  remake: async (client, cursors) => {
    const until = cursors.get(MARKS_CURSOR) ?? 0;
    await client.query(`INSERT INTO balance_marks (account_id, asset, sequence, balance)
      ${marksBetween('0', until.toString())}`);
  },
  problems: `
    SELECT format('The balance of account %s in %s at sequence %s is marked as %s units and was %s.', account_id, asset,
      sequence, coalesce(m.balance::text, 'no'), coalesce(e.balance::text, 'none')) AS problem
    FROM (${marksBetween('0', MARKED)}) AS e FULL JOIN balance_marks m USING (account_id, asset, sequence)
    WHERE m.balance IS DISTINCT FROM e.balance`,
};

/** Older ones are purged, and were counted from the middle of a day on. */
const VOLUMES_KEPT = `day >= (now() AT TIME ZONE 'UTC')::date - 30`;

const VOLUME_TABLES: DerivedTables = {
  tables: ['account_volumes'],
  kept: VOLUMES_KEPT,
  remake: async (client, cursors) => {
    await client.query(
      `INSERT INTO account_volumes (account_id, day, asset, volume) ${volumesBetween('0', '$1')}`,
      [cursors.get(VOLUMES_CURSOR) ?? 0],
    );
  },
  problems: `
    SELECT format('Account %s has traded %s units of %s on %s, its trades sum to %s.', account_id, coalesce(s.volume, 0),
      asset, day, coalesce(e.volume, 0)) AS problem
    FROM (SELECT * FROM (${volumesBetween('0', COUNTED)}) AS traded WHERE ${VOLUMES_KEPT}) AS e
    FULL JOIN (SELECT * FROM account_volumes WHERE ${VOLUMES_KEPT}) AS s USING (account_id, day, asset)
    WHERE s.volume IS DISTINCT FROM e.volume`,
};

export const DERIVED_TABLES: readonly DerivedTables[] = [
  FILL_TABLES,
  CANDLE_TABLES,
  MARK_TABLES,
  VOLUME_TABLES,
];

/** Has the ledger check look at them, too. */
@Injectable()
export class CheckedTables implements OnModuleInit {
  constructor(private readonly ledger: LedgerCheck) {}

  onModuleInit(): void {
    this.ledger.add(DERIVED_TABLES);
  }
}
