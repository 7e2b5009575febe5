import { beforeEach, describe, expect, it } from 'vitest';
import { event } from '../../../test/support/domain/markets.js';
import type { Command, PlaceOrder } from './commands.js';
import { Engine } from './engine.js';
import { InvariantError } from '../invariant-error.js';
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

  private place(accountId: number, side: PlaceOrder['side'], sizeLots: number): void {
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

  private apply(command: Command): void {
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

  it.each<[string, (scene: Scene) => unknown]>([
    ['an overdrawn account', (scene) => (scene.balance(scene.ann).available = -1n)],
    ['money held below zero', (scene) => (scene.balance(scene.bob).held = -1n)],
    ['a pool that is not the open interest', ({ market }) => market.openInterestLots++],
    ['a position out of range', (scene) => (scene.position(scene.ann).sizeLots = 2 ** 53)],
    ['a cost below zero', (scene) => (scene.position(scene.ann).costBasis = -1n)],
    ['an order of more than its size', ({ order }) => (order.filledLots = 6)],
    ['an order that holds less than nothing', ({ order }) => (order.held = -1n)],
    ['an ended order that holds money', ({ order }) => (order.status = 'cancelled')],
    [
      'a crossed book',
      ({ market, order }) => {
        market.book.bids.add(Object.assign(Object.create(order) as Order, { side: 'buy' }));
      },
    ],
  ])('find %s', (_, tamper) => {
    tamper(scene);
    expect(() => {
      scene.engine.checkBatch();
    }).toThrow(InvariantError);
  });

  it('let the outside world be below zero', () => {
    const bank = scene.engine.state.systemAccounts.get('external:bank')!;
    expect(bank.balanceOf('USD').available).toBe(-200n * 10n ** 18n);
  });
});
