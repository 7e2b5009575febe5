import { describe, expect, it } from 'vitest';
import { randomJournal, seedFromEnvironment } from '../../../test/support/domain/property.js';
import { rounds } from '../../../test/support/rounds.js';
import { Engine } from '../../domain/engine/engine.js';
import { canonicalJson, type Json } from '../../domain/proof/canonical-json.js';
import { decodeEffects, encodeEffects } from '../projection/effects.js';
import { countRows, effectRowsOf } from '../projection/tables.js';
import { tablesOf } from './effect-tables.js';
import { RowStatements } from './statements.js';

const WORLDS = rounds('STATEMENT_WORLDS', 3, 200);
const COMMANDS_PER_WORLD = 300;
const COMMANDS_PER_ROW = 20;
const TIME_MS = Date.UTC(2026, 10, 27);

type Row = Record<string, Json>;
type Change = { readonly kind: string; readonly row: Row; readonly table: string };

/** Whose rows a table has; of trades and transfers see below. */
const OWNERS: Readonly<Record<string, string>> = {
  orders: 'account_id',
  matched_bets: 'account_id',
  set_legs: 'account_id',
  balances: 'account_id',
  positions: 'account_id',
  maker_protections: 'account_id',
  market_books: 'market_id',
};

/** What rows say, value by value, as the leaves of all versions have it. */
function expectedOf(effects: Buffer, timeMs: number): { readonly owner: unknown; readonly text: string }[] {
  const changes = new Map<unknown, Change[]>();
  for (const { effect, rows } of decodeEffects(effects, timeMs))
    for (const values of rows) {
      const { kind, table, columns } = effect;
      const row: Row = Object.fromEntries(
        columns.map(({ name }, place) => {
          const value = values[place]!;
          return [name, typeof value === 'bigint' ? String(value) : value];
        }),
      );
      const say = (owner: unknown, said: Row): void => {
        changes.set(owner, [...(changes.get(owner) ?? []), { kind, row: said, table }]);
      };
      if (table === 'trades') sayTrade(row, say);
      else if (table === 'transfers') sayTransfer(row, say);
      else if (table in OWNERS) say(row[OWNERS[table]!], row);
    }
  const owners = [...changes.keys()];
  const accounts = owners.filter((owner) => typeof owner === 'number').sort((a, b) => a - b);
  const markets = owners.filter((owner) => typeof owner === 'string').sort();
  return [
    ...accounts.map((account_id) => ({ account_id, changes: changes.get(account_id)! })),
    ...markets.map((market_id) => ({ market_id, changes: changes.get(market_id)! })),
  ].map((statement) => ({
    owner: 'account_id' in statement ? statement.account_id : statement.market_id,
    text: canonicalJson(statement),
  }));
}

function sayTrade(row: Row, say: (owner: unknown, said: Row) => void): void {
  const trade = membersOf(row, [
    'book_sequence',
    'executed_at',
    'market_id',
    'price_ticks',
    'size_lots',
    'taker_side',
    'trade_id',
  ]);
  say(row.market_id, trade);
  for (const role of ['maker', 'taker']) {
    const own = { fee: row[`${role}_fee`]!, order_id: row[`${role}_order_id`]!, role };
    say(row[`${role}_account_id`], { ...trade, ...own });
  }
}

function sayTransfer(row: Row, say: (owner: unknown, said: Row) => void): void {
  const transfer = membersOf(row, ['amount', 'asset', 'created_at', 'reason', 'reference', 'transfer_id']);
  for (const side of ['debit', 'credit']) {
    const own = { balance_after: row[`${side}_balance_after`]!, side };
    say(row[`${side}_account_id`], { ...transfer, ...own });
  }
}

function membersOf(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name]!]));
}

/** The effects of commits of several commands. */
function* effectsOf(seed: number): Iterable<{ readonly bytes: Buffer; readonly timeMs: number }> {
  const engine = new Engine();
  const entries = [...randomJournal(seed, COMMANDS_PER_WORLD)];
  while (entries.length > 0) {
    const some = entries.splice(0, COMMANDS_PER_ROW);
    const { timeMs } = some[0]!;
    const changes = engine.beginBatch(timeMs);
    for (const { command } of some) engine.apply(command);
    const effects = effectRowsOf(changes, [], []);
    yield { bytes: encodeEffects(effects, countRows(effects), timeMs), timeMs };
    for (const order of changes.orders) order.stored = true;
  }
}

describe('the statements of a journal row', () => {
  it(
    `are what the leaves of earlier versions are made of, in ${WORLDS} random worlds`,
    { timeout: 600_000 },
    () => {
      const seed = seedFromEnvironment();
      console.log(`SEED=${seed}`);
      const seen = new Set<string>();
      for (let world = 0; world < WORLDS; world++)
        for (const { bytes, timeMs } of effectsOf(seed + world)) {
          const tables = tablesOf({ effects: bytes, timeMs });
          for (const { effect } of tables) seen.add(effect.table);
          const statements = new RowStatements(tables);
          expect(statements.owners.map((owner) => ({ owner, text: statements.textOf(owner) }))).toEqual(
            expectedOf(bytes, timeMs),
          );
        }
      expect([...seen].sort()).toEqual([...Object.keys(OWNERS), 'trades', 'transfers'].sort());
    },
  );

  it('quote what callers wrote, and leave rows without effects without statements', () => {
    const reference = 'a "quoted"\\ \n name, ünïcode \u{1f600}';
    const transfer = {
      transferId: 7,
      debitAccountId: 3,
      creditAccountId: 2,
      asset: 'USD',
      amount: 10n ** 37n,
      reason: 'deposit',
      reference,
      debitBalanceAfter: -(10n ** 37n),
      creditBalanceAfter: 0n,
      createdAtMs: TIME_MS,
    };
    const none = {
      newOrders: [],
      newAdvancedOrders: [],
      changedOrders: [],
      changedTrailingStops: [],
      orderFields: [],
    };
    const rest = { trades: [], matchedBets: [], setLegs: [], balances: [], positions: [], books: [] };
    const effects = encodeEffects(
      { ...none, ...rest, transfers: [transfer as never], protections: [], accountChanges: [], keys: [] },
      1,
      TIME_MS,
    );
    const statements = new RowStatements(tablesOf({ effects, timeMs: TIME_MS }));
    expect(statements.owners).toEqual([2, 3]);
    expect(statements.owners.map((owner) => statements.textOf(owner))).toEqual(
      expectedOf(effects, TIME_MS).map(({ text }) => text),
    );
    expect(statements.textOf(3)).toContain(JSON.stringify(reference));
    expect(new RowStatements(tablesOf({ effects: null, timeMs: TIME_MS })).owners).toEqual([]);
  });
});
