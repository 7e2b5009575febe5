import { describe, expect, it } from 'vitest';
import { deposit, EVENT, limit, marketTerms, SPOT } from '../../../test/support/core.js';
import type { Command } from '../../domain/engine/commands.js';
import { Engine } from '../../domain/engine/engine.js';
import { CARRIED_COLUMNS, TRADE_COLUMNS, LEDGER_TRANSFER_COLUMNS } from '../tables/core-tables.js';
import type { Value } from '../tables/values.js';
import { carryTransfers } from './carried-transfers.js';

interface Rows {
  readonly trades: Value[][];
  readonly transfers: Value[][];
}

/** The trades and transfers of one batch. */
function rowsOf(engine: Engine, commands: readonly Command[]): Rows {
  const { trades, transfers } = engine.beginBatch(1_000);
  for (const command of commands) expect(engine.apply(command)).toMatchObject({ ok: true });
  return {
    trades: trades.map((trade) => TRADE_COLUMNS.map(({ read }) => read(trade))),
    transfers: transfers.map((transfer) => LEDGER_TRANSFER_COLUMNS.map(({ read }) => read(transfer))),
  };
}

/** What follows the account of fees is as it will be for all trades but the first that pays a fee. */
function openEngine(): { engine: Engine; ann: number; bob: number } {
  const engine = new Engine();
  engine.beginBatch(1);
  const [ann, bob] = ['ann', 'bob'].map((name) => {
    const opened = engine.apply({ type: 'create_account', kind: 'trading', name, owner: `user:${name}` });
    if (!opened.ok || opened.result.type !== 'account') throw new Error('no account was made');
    return opened.result.accountId;
  }) as [number, number];
  rowsOf(engine, [
    { type: 'create_asset', code: 'USD', scale: 2 },
    { type: 'create_asset', code: 'BTC', scale: 8 },
    marketTerms({ marketId: SPOT, kind: 'spot' }),
    marketTerms({ marketId: EVENT, kind: 'event' }),
    ...[ann, bob].flatMap((id) => [deposit(id, 'USD', '1000'), deposit(id, 'BTC', '10')]),
  ]);
  return { engine, ann, bob };
}

const CARRIED_FROM = TRADE_COLUMNS.length;
const carries = (trade: readonly Value[]) => trade.slice(CARRIED_FROM).some((value) => value !== null);
const place = (name: (typeof LEDGER_TRANSFER_COLUMNS)[number]['name']) =>
  LEDGER_TRANSFER_COLUMNS.findIndex((column) => column.name === name);

describe('the transfers of trades', () => {
  const { engine, ann, bob } = openEngine();
  const first = rowsOf(engine, [limit(ann, 'buy', 100, 4), limit(bob, 'sell', 100, 4)]);
  const inMarkets = rowsOf(engine, [
    limit(ann, 'buy', 100, 4),
    limit(bob, 'sell', 100, 4),
    deposit(ann, 'USD', '7'),
    limit(bob, 'sell', 60, 3, { marketId: EVENT, feeRates: { maker: '-0.001', taker: '0.002' } }),
    limit(ann, 'buy', 60, 3, { marketId: EVENT }),
    // Closes three and opens two, against who opens five.
    limit(bob, 'buy', 50, 5, { marketId: EVENT }),
    limit(ann, 'sell', 50, 5, { marketId: EVENT }),
  ]);
  const copy = ({ trades, transfers }: Rows): Rows => ({
    trades: trades.map((row) => [...row]),
    transfers: transfers.map((row) => [...row]),
  });

  it('are carried by the trades, and others keep their rows', () => {
    const { trades, transfers } = copy(inMarkets);
    const kept = carryTransfers(trades, transfers, 0);
    expect(kept.map((row) => row[place('reason')])).toEqual(['deposit']);
    expect(trades).toHaveLength(3);
    for (const trade of trades) {
      expect(trade).toHaveLength(CARRIED_FROM + CARRIED_COLUMNS.length);
      expect(carries(trade)).toBe(true);
    }
  });

  it('keep their rows up to the sequence after which trades carry them', () => {
    const { trades, transfers } = copy(inMarkets);
    const middle = trades[1]![1] as number;
    const kept = carryTransfers(trades, transfers, middle);
    expect(trades.map(carries)).toEqual([false, false, true]);
    expect(kept).toEqual(inMarkets.transfers.filter(([id]) => (id as number) < (trades[2]![1] as number)));
  });

  it('keep their rows where the account of fees was made between them', () => {
    const { trades, transfers } = copy(first);
    expect(carryTransfers(trades, transfers, 0)).toEqual(first.transfers);
    expect(trades.map(carries)).toEqual([false]);
  });

  const OTHERS: readonly [
    name: (typeof LEDGER_TRANSFER_COLUMNS)[number]['name'],
    other: (value: Value) => Value,
  ][] = [
    ['transfer_id', (value) => (value as number) + 100],
    ['debit_account_id', (value) => (value as number) + 100],
    ['credit_account_id', (value) => (value as number) + 100],
    ['asset', () => 'EUR'],
    ['amount', (value) => (value as bigint) + 1n],
    ['reason', () => 'adjustment'],
    ['reference', () => 'other'],
    ['debit_balance_after', (value) => (value as bigint) + 1n],
    ['credit_balance_after', (value) => (value as bigint) + 1n],
    ['created_at', (value) => (value as number) + 1],
  ];
  /** Where no other transfer of the trade says it too, these are what it carries, or what the engine's markets say. */
  const TAKEN_AS_THEY_ARE = OTHERS.map(([name]) => name).filter((name) =>
    /amount|balance|account|asset/.test(name),
  );
  const moves = inMarkets.transfers.flatMap((row, index) =>
    row[place('reason')] === 'deposit' ? [] : [{ index, reason: row[place('reason')] as string }],
  );
  it.each(moves.flatMap((move) => OTHERS.map(([name, other]) => ({ ...move, name, other }))))(
    'keep all their rows where one would not follow: the $name of $index, $reason',
    ({ index, name, other }) => {
      const { trades, transfers } = copy(inMarkets);
      const changed = transfers[index]!;
      const tradeId = Number(changed[place('reference')]);
      changed[place(name)] = other(changed[place(name)]!);
      const kept = carryTransfers(trades, transfers, 0);
      for (const trade of trades) {
        const own = kept.filter((row) => Number(row[place('reference')]) === trade[1]);
        if (carries(trade)) expect(own).toEqual([]);
        // Where it carries nothing, it has as many as before.
        else
          expect(own).toHaveLength(
            transfers.filter((row) => Number(row[place('reference')]) === trade[1]).length,
          );
      }
      const isCarried = carries(trades.find((trade) => trade[1] === tradeId)!);
      expect(kept.includes(changed)).toBe(!isCarried);
      if (isCarried) expect(TAKEN_AS_THEY_ARE).toContain(name);
    },
  );
});
