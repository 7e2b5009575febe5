/**
 * All transfers of the ledger, in SQL: those with rows of their own, and those that trades carry. Every reader takes them
 * from here, so that no money is told twice or not at all.
 */
import { LEDGER_TRANSFER_COLUMNS } from './core-tables.js';

/** The most transfers that a trade carries. Their ids follow its own. */
const CARRIED_MAX = 6;
const COLUMNS = LEDGER_TRANSFER_COLUMNS.map(({ name }) => name).join(', ');

const MARKETS = '(SELECT market_id, base_asset, quote_asset FROM markets) AS m';

/** Earlier trades carry nothing, so they need not be looked through. */
const CARRIED_AFTER = '(SELECT carried_after FROM core_projection)';
const FEES = `(SELECT account_id FROM accounts WHERE kind = 'fees' AND name = 'fees' AND owner IS NULL)`;

/** Balances are told backwards, from those after everything. */
const BEFORE_FEES = `
  SELECT taker_side = 'buy' AS buys, pool_account_id IS NULL AS is_spot,
    maker_balance_after + maker_fee AS maker_had, taker_balance_after + taker_fee AS taker_had,
    coalesce(maker_received, 0) AS maker_got, coalesce(taker_received, 0) AS taker_got, coalesce(taker_paid, 0) AS taker_gave,
    num_nonnulls(maker_paid, maker_received, taker_paid, taker_received) AS moves`;

/**
 * What trades `t` in markets `m` carry, in the order of `execution.ts`; `carried-transfers.ts` has made sure that these are
 * their transfers. With a fee of the maker there is no rebate.
 */
const CARRIED = `
  CROSS JOIN LATERAL (${BEFORE_FEES}) AS b
  CROSS JOIN LATERAL (
    SELECT t.trade_id + place AS transfer_id, debit_account_id, credit_account_id, asset, amount, reason,
      t.trade_id::text AS reference, debit_balance_after, credit_balance_after, t.executed_at AS created_at
    FROM (
      SELECT CASE WHEN buys THEN 2 ELSE 1 END AS place, maker_account_id AS debit_account_id,
        taker_account_id AS credit_account_id, CASE WHEN buys THEN base_asset ELSE quote_asset END AS asset,
        maker_paid AS amount, 'trade' AS reason,
        CASE WHEN buys THEN maker_base_after ELSE maker_had END AS debit_balance_after,
        CASE WHEN buys THEN taker_base_after ELSE taker_had END AS credit_balance_after
        WHERE is_spot
      UNION ALL SELECT CASE WHEN buys THEN 1 ELSE 2 END, taker_account_id, maker_account_id,
        CASE WHEN buys THEN quote_asset ELSE base_asset END, taker_paid, 'trade',
        CASE WHEN buys THEN taker_had ELSE taker_base_after END, CASE WHEN buys THEN maker_had ELSE maker_base_after END
        WHERE is_spot
      UNION ALL SELECT 1, maker_account_id, pool_account_id, quote_asset, maker_paid, 'event_open',
        maker_had - maker_got, pool_balance_after + taker_got - taker_gave + maker_got
        WHERE NOT is_spot AND maker_paid IS NOT NULL
      UNION ALL SELECT num_nonnulls(maker_paid, maker_received), pool_account_id, maker_account_id, quote_asset,
        maker_received, 'event_close', pool_balance_after + taker_got - taker_gave, maker_had
        WHERE maker_received IS NOT NULL
      UNION ALL SELECT num_nonnulls(maker_paid, maker_received, taker_paid), taker_account_id, pool_account_id, quote_asset,
        taker_paid, 'event_open', taker_had - taker_got, pool_balance_after + taker_got
        WHERE NOT is_spot AND taker_paid IS NOT NULL
      UNION ALL SELECT moves, pool_account_id, taker_account_id, quote_asset,
        taker_received, 'event_close', pool_balance_after, taker_had
        WHERE taker_received IS NOT NULL
      UNION ALL SELECT moves + 1, maker_account_id, ${FEES}, quote_asset, maker_fee, 'fee',
        maker_balance_after, fees_balance_after - taker_fee
        WHERE maker_fee > 0
      UNION ALL SELECT moves + 1 + (maker_fee > 0)::int, taker_account_id, ${FEES}, quote_asset, taker_fee, 'fee',
        taker_balance_after, fees_balance_after - least(maker_fee, 0)
        WHERE taker_fee > 0
      UNION ALL SELECT moves + 1 + (taker_fee > 0)::int, ${FEES}, maker_account_id, quote_asset, -maker_fee, 'rebate',
        fees_balance_after, maker_balance_after
        WHERE maker_fee < 0
    ) AS moves
  ) AS carried`;

/** After a sequence and up to another one, both SQL expressions. */
export interface Span {
  readonly after: string;
  readonly until: string;
}

/** Those of all accounts. */
export function transfersBetween({ after, until }: Span): string {
  return `
    SELECT ${COLUMNS} FROM transfers WHERE transfer_id > ${after} AND transfer_id <= ${until}
    UNION ALL
    SELECT ${COLUMNS} FROM ${MARKETS}
    CROSS JOIN LATERAL (
      SELECT * FROM trades WHERE market_id = m.market_id AND ${mayCarry({ after, until })}) AS t
    ${CARRIED}
    WHERE transfer_id > ${after} AND transfer_id <= ${until}`;
}

/** What they have come to for each account and asset: `units`. */
export function movedBetween(span: Span): string {
  return `
    SELECT account_id, asset, sum(units) AS units FROM (${transfersBetween(span)}) AS transfers
    CROSS JOIN LATERAL (
      SELECT debit_account_id AS account_id, -amount AS units UNION ALL SELECT credit_account_id, amount) AS sides
    GROUP BY account_id, asset`;
}

/** A page begins at one end of the span. */
export interface SpanPage {
  readonly order: 'ASC' | 'DESC';
  /** An SQL expression. */
  readonly limit: string;
}

/**
 * Those of some accounts with `account_id`, once for each of their two accounts that is one of these; of one asset, where
 * that is given as an SQL expression. `accounts` is what comes after the name of a column, such as `= $1`. Each part comes from
 * an index, so that a page costs the same however long the history is. Accounts of the house are not found, as they make no trades.
 */
export function entriesOf(accounts: string, span: Span, page?: SpanPage, asset?: string): string {
  const { after, until } = span;
  const first = (place: string, more = ''): string =>
    page === undefined ? '' : `ORDER BY ${place} ${page.order} LIMIT ${page.limit}${more}`;
  const isWanted = `transfer_id > ${after} AND transfer_id <= ${until}${asset === undefined ? '' : ` AND asset = ${asset}`}`;
  const isOfMarket =
    asset === undefined
      ? 'true'
      : `EXISTS (SELECT FROM ${MARKETS} WHERE m.market_id = trades.market_id AND ${asset} IN (quote_asset, base_asset))`;
  const stored = ['debit', 'credit'].map(
    (side) => `
    (SELECT ${side}_account_id AS account_id, ${COLUMNS} FROM transfers
     WHERE ${side}_account_id ${accounts} AND ${isWanted} ${first('transfer_id')})`,
  );
  // Each trade has an entry of each side at least, but for those across an end of the span.
  const trades = ['maker', 'taker'].map(
    (side) => `
      (SELECT ${side}_account_id AS account_id, trades.* FROM trades
       WHERE ${side}_account_id ${accounts} AND ${mayCarry(span)} AND ${isOfMarket} ${first('trade_id', ` + ${CARRIED_MAX}`)})`,
  );
  const carried = `
    (SELECT account_id, ${COLUMNS} FROM (${trades.join(' UNION ALL ')}) AS t
     JOIN ${MARKETS} ON m.market_id = t.market_id ${CARRIED}
     WHERE account_id IN (debit_account_id, credit_account_id) AND ${isWanted})`;
  return `SELECT * FROM (${[...stored, carried].join(' UNION ALL ')}) AS entries ${first('transfer_id')}`;
}

function mayCarry({ after, until }: Span): string {
  return `maker_balance_after IS NOT NULL AND trade_id > greatest(${after} - ${CARRIED_MAX}, ${CARRIED_AFTER})
    AND trade_id < ${until}`;
}
