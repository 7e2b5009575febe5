/**
 * What a journal row says to each account and market that it concerns: the rows of its effects, as `docs/journal.md`
 * has them, without what is of others. Of a trade an account gets its own side, of a transfer its own end.
 */
import { canonicalJson, type Json } from '../../domain/proof/canonical-json.js';
import type { StatedChange, Statement } from '../../domain/proof/statement.js';
import type { EffectTable, NamedRow as Row } from './effect-tables.js';

/** Those whose matter a row is, each with what it may see. */
type Views = (row: Row, statements: Statements) => void;

const OF_TRADE = [
  'market_id',
  'trade_id',
  'price_ticks',
  'size_lots',
  'taker_side',
  'book_sequence',
  'executed_at',
] as const;
const END_OF_TRANSFER = ['transfer_id', 'asset', 'amount', 'reason', 'reference', 'created_at'] as const;

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
    const seen = only(row, OF_TRADE);
    statements.add(row.market_id as string, seen);
    for (const role of ['maker', 'taker'] as const)
      statements.add(row[`${role}_account_id`] as number, {
        ...seen,
        role,
        order_id: row[`${role}_order_id`]!,
        fee: row[`${role}_fee`]!,
      });
  },
  transfers(row, statements) {
    for (const side of ['debit', 'credit'] as const)
      statements.add(row[`${side}_account_id`] as number, {
        ...only(row, END_OF_TRANSFER),
        side,
        balance_after: row[`${side}_balance_after`]!,
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
    if (typeof whose === 'number') listOf(this.accounts, whose).push({ table, kind, row });
    else listOf(this.markets, whose).push({ table, kind, row });
  }

  /** Of accounts first, in the order of their ids, and then of markets. */
  finish(): Statement[] {
    const accounts = [...this.accounts].sort(([a], [b]) => a - b);
    const markets = [...this.markets].sort(([a], [b]) => (a < b ? -1 : 1));
    return [
      ...accounts.map(([account_id, changes]) => ({ account_id, changes })),
      ...markets.map(([market_id, changes]) => ({ market_id, changes })),
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
