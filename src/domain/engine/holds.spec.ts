import { beforeEach, describe, expect, it } from 'vitest';
import { GroupScene, order } from '../../../test/support/domain/group-scene.js';
import { spot } from '../../../test/support/domain/markets.js';
import { shareOutCover } from './holds.js';
import { type Market, type Order, Position } from './state.js';
import type { Side } from './types.js';

describe('the cover of a position', () => {
  let scene: GroupScene;
  let market: Market;
  beforeEach(() => {
    scene = new GroupScene();
    market = scene.engine.state.markets.get('RED')!;
    scene.trade(scene.ann, scene.bob, 'RED', 10, 50);
  });

  function place(accountId: number, side: Side, lots: number, priceTicks: number): Order {
    const result = scene.send(order(accountId, 'RED', side, lots, priceTicks));
    if (result.type !== 'order') throw new Error('no order');
    return scene.engine.state.orders.get(result.order.orderId)!;
  }

  /** As when stored orders are read: their places are known, their cover is not. */
  function loaded(accountId: number, sizeLots: number, orders: readonly Order[]): Position {
    const position = new Position(accountId, market);
    position.sizeLots = sizeLots;
    for (const each of orders) {
      each.coverSlot = -1;
      each.coveredLots = 0;
      const unitCost = market.openingCost(each.side, each.priceTicks);
      position.cover[each.side].set(each, each.remainingLots, unitCost);
    }
    return position;
  }

  it('is shared out anew when orders are loaded', () => {
    const sells = [6, 6, 1].map((lots, index) => place(scene.ann, 'sell', lots, 70 + index));
    const buys = [4, 8].map((lots, index) => place(scene.bob, 'buy', lots, 30 - index));
    const coverOf = (orders: readonly Order[]): number[] => orders.map(({ coveredLots }) => coveredLots);
    expect([coverOf(sells), coverOf(buys)]).toEqual([
      [6, 4, 0],
      [4, 6],
    ]);
    shareOutCover(loaded(scene.ann, 10, sells));
    shareOutCover(loaded(scene.bob, -10, buys));
    expect([coverOf(sells), coverOf(buys)]).toEqual([
      [6, 4, 0],
      [4, 6],
    ]);
  });

  it('is nothing on a spot market', () => {
    scene.send({ type: 'create_asset', code: 'BTC', scale: 8 });
    scene.send(spot());
    const position = new Position(scene.ann, scene.engine.state.markets.get('BTC-USD')!);
    position.sizeLots = 5;
    expect(() => {
      shareOutCover(position);
    }).not.toThrow();
  });

  it('changes no order whose hold stays what it is', () => {
    const first = place(scene.ann, 'sell', 6, 70);
    const second = place(scene.ann, 'sell', 6, 71);
    const changes = scene.engine.beginBatch(2);
    const third = place(scene.ann, 'sell', 1, 72);
    expect(changes.orders).toEqual([third]);
    scene.engine.beginBatch(3);
    const { orders } = scene.engine.beginBatch(4);
    scene.send({ type: 'cancel_order', accountId: scene.ann, orderId: third.orderId });
    expect(orders).toEqual([third]);
    expect([first.held, second.held]).toEqual([0n, 2n * market.openingCost('sell', 71)]);
  });
});
