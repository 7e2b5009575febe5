/** What the steps of commands assert, each seen to fire on a state that was damaged by hand. */
import { beforeEach, describe, expect, it } from 'vitest';
import { contextOf } from '../../../test/support/domain/context.js';
import { GROUP, GroupScene, order } from '../../../test/support/domain/group-scene.js';
import { InvariantError } from '../invariant.js';
import { amount, ONE } from '../money/amount.js';
import type { Context } from './context.js';
import { accountOf, marketsOf, poolOf } from './context.js';
import { enter, expireOrder, rest } from './entering.js';
import { endOrder, executePlan, noteTriggered } from './execution.js';
import { settleHolds } from './holds.js';
import { noteStatus } from './market-status.js';
import { carryOut } from './orders.js';
import { bookFill, closeAt, openAt } from './positions.js';
import { takeAllowance } from './self-limits.js';
import { tradeSets } from './sets.js';
import { owe, payDifferences, payHolders } from './settlement.js';
import { type Account, type Market, Order } from './state.js';

/** Takes what is written, and stays as it is. */
function ignored(): void {
  return;
}

let scene: GroupScene;
let context: Context;
let resting: Order;

beforeEach(() => {
  scene = new GroupScene();
  for (const accountId of [scene.ann, scene.bob]) deposit(accountId);
  scene.trade(scene.ann, scene.bob, 'RED', 5, 50);
  resting = place(scene.bob, 'sell', 5, 60);
  context = contextOf(scene.engine.state, scene.changes, 1);
});

function deposit(accountId: number): void {
  const money = { asset: 'USD', amount: '100', reason: 'deposit', reference: '' } as const;
  scene.send({ type: 'move_money', debit: { rail: 'bank' }, credit: { accountId }, ...money });
}

function place(accountId: number, side: 'buy' | 'sell', lots: number, ticks: number): Order {
  const result = scene.send(order(accountId, 'RED', side, lots, ticks));
  if (result.type !== 'order') throw new Error('no order');
  return scene.engine.state.orders.get(result.order.orderId)!;
}

const marketOf = (): Market => scene.engine.state.markets.get('RED')!;
const ann = (): Account => accountOf(scene.engine.state, scene.ann);
const bob = (): Account => accountOf(scene.engine.state, scene.bob);
const fresh = (from: Order, terms: object): Order => new Order({ ...from, ...terms });

/** Once, since what it damages stays damaged. */
function expectViolation(act: () => unknown, rule: string): void {
  let thrown: unknown;
  try {
    act();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(InvariantError);
  expect((thrown as Error).message).toContain(rule);
}

describe('a step of a command asserts', () => {
  it.each<[rule: string, act: () => unknown]>([
    ['the account of a live order or hold is loaded', () => accountOf(context.state, 999)],
    [
      'the markets of a group are there',
      () => marketsOf(context.state, { marketIds: ['NONE'] } as unknown as Parameters<typeof marketsOf>[1]),
    ],
    [
      'an event market has a pool',
      () => poolOf(context.state, { group: null, poolAccountId: null, definition: {} } as unknown as Market),
    ],
    ['an account is added once', () => context.state.addAccount(ann())],
    ['an account that leaves memory has no live orders', () => context.state.removeAccount(bob())],
    [
      'an account that leaves memory was there',
      () => {
        context.state.removeAccount(accountOf(context.state, scene.cat));
        context.state.removeAccount({ accountId: scene.cat, openOrders: 0 } as Account);
      },
    ],
    ['an order becomes live once', () => context.state.indexOrder(resting)],
    [
      'the account of a live order is loaded',
      () => context.state.indexOrder(fresh(resting, { orderId: 998, accountId: 999 })),
    ],
    [
      'live orders and their lots are counted',
      () => {
        bob().openOrders = 0;
        context.state.unindexOrder(resting);
      },
    ],
    [
      'live orders and their lots are counted',
      () => {
        bob().positionIn(marketOf()).openLots.sell++;
        context.state.unindexOrder(resting);
      },
    ],
    [
      'an order ends once',
      () => {
        endOrder(context, resting, 'cancelled', 'requested');
        endOrder(context, resting, 'cancelled', 'requested');
      },
    ],
    [
      'orders of one owner become smaller by what both have left',
      () => {
        const taker = fresh(resting, { orderId: 998, side: 'buy', sizeLots: 1 });
        const steps = [{ kind: 'decrement', maker: resting, lots: 2 }] as const;
        executePlan(context, taker, { steps, filledLots: 0, remainingLots: 0, stopped: null });
      },
    ],
    ['an order that rests is live', () => rest(context, resting)],
    [
      'a plan is executed as it was checked',
      () => {
        const taker = fresh(resting, { orderId: 998, accountId: scene.ann, side: 'buy' });
        const plan = { steps: [], filledLots: 5, remainingLots: 0, stopped: null };
        enter(context, { order: taker, plan, killed: null });
      },
    ],
    ['a position is opened on one side only', () => openAt(ann().positionIn(marketOf()), 'sell', 1, 1n)],
    ['a position is opened for something', () => openAt(ann().positionIn(marketOf()), 'buy', 0, 1n)],
    ['an order expires once its time has come', () => expireOrder(context, resting)],
    ['a stop that waits triggers once', () => noteTriggered(context, resting)],
    ['a stop starts once', () => context.state.startStop(resting)],
    [
      'an order that has ended is in no book',
      () => {
        Object.assign(marketOf().book.sideOf('sell'), { remove: () => undefined });
        endOrder(context, resting, 'cancelled', 'requested');
      },
    ],
    [
      'an order that is accepted has done nothing yet',
      () => {
        const plan = { steps: [], filledLots: 0, remainingLots: 5, stopped: null };
        const order = fresh(resting, { orderId: 998 });
        order.filledLots = 1;
        carryOut(context, { order, plan, killed: null });
      },
    ],
    [
      'an order holds something while it is live, and never less than nothing',
      () => {
        Object.assign(resting, { coverSlot: -1, remainingLots: -5 });
        context.unsettled.orders.add(resting);
        settleHolds(context);
      },
    ],
    [
      'what is closed had a part of the cost',
      () => {
        const position = ann().positionIn(marketOf());
        position.costBasis = -1n;
        closeAt(position, 1, 1n);
      },
    ],
    [
      'a fill changes the position of each side by its lots',
      () => {
        const position = ann().positionIn(marketOf());
        let size = position.sizeLots;
        Object.defineProperty(position, 'sizeLots', { get: () => size++, set: ignored });
        bookFill(position, marketOf(), 'buy', 50, 1, 0n);
      },
    ],
    [
      'an account enters memory before its orders',
      () =>
        context.state.addAccount(
          Object.assign(Object.create(bob()) as Account, { accountId: 997, openOrders: 1 }),
        ),
    ],
    [
      'commands can be counted',
      () => {
        context.state.sequence = Number.MAX_SAFE_INTEGER;
        scene.engine.apply({ type: 'advance_time' });
      },
    ],
    ['a market changes its status in order', () => noteStatus(context, marketOf(), 'settled')],
    ['a market is settled once, after it has closed', () => owe(marketOf(), ONE)],
    [
      'a correction moves money between holders alone',
      () =>
        payDifferences(context, poolOf(context.state, marketOf()), { asset: 'USD', reference: 'RED' }, [
          { account: ann(), units: 1n },
        ]),
    ],
    [
      'no more contracts are paid than are open',
      () => {
        Object.assign(marketOf(), { status: 'closed', owedShortLots: 5, openInterestLots: 4 });
        payHolders(context, marketOf(), ONE, [scene.ann]);
      },
    ],
    [
      'no more is taken of an allowance than it leaves',
      () => {
        Object.assign(ann(), { limitsSequence: 3, limitsBase: 3, limitsTaken: 0n });
        takeAllowance(context, ann(), { asOf: 3, max: '1' }, () => amount(2n * ONE));
      },
    ],
  ])('%s', (rule, act) => {
    expectViolation(act, rule);
  });

  it('no order trades beyond its limit', () => {
    resting.priceTicks = 70;
    const [level] = marketOf().book.asks.levels;
    Object.assign(level!, { priceTicks: 60 });
    expect(() => scene.send(order(scene.ann, 'RED', 'buy', 1, 65))).toThrow(
      'no order trades beyond its limit',
    );
  });

  it.each([
    ['a taker pays a part of the trade', { maker: 0n, taker: 2n * ONE }],
    ['a maker pays a part of the trade', { maker: 2n * ONE, taker: 0n }],
  ])('%s', (rule, rates) => {
    Object.assign(resting, { feeRates: rates });
    Object.assign(marketOf(), { definition: { ...marketOf().definition, takerFeeRate: rates.taker } });
    expectViolation(() => scene.engine.apply(order(scene.ann, 'RED', 'buy', 1, 60)), rule);
  });

  it('a hold ends once', () => {
    const hold = { ownerKind: 'payout', ownerId: '1' } as const;
    scene.send({ type: 'place_hold', ...hold, accountId: scene.ann, asset: 'USD', amount: '1' });
    const { holds } = scene.engine.state;
    holds.delete = () => false;
    expect(() => scene.engine.apply({ type: 'release_hold', ...hold })).toThrow('a hold ends once');
  });

  it('whole sets are traded', () => {
    const other = new GroupScene();
    other.send(GROUP);
    const group = other.engine.state.groups.get(GROUP.groupId)!;
    const within = contextOf(other.engine.state, other.changes, 1);
    const account = accountOf(other.engine.state, other.ann);
    expect(() => tradeSets(within, account, { group, side: 'buy', lots: 0 })).toThrow(
      'whole sets are traded',
    );
  });

  it('money that is moved has a transfer of its command', () => {
    const money = { asset: 'USD', amount: '1', reason: 'deposit', reference: '' } as const;
    Object.defineProperty(scene.engine.state, 'sequence', { get: () => 7, set: ignored });
    expect(() =>
      scene.engine.apply({
        type: 'move_money',
        debit: { rail: 'bank' },
        credit: { accountId: scene.ann },
        ...money,
      }),
    ).toThrow('money that is moved has a transfer of its command');
  });

  it('a hold is of money that the account has', () => {
    const balance = ann().balanceOf('USD');
    let available = balance.available;
    Object.defineProperty(balance, 'available', {
      get: () => available,
      set: () => {
        available = -1n;
      },
    });
    const hold = {
      ownerKind: 'payout',
      ownerId: '1',
      accountId: scene.ann,
      asset: 'USD',
      amount: '1',
    } as const;
    expect(() => scene.engine.apply({ type: 'place_hold', ...hold })).toThrow(
      'a hold is of money that the account has',
    );
  });

  it('an order that is cancelled releases its hold', () => {
    Object.defineProperty(resting, 'held', { get: () => 1n, set: ignored });
    const cancelled = { type: 'cancel_order', accountId: scene.bob, orderId: resting.orderId } as const;
    expect(() => scene.engine.apply(cancelled)).toThrow('an order that is cancelled releases its hold');
  });

  it('a frozen account has no live orders', () => {
    Object.defineProperty(bob(), 'openOrders', { get: () => 1, set: ignored });
    expect(() =>
      scene.engine.apply({ type: 'set_account_frozen', accountId: scene.bob, frozen: true }),
    ).toThrow('a frozen account has no live orders');
  });

  it('an amended order has its new size', () => {
    Object.defineProperty(resting, 'sizeLots', { get: () => 5, set: ignored });
    const amended = { type: 'amend_order', accountId: scene.bob, orderId: resting.orderId } as const;
    expect(() => scene.engine.apply({ ...amended, priceTicks: null, sizeLots: 4 })).toThrow(
      'an amended order has its new size',
    );
  });
});
