import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { event } from '../../../test/support/domain/markets.js';
import { seedFromEnvironment } from '../../../test/support/domain/property.js';
import { amountOf, formatAmount } from '../money/amount.js';
import type { AmendOrder, Command, CommandResult, Outcome, PlaceOrder } from './commands.js';
import { Engine } from './engine.js';
import { HASH_PARTS, StateHash } from './state-hash.js';
import type { Account } from './state.js';

const LIMIT = amountOf('10');
const STEPS = 60;

/** One market, ann with a limit of what she may open, and bob without. */
class World {
  readonly engine = new Engine();
  readonly ann: number;
  readonly bob: number;
  readonly market = event();
  /** What ann has paid to open contracts. */
  private paid = 0n;

  constructor() {
    this.run({ type: 'create_asset', code: 'USD', scale: 2 });
    this.run({ type: 'create_account', kind: 'fees', name: 'fees', owner: null });
    this.ann = this.openAccount('ann');
    this.bob = this.openAccount('bob');
    this.run(this.market);
    this.run({
      type: 'set_market_status',
      marketId: this.market.marketId,
      status: 'open',
      settlementValue: null,
    });
    this.run({ type: 'renew_self_limits', accountId: this.ann });
  }

  get account(): Account {
    return this.engine.state.accounts.get(this.ann)!;
  }

  /** As the tables would tell: paid, and what live orders may still pay. */
  get used(): bigint {
    let used = this.paid;
    for (const order of this.engine.state.orders.values()) {
      if (order.accountId !== this.ann) continue;
      used += order.hasPrice || order.reduceOnly ? order.held : order.market.sizeOf(order.remainingLots);
    }
    return used;
  }

  run(command: Command): Outcome {
    const changes = this.engine.beginBatch(1_000);
    const outcome = this.engine.apply(command);
    for (const { debitAccountId, reason, amount } of changes.transfers) {
      if (debitAccountId === this.ann && reason === 'event_open') this.paid += amount;
    }
    this.engine.checkBatch();
    return outcome;
  }

  order(accountId: number, more: Partial<PlaceOrder>): PlaceOrder {
    return {
      type: 'place_order',
      accountId,
      marketId: this.market.marketId,
      side: 'buy',
      orderType: 'limit',
      timeInForce: 'GTC',
      priceTicks: 50,
      stopPriceTicks: null,
      sizeLots: 1,
      expiresAtMs: null,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'cancel_newest',
      clientOrderId: null,
      feeRates: null,
      ...more,
    };
  }

  /** The command with what is left now. */
  prepared<C extends PlaceOrder | AmendOrder>(command: C): C {
    const left = LIMIT - this.used;
    const max = formatAmount(left > 0n ? left : 0n);
    return { ...command, allowance: { asOf: this.account.limitsSequence!, max } };
  }

  private openAccount(name: string): number {
    const { accountId } = result(
      this.run({ type: 'create_account', kind: 'trading', name, owner: `user:${name}` }),
    ) as Extract<CommandResult, { type: 'account' }>;
    this.run({
      type: 'move_money',
      debit: { rail: 'test' },
      credit: { accountId },
      asset: 'USD',
      amount: '10000',
      reason: 'deposit',
      reference: 'purse',
    });
    return accountId;
  }
}

function result(outcome: Outcome): CommandResult {
  if (!outcome.ok) throw new Error(`refused: ${outcome.refusal.code}`);
  return outcome.result;
}

const codeOf = (outcome: Outcome): string => (outcome.ok ? 'ok' : outcome.refusal.code);

const TERMS = fc.record({
  side: fc.constantFrom('buy' as const, 'sell' as const),
  orderType: fc.constantFrom('limit' as const, 'limit' as const, 'market' as const, 'stop' as const),
  timeInForce: fc.constantFrom('GTC' as const, 'GTC' as const, 'IOC' as const),
  priceTicks: fc.integer({ min: 20, max: 80 }),
  sizeLots: fc.integer({ min: 1, max: 12 }),
});
const STEP = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('prepare' as const), terms: TERMS }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('send' as const), which: fc.nat(50) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('trade' as const), terms: TERMS }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(50) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('amend' as const), which: fc.nat(50), terms: TERMS }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renew' as const) }) },
);

type Step = typeof STEP extends fc.Arbitrary<infer Each> ? Each : never;
type Terms = typeof TERMS extends fc.Arbitrary<infer Each> ? Each : never;

function termsOf({ side, orderType, timeInForce, priceTicks, sizeLots }: Terms): Partial<PlaceOrder> {
  return {
    side,
    orderType,
    sizeLots,
    timeInForce: orderType === 'limit' ? timeInForce : 'IOC',
    priceTicks: orderType === 'limit' ? priceTicks : null,
    stopPriceTicks: orderType === 'stop' ? priceTicks : null,
  };
}

function act(world: World, waiting: Command[], step: Step): void {
  const ownOrders = [...world.engine.state.orders.values()].filter((each) => each.accountId === world.ann);
  const own = 'which' in step ? ownOrders[step.which % Math.max(1, ownOrders.length)] : undefined;
  switch (step.do) {
    case 'prepare':
      waiting.push(world.prepared(world.order(world.ann, termsOf(step.terms))));
      return;
    case 'send': {
      const [command] = waiting.splice(step.which % Math.max(1, waiting.length), 1);
      if (command !== undefined) world.run(command);
      return;
    }
    case 'trade':
      world.run(world.order(world.bob, { ...termsOf(step.terms), sizeLots: step.terms.sizeLots }));
      return;
    case 'cancel':
      if (own !== undefined) world.run({ type: 'cancel_order', accountId: world.ann, orderId: own.orderId });
      return;
    case 'amend': {
      if (own === undefined) return;
      const { priceTicks, sizeLots } = step.terms;
      const price = own.hasPrice ? priceTicks : null;
      const amend: AmendOrder = {
        type: 'amend_order',
        accountId: world.ann,
        orderId: own.orderId,
        priceTicks: price,
        sizeLots,
      };
      waiting.push(world.prepared(amend));
      return;
    }
    case 'renew':
      world.run({ type: 'renew_self_limits', accountId: world.ann });
  }
}

describe('the allowances of an account with limits', () => {
  it('never open more than the limit, in whatever order they were made and come', () => {
    fc.assert(
      fc.property(fc.array(STEP, { minLength: STEPS, maxLength: STEPS }), (steps) => {
        const world = new World();
        const waiting: Command[] = [];
        for (const step of steps) {
          act(world, waiting, step);
          expect(world.used <= LIMIT, `${formatAmount(world.used)} is used`).toBe(true);
        }
      }),
      { seed: seedFromEnvironment(), numRuns: 300 },
    );
  });

  it('let all be used that was prepared side by side, and no more', () => {
    const world = new World();
    const orders = Array.from({ length: 8 }, () => world.prepared(world.order(world.ann, { sizeLots: 4 })));
    expect(orders.map((order) => codeOf(world.run(order)))).toEqual([
      ...Array<string>(5).fill('ok'),
      ...Array<string>(3).fill('self_limit_exceeded'),
    ]);
    expect(world.used).toBe(LIMIT);
  });

  it('end with a change of the limits, and where others were used in between', () => {
    const world = new World();
    const [old, older] = [world.order(world.ann, {}), world.order(world.ann, {})].map((order) =>
      world.prepared(order),
    );
    world.run({ type: 'renew_self_limits', accountId: world.ann });
    expect(codeOf(world.run(old!))).toBe('self_limits_changed');
    expect(codeOf(world.run(world.prepared(world.order(world.ann, {}))))).toBe('ok');
    expect(codeOf(world.run(older!))).toBe('self_limits_changed');
    expect(codeOf(world.run(world.order(world.ann, {})))).toBe('self_limits_changed');
  });

  it('count what a resting order opens once another one has closed the position that covered it', () => {
    const world = new World();
    const ofAnn = (more: Partial<PlaceOrder>): string =>
      codeOf(world.run(world.prepared(world.order(world.ann, more))));
    world.run(world.order(world.bob, { side: 'sell', sizeLots: 20 }));
    world.run(world.order(world.bob, { side: 'buy', sizeLots: 20, priceTicks: 40 }));
    expect(ofAnn({ sizeLots: 20 })).toBe('ok');
    expect(ofAnn({ side: 'sell', sizeLots: 20, priceTicks: 80 })).toBe('ok');
    const close = {
      side: 'sell',
      orderType: 'market',
      timeInForce: 'IOC',
      priceTicks: null,
      sizeLots: 20,
    } as const;
    expect(ofAnn(close)).toBe('self_limit_exceeded');
    world.run({ type: 'cancel_all_orders', accountId: world.ann, marketId: null });
    expect(ofAnn(close)).toBe('ok');
  });

  it('are asked of no other account, and are previewed without being used', () => {
    const world = new World();
    expect(codeOf(world.run(world.order(world.bob, {})))).toBe('ok');
    const large = world.prepared(world.order(world.ann, { sizeLots: 21 }));
    expect(world.engine.preview(large)).toMatchObject({ code: 'self_limit_exceeded' });
    const { limitsSequence } = world.account;
    expect(world.engine.preview(world.prepared(world.order(world.ann, {})))).toMatchObject({
      status: 'open',
    });
    expect(world.account.limitsSequence).toBe(limitsSequence);
  });

  it('end for the accounts that share them once one is used, and not by a refusal', () => {
    const world = new World();
    world.run({ type: 'renew_self_limits', accountId: world.bob });
    const asOf = world.engine.state.accounts.get(world.bob)!.limitsSequence!;
    const ofBob = (): PlaceOrder =>
      world.order(world.bob, { priceTicks: 1, allowance: { asOf, max: '100' } });
    const ofAnn = (sizeLots: number): PlaceOrder => {
      const { allowance, ...order } = world.prepared(world.order(world.ann, { sizeLots }));
      return { ...order, allowance: { ...allowance!, sharedWith: [world.bob] } };
    };
    expect(codeOf(world.run(ofAnn(21)))).toBe('self_limit_exceeded');
    expect(codeOf(world.run(ofBob()))).toBe('ok');
    expect(codeOf(world.run(ofAnn(1)))).toBe('ok');
    expect(codeOf(world.run(ofBob()))).toBe('self_limits_changed');
  });

  it('are part of the state hash', () => {
    const world = new World();
    const before = StateHash.of(world.engine.state).part('accounts');
    world.run(world.prepared(world.order(world.ann, {})));
    const after = StateHash.of(world.engine.state);
    expect(after.part('accounts')).not.toBe(before);
    expect(HASH_PARTS).toContain('accounts');
  });
});
