import { beforeEach, describe, expect, it } from 'vitest';
import { contextOf } from '../../../test/support/domain/context.js';
import { GroupScene, order } from '../../../test/support/domain/group-scene.js';
import { spot } from '../../../test/support/domain/markets.js';
import { InvariantError } from '../invariant.js';
import { formatAmount } from '../money/amount.js';
import { executePlan } from './execution.js';
import type { Order } from './state.js';
import type { Side } from './types.js';

let scene: GroupScene;
beforeEach(() => {
  scene = new GroupScene();
});

/** An order in the book of RED, far from the other side. */
function rest(accountId: number, side: Side, lots: number): Order {
  const result = scene.send(order(accountId, 'RED', side, lots, side === 'buy' ? 10 : 90));
  if (result.type !== 'order') throw new Error('no order');
  return scene.engine.state.orders.get(result.order.orderId)!;
}

describe('a plan that the state does not bear', () => {
  function fill(taker: Order, maker: Order, lots: number): () => void {
    const context = contextOf(scene.engine.state, scene.changes, 1);
    const steps = [{ kind: 'fill', maker, lots }] as const;
    return () => {
      executePlan(context, taker, { steps, filledLots: lots, remainingLots: 0, stopped: null });
    };
  }

  it.each([
    ['of nothing', 5, 5, 0],
    ['of more than the maker has', 5, 4, 5],
    ['of more than the taker has', 4, 5, 5],
  ])('is a fault: a fill %s', (_, takerLots, makerLots, lots) => {
    const taker = rest(scene.ann, 'buy', takerLots);
    const maker = rest(scene.bob, 'sell', makerLots);
    const trade = fill(taker, maker, lots);
    expect(trade).toThrow(InvariantError);
    const figures = `${taker.orderId}, ${maker.orderId}, ${lots}`;
    expect(trade).toThrow(`a fill is no larger than what is left of both orders (${figures})`);
    expect(scene.changes.trades).toEqual([]);
  });

  it.each([
    [
      'of two orders of one side',
      (): [Order, Order] => [rest(scene.ann, 'buy', 5), rest(scene.bob, 'buy', 5)],
    ],
    [
      'of one account with itself',
      (): [Order, Order] => [rest(scene.ann, 'buy', 5), rest(scene.ann, 'sell', 5)],
    ],
  ])('is a fault: a fill %s', (_, place) => {
    const [taker, maker] = place();
    const trade = fill(taker, maker, 1);
    expect(trade).toThrow(InvariantError);
    expect(trade).toThrow(`between two accounts and two sides (${taker.orderId}, ${maker.orderId})`);
    expect(scene.changes.trades).toEqual([]);
  });

  it('is a fault: contracts that close and are not there', () => {
    scene.trade(scene.ann, scene.bob, 'RED', 5, 50);
    scene.send(order(scene.bob, 'RED', 'buy', 5, 50));
    scene.engine.state.markets.get('RED')!.openInterestLots = 2;
    const trade = (): unknown => scene.send(order(scene.ann, 'RED', 'sell', 5, 50));
    const sequence = scene.engine.state.sequence + 1;
    const rule = `no more contracts are closed than are open (${sequence + 1}, -3)`;
    expect(trade).toThrow(new InvariantError(`place_order at sequence ${sequence}: ${rule}`));
  });
});

describe('the money of a fill', () => {
  /** Reason and amount of each transfer since `send` began. */
  function transfersOf(send: () => void): string[] {
    const { transfers } = scene.changes;
    const before = transfers.length;
    send();
    return transfers
      .slice(before)
      .map(({ reason, amount, asset }) => `${reason} ${formatAmount(amount)} ${asset}`);
  }

  it('opens contracts into the pool and closes them out of it', () => {
    expect(transfersOf(() => scene.trade(scene.ann, scene.bob, 'RED', 10, 40))).toEqual([
      'event_open 4 USD',
      'event_open 6 USD',
    ]);
    expect(transfersOf(() => scene.trade(scene.bob, scene.ann, 'RED', 10, 70))).toEqual([
      'event_close 3 USD',
      'event_close 7 USD',
    ]);
  });

  it('is exchanged on a spot market, with fees and rebates', () => {
    scene.send({ type: 'create_asset', code: 'BTC', scale: 8 });
    scene.send(spot());
    scene.send({
      type: 'move_money',
      debit: { rail: 'bank' },
      credit: { accountId: scene.bob },
      asset: 'BTC',
      amount: '2',
      reason: 'deposit',
      reference: 'test',
    });
    const bid = { ...order(scene.ann, 'RED', 'buy', 2, 20), marketId: 'BTC-USD' };
    const ask = { ...order(scene.bob, 'RED', 'sell', 2, 20), marketId: 'BTC-USD' };
    scene.send({ ...bid, feeRates: { maker: '-0.01', taker: '0.02' } });
    const trade = (): unknown => scene.send({ ...ask, feeRates: { maker: '0.01', taker: '0.02' } });
    expect(transfersOf(trade)).toEqual(['trade 40 USD', 'trade 2 BTC', 'fee 0.8 USD', 'rebate 0.4 USD']);
  });

  it('needs no account of fees where there are none', () => {
    scene.trade(scene.ann, scene.bob, 'RED', 10, 40);
    expect(scene.engine.state.systemAccounts.get('fees:fees')).toBeUndefined();
  });
});
