import { beforeEach, describe, expect, it } from 'vitest';
import { auditState } from '../../../test/support/domain/audit.js';
import { spot } from '../../../test/support/domain/markets.js';
import { ONE } from '../money/amount.js';
import type { Command, CommandResult, PlaceOrderList } from './commands.js';
import { Engine } from './engine.js';
import type { ListedOrder } from './order-commands.js';
import type { Side } from './types.js';

let engine: Engine;
let ann: number;
let bob: number;
let marketId: string;

function send(command: Command): CommandResult {
  const outcome = engine.apply(command);
  if (!outcome.ok) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`);
  engine.checkBatch();
  auditState(engine.state);
  return outcome.result;
}

function open(name: string): number {
  const made = send({ type: 'create_account', kind: 'trading', name, owner: `user:${name}` });
  if (made.type !== 'account') throw new Error('no account');
  return made.accountId;
}

function deposit(asset: string, amount: string, accountId = ann): void {
  send({
    type: 'move_money',
    debit: { rail: 'bank' },
    credit: { accountId },
    asset,
    amount,
    reason: 'deposit',
    reference: 'test',
  });
}

/** In whole units of the asset. */
function heldOf(asset: string): number {
  return Number(engine.state.accounts.get(ann)!.balanceOf(asset).held / ONE);
}

function exits(side: Side, limitTicks: number, stopTicks: number, stopLimitTicks: number): PlaceOrderList {
  const limit: ListedOrder = {
    side,
    orderType: 'limit',
    timeInForce: 'GTC',
    priceTicks: limitTicks,
    stopPriceTicks: null,
    sizeLots: 3,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    feeRates: null,
  };
  const stop: ListedOrder = {
    ...limit,
    orderType: 'stop_limit',
    priceTicks: stopLimitTicks,
    stopPriceTicks: stopTicks,
  };
  const type = 'place_order_list';
  return { type, accountId: ann, marketId, entry: null, exits: [limit, stop], clientListId: null };
}

describe('two exits on a spot market', () => {
  beforeEach(() => {
    engine = new Engine();
    engine.beginBatch(0);
    const market = spot();
    marketId = market.marketId;
    send({ type: 'create_asset', code: 'USD', scale: 2 });
    send({ type: 'create_asset', code: 'BTC', scale: 8 });
    send(market);
    ann = open('ann');
    bob = open('bob');
    deposit('USD', '1000');
    deposit('BTC', '10');
    deposit('BTC', '10', bob);
  });

  it('that sell hold what one of them sells, not both', () => {
    send(exits('sell', 110, 90, 80));
    expect(heldOf('BTC')).toBe(3);
  });

  it('that buy hold what the dearer of the two may cost', () => {
    send(exits('buy', 90, 110, 120));
    expect(heldOf('USD')).toBe(360);
  });

  it('hold what the limit needs where the stop would be cheaper', () => {
    send(exits('buy', 100, 101, 50));
    expect(heldOf('USD')).toBe(300);
  });

  it('need no more money than the dearer of the two', () => {
    deposit('USD', '80');
    send(exits('buy', 90, 110, 360));
    expect(heldOf('USD')).toBe(1080);
  });

  it('leave what their entry holds alone', () => {
    const list = exits('sell', 2_000, 1, 1);
    const [limit, stop] = list.exits.map((exit) => ({ ...exit, sizeLots: 4 })) as [ListedOrder, ListedOrder];
    const entry: ListedOrder = { ...limit, side: 'buy', priceTicks: 2 };
    send({ ...list, entry, exits: [limit, stop] });
    const taker = { ...limit, type: 'place_order', marketId, clientOrderId: null } as const;
    send({ ...taker, accountId: bob, priceTicks: 2, sizeLots: 3 });
    expect([heldOf('USD'), heldOf('BTC')]).toEqual([2, 3]);
    const { orderId } = [...engine.state.orders.values()].find(({ side }) => side === 'buy')!;
    const amendment = { type: 'amend_order', accountId: ann, orderId, sizeLots: null } as const;
    // 992 are available, and the hold of 2 grows by 993: what the exits hold is no part of it.
    expect(engine.apply({ ...amendment, priceTicks: 995 })).toMatchObject({
      refusal: { code: 'insufficient_funds' },
    });
    send({ ...amendment, priceTicks: 994 });
    expect(heldOf('USD')).toBe(994);
  });

  it('hold nothing once both are cancelled', () => {
    const made = send(exits('buy', 90, 110, 120));
    if (made.type !== 'order_list') throw new Error('no list');
    send({ type: 'cancel_order_list', accountId: ann, listId: made.listId });
    expect(heldOf('USD')).toBe(0);
  });
});
