/**
 * What a journal row says to each account and market that it concerns: the rows of its effects, as `docs/journal.md`
 * has them, without what is of others. Of a trade an account gets its own side, of a transfer its own end.
 */
import { canonicalJson, type Json } from '../../domain/proof/canonical-json.js';
import type { StatedChange, Statement } from '../../domain/proof/statement.js';
import type { EffectTable, NamedRow as Row } from './effect-tables.js';

/** Those whose matter a row is, each with what it may see. */
type Views = (row: Row, statements: Statements) => void;

/** Of a trade, what both sides and everybody else see. In the order of canonical JSON, as all rows here. */
const OF_TRADE = [
  'book_sequence',
  'executed_at',
  'market_id',
  'price_ticks',
  'size_lots',
  'taker_side',
  'trade_id',
] as const;

const toItsAccount: Views = (row, statements) => statements.add(row.account_id as number, row);

/**
 * By table; what is not here is no one's matter, such as callers' keys. The leaves of old rows are made of this: for
 * effects that there are, it must stay as it is.
 */
const VIEWS: Readonly<Record<string, Views>> = {
  orders: toItsAccount,
  matched_bets: toItsAccount,
  set_legs: toItsAccount,
  balances: toItsAccount,
  positions: toItsAccount,
  maker_protections: toItsAccount,
  market_books: (row, statements) => statements.add(row.market_id as string, row),
  trades(row, statements) {
    statements.add(row.market_id as string, only(row, OF_TRADE));
    for (const role of ['maker', 'taker'] as const)
      statements.add(row[`${role}_account_id`] as number, {
        book_sequence: row.book_sequence!,
        executed_at: row.executed_at!,
        fee: row[`${role}_fee`]!,
        market_id: row.market_id!,
        order_id: row[`${role}_order_id`]!,
        price_ticks: row.price_ticks!,
        role,
        size_lots: row.size_lots!,
        taker_side: row.taker_side!,
        trade_id: row.trade_id!,
      });
  },
  transfers(row, statements) {
    for (const side of ['debit', 'credit'] as const)
      statements.add(row[`${side}_account_id`] as number, {
        amount: row.amount!,
        asset: row.asset!,
        balance_after: row[`${side}_balance_after`]!,
        created_at: row.created_at!,
        reason: row.reason!,
        reference: row.reference!,
        side,
        transfer_id: row.transfer_id!,
      });
  },
};

/** Gathers changes by account and market. */
class Statements {
  private readonly accounts = new Map<number, StatedChange[]>();
  private readonly markets = new Map<string, StatedChange[]>();
  private table = '';
  private kind = '';

  begin(table: string, kind: string): void {
    this.table = table;
    this.kind = kind;
  }

  add(whose: number | string, row: Row): void {
    const { table, kind } = this;
    if (typeof whose === 'number') listOf(this.accounts, whose).push({ kind, row, table });
    else listOf(this.markets, whose).push({ kind, row, table });
  }

  /** Of accounts first, in the order of their ids, and then of markets. */
  finish(): Statement[] {
    const accounts = [...this.accounts].sort(([a], [b]) => a - b);
    const markets = [...this.markets].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      ...accounts.map(([account_id, changes]) => ({ account_id, changes })),
      ...markets.map(([market_id, changes]) => ({ changes, market_id })),
    ];
  }
}

export function statementsOf(tables: readonly EffectTable[]): Statement[] {
  const statements = new Statements();
  for (const { table, kind, rows } of tables) {
    const views = VIEWS[table];
    if (views === undefined) continue;
    statements.begin(table, kind);
    for (const row of rows) views(row, statements);
  }
  return statements.finish();
}

export function textOfStatement(statement: Statement): string {
  return canonicalJson(statement as unknown as Json);
}

function only(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name]!]));
}

function listOf<Key>(lists: Map<Key, StatedChange[]>, key: Key): StatedChange[] {
  let list = lists.get(key);
  if (list === undefined) {
    list = [];
    lists.set(key, list);
  }
  return list;
}
