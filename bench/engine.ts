/**
 * The whole engine without a database: matching, holds, ledger, positions; also the in-memory part of a commit, the
 * invariants and the state hash. The stream is that of `matching.ts`, sent by a hundred accounts in batches.
 *
 * `node dist/bench/engine.js`; `COMMANDS` and `SEED` may be set.
 */
import { pathToFileURL } from 'node:url';
import type { Command, CommandResult } from '../src/domain/engine/commands.js';
import { Engine } from '../src/domain/engine/engine.js';
import { StateHash } from '../src/domain/engine/state-hash.js';
import type { StreamCommand } from './bare-matching.js';
import { streamOf } from './order-stream.js';

const ACCOUNTS = 100;
const RESTING_ORDERS = 10_000;
const BATCH = 64;

export interface EngineRow {
  readonly kind: 'spot' | 'spot with fees' | 'event';
  /** Applying a command, nothing else. */
  readonly applyMicroseconds: number;
  /** Checking the invariants and renewing the hash, per command. */
  readonly sealMicroseconds: number;
  readonly trades: number;
}

export function benchEngine(commands = 300_000, seed = 1): EngineRow[] {
  const stream = streamOf(commands, RESTING_ORDERS, seed);
  run('spot', stream.slice(0, 50_000));
  return (['spot', 'spot with fees', 'event'] as const).map((kind) => run(kind, stream));
}

function run(kind: EngineRow['kind'], stream: readonly StreamCommand[]): EngineRow {
  const engine = new Engine();
  const hash = new StateHash();
  engine.beginBatch(0);
  const accounts = openMarket(engine, kind);
  /** Engine order ids by the stream's. */
  const orderIds = new Map<number, { readonly orderId: number; readonly accountId: number }>();
  let applyMs = 0;
  let sealMs = 0;
  let trades = 0;
  for (let start = 0; start < stream.length; start += BATCH) {
    const batch = stream.slice(start, start + BATCH);
    const changes = engine.beginBatch(start);
    let startedAt = performance.now();
    for (const command of batch) {
      if (command.kind === 'cancel') {
        const { orderId, accountId } = orderIds.get(command.id)!;
        engine.apply({ type: 'cancel_order', accountId, orderId });
        continue;
      }
      const accountId = accounts[command.id % ACCOUNTS]!;
      const result = demand(engine, placeOrder(accountId, command, kind));
      if (result.type === 'order') orderIds.set(command.id, { orderId: result.order.orderId, accountId });
    }
    applyMs += performance.now() - startedAt;
    startedAt = performance.now();
    engine.checkBatch();
    hash.update(changes);
    sealMs += performance.now() - startedAt;
    trades += changes.trades.length;
  }
  const perCommand = 1_000 / stream.length;
  return { kind, applyMicroseconds: applyMs * perCommand, sealMicroseconds: sealMs * perCommand, trades };
}

function openMarket(engine: Engine, kind: EngineRow['kind']): number[] {
  demand(engine, { type: 'create_asset', code: 'USD', scale: 2 });
  demand(engine, { type: 'create_asset', code: 'BTC', scale: 8 });
  const isEvent = kind === 'event';
  const rate = kind === 'spot' ? null : '0.001';
  demand(engine, {
    type: 'create_market',
    marketId: 'BENCH',
    kind: isEvent ? 'event' : 'spot',
    title: '',
    description: '',
    category: '',
    baseAsset: isEvent ? null : 'BTC',
    quoteAsset: 'USD',
    tickSize: isEvent ? '0.00005' : '0.01',
    lotSize: isEvent ? '1' : '0.00000001',
    minSize: null,
    maxSize: null,
    minNotional: null,
    priceMin: null,
    priceMax: null,
    makerFeeRate: rate,
    takerFeeRate: rate,
    feeBase: null,
    opensAtMs: null,
    closesAtMs: null,
  });
  return Array.from({ length: ACCOUNTS }, (_, index) => {
    const name = `trader-${index}`;
    const opened = demand(engine, { type: 'create_account', kind: 'trading', name, owner: name });
    if (opened.type !== 'account') throw new Error('no account');
    const { accountId } = opened;
    for (const asset of ['USD', 'BTC']) {
      demand(engine, {
        type: 'move_money',
        debit: { rail: 'bench' },
        credit: { accountId },
        asset,
        amount: '1000000000',
        reason: 'deposit',
        reference: name,
      });
    }
    return accountId;
  });
}

function placeOrder(
  accountId: number,
  { side, ticks, lots }: Extract<StreamCommand, { kind: 'order' }>,
  kind: EngineRow['kind'],
): Command {
  return {
    type: 'place_order',
    accountId,
    marketId: 'BENCH',
    side,
    orderType: 'limit',
    timeInForce: 'GTC',
    priceTicks: kind === 'event' ? ticks : ticks * 100,
    stopPriceTicks: null,
    sizeLots: lots,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    clientOrderId: null,
    feeRates: null,
  };
}

function demand(engine: Engine, command: Command): CommandResult {
  const outcome = engine.apply(command);
  if (!outcome.ok) throw new Error(`${command.type}: ${outcome.refusal.message}`);
  return outcome.result;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const row of benchEngine(Number(process.env.COMMANDS ?? 300_000), Number(process.env.SEED ?? 1))) {
    console.log(
      `${row.kind.padEnd(14)} ${row.applyMicroseconds.toFixed(2)} µs to apply a command, ` +
        `${row.sealMicroseconds.toFixed(2)} µs to check and hash it; ${row.trades} trades`,
    );
  }
}
