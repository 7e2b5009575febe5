import { beforeEach, describe, expect, it } from 'vitest';
import { event } from '../../../test/support/domain/markets.js';
import type { Changes } from './changes.js';
import type { Command, PlaceOrder } from './commands.js';
import type { Context } from './context.js';
import { Engine } from './engine.js';
import { invariant, InvariantError } from '../invariant.js';
import { Level } from '../matching/order-book.js';
import { UNITS_PER_ONE } from '../money/amount.js';
import type { Market, Order, Position } from './state.js';

/** A batch before its check: ann bought five of bob's ten contracts. */
class Scene {
  readonly engine = new Engine();
  readonly ann = this.account('ann');
  readonly bob = this.account('bob');

  constructor() {
    this.engine.beginBatch(0);
    this.apply({ type: 'create_asset', code: 'USD', scale: 2 });
    this.apply(event());
    for (const accountId of [this.ann, this.bob]) {
      this.apply({
        type: 'move_money',
        debit: { rail: 'bank' },
        credit: { accountId },
        asset: 'USD',
        amount: '100',
        reason: 'deposit',
        reference: '',
      });
    }
    this.engine.beginBatch(0);
    this.place(this.bob, 'sell', 10);
    this.place(this.ann, 'buy', 5);
  }

  get market(): Market {
    return this.engine.state.markets.get('RAIN')!;
  }

  get order(): Order {
    return [...this.engine.state.orders.values()][0]!;
  }

  balance(accountId: number) {
    return this.engine.state.accounts.get(accountId)!.balanceOf('USD');
  }

  position(accountId: number): Position {
    return this.engine.state.accounts.get(accountId)!.positionIn(this.market);
  }

  private account(name: string): number {
    const outcome = this.engine.apply({ type: 'create_account', kind: 'trading', name, owner: name });
    if (!outcome.ok || outcome.result.type !== 'account') throw new Error('no account');
    return outcome.result.accountId;
  }

  place(accountId: number, side: PlaceOrder['side'], sizeLots: number): void {
    this.apply({
      type: 'place_order',
      accountId,
      marketId: 'RAIN',
      side,
      orderType: 'limit',
      timeInForce: 'GTC',
      priceTicks: 40,
      stopPriceTicks: null,
      sizeLots,
      expiresAtMs: null,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'cancel_newest',
      clientOrderId: null,
      feeRates: null,
    });
  }

  apply(command: Command): void {
    const outcome = this.engine.apply(command);
    if (!outcome.ok) throw new Error(outcome.refusal.message);
  }
}

describe('the invariants of a batch', () => {
  let scene: Scene;
  beforeEach(() => {
    scene = new Scene();
  });

  it('hold as long as nobody tampers', () => {
    expect(() => {
      scene.engine.checkBatch();
    }).not.toThrow();
  });

  it.each<[string, (scene: Scene) => unknown, string]>([
    [
      'a pool that is not the open interest',
      ({ market }) => market.openInterestLots++,
      'the pool of a market has what it owes',
    ],
    [
      'contracts below zero',
      ({ market }) => (market.openInterestLots = -1),
      'no fewer contracts are open than none',
    ],
    ['a position out of range', (scene) => (scene.position(scene.ann).sizeLots = 2 ** 53), 'a position has'],
    ['a cost below zero', (scene) => (scene.position(scene.ann).costBasis = -1n), 'a position has a size'],
    ['a cost of nothing', (scene) => (scene.position(scene.ann).sizeLots = 0), 'its cost while it is open'],
    [
      'what is open after it was settled',
      (scene) => (scene.position(scene.ann).settledLots = 5),
      'nothing is open of what was settled',
    ],
    [
      'an order of more than its size',
      ({ order }) => (order.filledLots = 6),
      'an order is no larger than it was accepted',
    ],
    ['fills for nothing', ({ order }) => (order.filledNotional = 0n), 'what has traded had a price'],
    [
      'a fee that is not rounded up',
      ({ order }) => (order.feeRounding = -1n),
      'the fee of an order is rounded up once',
    ],
    [
      'a fee that is rounded up twice',
      ({ order }) => (order.feeRounding = UNITS_PER_ONE),
      'the fee of an order is rounded up once',
    ],
    [
      'a live order that has left the book',
      ({ order }) => (order.level = null),
      'an order is in the book while it is open',
    ],
    [
      'an order that hides all',
      ({ order }) => (order.hiddenLots = 5),
      'the book hides what an order does not show',
    ],
    [
      'lots that are not counted',
      ({ order }) => (order.countedLots = 0),
      'what is left of live orders is counted',
    ],
    ['cover of more than there is', ({ order }) => (order.coveredLots = 6), 'no more of an order is covered'],
    ['an order that holds less than nothing', ({ order }) => (order.held = -1n), 'a live order holds what'],
    [
      'an order that holds too little',
      ({ order }) => order.held--,
      'a live order holds what its rest can cost',
    ],
    [
      'an ended order that holds money',
      ({ order }) => Object.assign(order, { status: 'cancelled', level: null, countedLots: 0 }),
      'a live order holds what its rest can cost, any other nothing',
    ],
    [
      'an order in a market that has closed',
      ({ market }) => (market.status = 'closed'),
      'a market that has closed has no orders',
    ],
    [
      'a market that is settled before everybody is paid',
      ({ market, order }) => {
        market.book.asks.remove(order);
        order.level = market.book.asks.best() ?? new Level(1);
        market.status = 'settled';
      },
      'a market is settled at a value once everybody is paid',
    ],
    [
      'a crossed book',
      ({ market, order }) => {
        market.book.bids.add(Object.assign(Object.create(order) as Order, { side: 'buy' }));
      },
      'no book is crossed',
    ],
  ])('find %s', (_, tamper, rule) => {
    tamper(scene);
    const check = (): void => scene.engine.checkBatch();
    expect(check).toThrow(InvariantError);
    expect(check).toThrow(rule);
  });

  it('let the outside world be below zero', () => {
    const bank = scene.engine.state.systemAccounts.get('external:bank')!;
    expect(bank.balanceOf('USD').available).toBe(-200n * 10n ** 18n);
  });
});

describe('the invariants of a command', () => {
  let scene: Scene;
  beforeEach(() => {
    scene = new Scene();
  });
  const engineOf = () =>
    scene.engine as unknown as { changes: Changes; context: (sequence: number) => Context };

  it('find money from nowhere at the first transfer', () => {
    scene.balance(scene.ann).available += 1n;
    expect(() => scene.place(scene.ann, 'buy', 1)).toThrow(
      /^place_order at sequence \d+: the transfers of a command add up to zero \(USD, 1\)$/,
    );
  });

  it('find an account that is overdrawn', () => {
    const balance = scene.balance(scene.bob);
    balance.available = -1n;
    engineOf().changes.balance(balance);
    const renew: Command = { type: 'renew_self_limits', accountId: scene.ann };
    expect(() => scene.engine.apply(renew)).toThrow('only the outside world may be below zero');
  });

  it('find an account that is overdrawn within a batch, although another command would make it good', () => {
    const bank = scene.engine.state.systemAccounts.get('external:bank')!;
    Object.assign(bank, { kind: 'trading' });
    expect(() =>
      scene.apply({
        type: 'move_money',
        debit: { rail: 'bank' },
        credit: { accountId: scene.ann },
        asset: 'USD',
        amount: '1',
        reason: 'deposit',
        reference: '',
      }),
    ).toThrow('only the outside world may be below zero');
  });

  it.each<[string, (scene: Scene) => unknown, string]>([
    [
      'a refusal that has moved something',
      ({ engine, ann }) => engineOf().changes.balance(engine.state.accounts.get(ann)!.balanceOf('USD')),
      'a refused command changes nothing',
    ],
    [
      'a refusal that has touched a market',
      ({ market }) => engineOf().changes.touch(market, 0),
      'a refused command changes nothing',
    ],
  ])('find %s', (_, tamper, rule) => {
    tamper(scene);
    const cancel: Command = { type: 'cancel_order', accountId: scene.ann, orderId: 1 };
    expect(() => scene.engine.apply(cancel)).toThrow(rule);
  });

  it('find what a command has left unsettled', () => {
    const context = scene.engine['context'].bind(scene.engine);
    scene.engine['context'] = (sequence) => {
      const made = context(sequence);
      made.unsettled.tripped.add(scene.ann);
      return made;
    };
    // Money that moves settles no quotes.
    const hold: Command = {
      type: 'place_hold',
      ownerKind: 'payout',
      ownerId: '1',
      accountId: scene.ann,
      asset: 'USD',
      amount: '1',
    };
    expect(() => scene.engine.apply(hold)).toThrow('a command settles all that it has begun');
  });

  it('find a number that a command has not been given', () => {
    const { state } = scene.engine;
    const context = scene.engine['context'].bind(scene.engine);
    scene.engine['context'] = (sequence) => {
      // The transfer of the command will have a number from before.
      state.sequence -= 5;
      return context(sequence);
    };
    expect(() => scene.place(scene.ann, 'buy', 1)).toThrow('are numbered in their order');
  });

  it('find a book that changes and does not count that', () => {
    engineOf().changes.level(scene.market, 'sell', 40);
    const cancel = (): unknown => scene.engine.apply({ type: 'renew_self_limits', accountId: scene.ann });
    expect(cancel).toThrow('a book that changes counts the command');
  });

  it('name the command, and keep what failed as the cause', () => {
    scene.engine.state.accounts.delete(scene.bob);
    const sequence = scene.engine.state.sequence + 1;
    try {
      scene.place(scene.ann, 'buy', 1);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(InvariantError);
      expect((error as Error).message).toContain(`place_order at sequence ${sequence}: `);
      expect((error as Error).cause).toBeInstanceOf(Error);
    }
  });
});

describe('an invariant', () => {
  it('is silent where it holds, and names its figures where it does not', () => {
    expect(() => invariant(true, 'a rule', 1)).not.toThrow();
    expect(() => invariant(false, 'a rule')).toThrow(new InvariantError('a rule'));
    expect(() => invariant(false, 'a rule', 7, null, -1n)).toThrow(new InvariantError('a rule (7, , -1)'));
    expect(() => invariant(false, 'a rule', 'USD', undefined)).toThrow(new InvariantError('a rule (USD)'));
  });
});
