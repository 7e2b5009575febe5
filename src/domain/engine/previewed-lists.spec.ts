/** Previews of lists and replacements, against what the command then does, in markets that keep accounts short of money. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { auditState } from '../../../test/support/domain/audit.js';
import { event, spot } from '../../../test/support/domain/markets.js';
import { seedFromEnvironment } from '../../../test/support/domain/property.js';
import { rounds } from '../../../test/support/rounds.js';
import { BOUNDS } from './bounds.js';
import type { Command, CommandResult, CreateMarket, ListedOrder, Outcome } from './commands.js';
import { Engine } from './engine.js';
import type { OrderPreview, PreviewableCommand, PreviewOf } from './preview.js';
import type { Position } from './state.js';
import { StateHash } from './state-hash.js';
import type { OrderSnapshot, SelfTradePrevention, Side, Trade } from './types.js';

const LOW = 30;
const HIGH = 70;

const SIDE = fc.constantFrom<Side>('buy', 'sell');
const TERMS = fc.record({
  side: SIDE,
  priceTicks: fc.integer({ min: LOW, max: HIGH }),
  sizeLots: fc.integer({ min: 1, max: 12 }),
  displayLots: fc.option(fc.integer({ min: 1, max: 4 }), { freq: 3 }),
  orderType: fc.constantFrom('limit' as const, 'limit' as const, 'market' as const),
  timeInForce: fc.constantFrom('GTC' as const, 'GTC' as const, 'IOC' as const),
  selfTradePrevention: fc.constantFrom<SelfTradePrevention>('cancel_newest', 'cancel_oldest', 'decrement'),
});
const STEP = fc.record({
  do: fc.constantFrom('place', 'place', 'place', 'list', 'list', 'replace', 'quote'),
  who: fc.constantFrom('ann', 'bob', 'cat'),
  terms: TERMS,
  exitTicks: fc.integer({ min: LOW, max: HIGH }),
  which: fc.nat(50),
});
type Step = typeof STEP extends fc.Arbitrary<infer Each> ? Each : never;

class World {
  readonly engine: Engine;
  private readonly accounts = new Map<string, number>();
  /** How often exits were armed, and refused; and new orders of replacements. */
  readonly seen = { armed: 0, exitsRejected: 0, replaced: 0, rejected: 0 };

  constructor(
    private readonly market: CreateMarket,
    lots: number,
  ) {
    this.engine = new Engine(undefined, { ...BOUNDS, lots });
    for (const code of ['USD', 'BTC']) this.demand({ type: 'create_asset', code, scale: 2 });
    this.demand({ type: 'create_account', kind: 'fees', name: 'fees', owner: null });
    for (const name of ['ann', 'bob', 'cat'] as const) {
      const made = this.demand({ type: 'create_account', kind: 'trading', name, owner: `user:${name}` });
      const { accountId } = made as Extract<CommandResult, { type: 'account' }>;
      this.accounts.set(name, accountId);
      const dollars =
        market.kind === 'spot' ? { ann: 1_000, bob: 300, cat: 15 } : { ann: 20, bob: 8, cat: 2 };
      const funds = { USD: String(dollars[name]), BTC: '15' };
      for (const [asset, amount] of Object.entries(funds))
        this.demand({
          type: 'move_money',
          debit: { rail: 'test' },
          credit: { accountId },
          asset,
          amount,
          reason: 'deposit',
          reference: 'purse',
        });
    }
    this.demand(market);
  }

  take(step: Step): void {
    if (step.do === 'list') this.list(step);
    else if (step.do === 'replace') this.replace(step);
    else if (step.do === 'quote') this.quote(step);
    else this.run({ ...this.orderOf(step), type: 'place_order' });
    auditState(this.engine.state);
  }

  private list({ who, terms, exitTicks }: Step): void {
    const { displayLots: _, ...entry } = terms;
    const { sizeLots } = entry;
    const side = entry.side === 'buy' ? 'sell' : 'buy';
    // Stops that no trade reaches: what runs afterwards is not told.
    const stopPriceTicks = side === 'sell' ? 1 : 99;
    const isPriced = this.market.kind === 'spot';
    const exit = { ...PLAIN, ...entry, timeInForce: 'GTC' as const, side, sizeLots } as const;
    const stop: ListedOrder = {
      ...exit,
      orderType: isPriced ? 'stop_limit' : 'stop',
      priceTicks: isPriced ? exitTicks : null,
      stopPriceTicks,
    };
    const command = {
      type: 'place_order_list',
      accountId: this.accounts.get(who)!,
      marketId: this.market.marketId,
      entry: exitTicks % 4 === 0 ? null : this.listed(entry),
      exits: [{ ...exit, orderType: 'limit', priceTicks: exitTicks }, stop],
      clientListId: null,
    } as const;
    this.compare(command, (told, outcome) => {
      if (!outcome.ok || outcome.result.type !== 'order_list') throw new Error('previewed as accepted');
      const { orders, fills, listId } = outcome.result;
      const [first, ...others] = told.orders as [OrderPreview, ...OrderPreview[]];
      const exits = others.slice(-2);
      // An exit that could trade at once has run by now.
      if (exits.some(({ statusReason }) => statusReason === 'triggered')) {
        const exit = orders.at(-2)!;
        expect(exit.status).not.toBe('untriggered');
        // It met somebody: otherwise it would rest as it came, unless it only cancelled own orders.
        if (terms.selfTradePrevention !== 'cancel_oldest')
          expect([exit.status, exit.remainingLots]).not.toEqual(['open', exit.sizeLots]);
        const ofEntry = fills.filter(({ takerOrderId }) => takerOrderId === orders[0]!.orderId);
        expect(first.fills).toEqual(ofEntry.map(fillOf));
      } else {
        expect(told.orders).toEqual(orders.map((order) => this.stateOf(order, fills)));
        if (command.entry !== null && first.filledLots > 0) this.seen.armed++;
        this.seen.exitsRejected += exits.filter(({ status }) => status === 'rejected').length;
      }
      this.run({ type: 'cancel_order_list', accountId: command.accountId, listId });
    });
  }

  /** Quotes that are all withdrawn as soon as a few have traded. */
  private quote({ who, terms: { priceTicks, sizeLots }, which }: Step): void {
    const at = (ticks: number) => ({ priceTicks: ticks, sizeLots, feeRates: null });
    this.run({
      type: 'mass_quote',
      accountId: this.accounts.get(who)!,
      quotes: [{ marketId: this.market.marketId, bid: at(priceTicks - 1), ask: at(priceTicks + 1) }],
      protection: { fills: 1 + (which % 2), windowMs: 60_000, reset: true },
    });
  }

  private replace(step: Step): void {
    const accountId = this.accounts.get(step.who)!;
    const own = [...this.engine.state.orders.values()].filter((order) => order.accountId === accountId);
    const replaced = own[step.which % own.length];
    if (replaced === undefined) return;
    const command = {
      ...this.orderOf(step),
      type: 'replace_order',
      replacedOrderId: replaced.orderId,
    } as const;
    this.compare(command, ({ order: told }, outcome) => {
      if (!outcome.ok || outcome.result.type !== 'order') throw new Error('previewed as accepted');
      expect(told).toEqual(this.stateOf(outcome.result.order, outcome.result.fills));
      this.seen.replaced++;
      if (told.status === 'rejected') this.seen.rejected++;
    });
  }

  /** Previews, makes sure that nothing has come of it, carries out, and compares. */
  private compare<C extends PreviewableCommand>(
    command: C,
    expectAsTold: (told: PreviewOf<C>, outcome: Outcome) => void,
  ): void {
    const before = this.everything();
    const told = this.engine.preview(command);
    expect(this.everything()).toEqual(before);
    const outcome = this.run(command);
    if ('code' in told) expect(outcome).toEqual({ ok: false, refusal: told });
    else expectAsTold(told, outcome);
  }

  private everything(): unknown {
    const { state } = this.engine;
    const { book, stops } = state.markets.get(this.market.marketId)!;
    const accounts = [...this.accounts.values()].map((id) => state.accounts.get(id)!);
    return {
      hash: StateHash.of(state).parts(),
      sequence: state.sequence,
      books: [book.bids, book.asks].map(({ totalLots, levels }) => ({
        totalLots,
        levels: levels.map((level) => {
          const queue: number[] = [];
          for (let order = level.head; order !== null; order = order.next) queue.push(order.orderId);
          return [level.priceTicks, level.totalLots, level.hiddenLots, level.orders, ...queue];
        }),
      })),
      trailing: stops.trailingCount('buy') + stops.trailingCount('sell'),
      accounts: accounts.map(({ openOrders, positions }) => [
        openOrders,
        // Asking for a position makes an empty one.
        [...positions.values()]
          .filter(isUsed)
          .map(({ buys, sells, openLots, openStops, cover }) => [
            [...buys.keys()],
            [...sells.keys()],
            { ...openLots },
            openStops,
            [cover.buy.totalLots, cover.buy.totalCost, cover.sell.totalLots, cover.sell.totalCost],
          ]),
      ]),
    };
  }

  private stateOf(snapshot: OrderSnapshot, trades: readonly Trade[]): OrderPreview {
    const order = this.engine.state.orders.get(snapshot.orderId);
    let queueAheadLots: number | null = null;
    if (order !== undefined && order.level !== null) {
      queueAheadLots = 0;
      for (let before = order.previous; before !== null; before = before.previous)
        queueAheadLots += before.shownLots;
    }
    const { status, statusReason, filledLots, filledNotional, fees, remainingLots, side } = snapshot;
    const asset = this.market.kind === 'spot' && side === 'sell' ? 'BTC' : 'USD';
    return {
      status,
      statusReason,
      fills: trades.filter(({ takerOrderId }) => takerOrderId === snapshot.orderId).map(fillOf),
      filledLots,
      filledNotional,
      fees,
      remainingLots,
      hold: { asset, amount: (order?.held ?? 0n) as OrderPreview['fees'] },
      queueAheadLots,
      netting: null,
    };
  }

  private orderOf({ who, terms }: Step) {
    const { displayLots } = terms;
    const shows = displayLots !== null && terms.orderType === 'limit' && terms.timeInForce === 'GTC';
    return {
      accountId: this.accounts.get(who)!,
      marketId: this.market.marketId,
      clientOrderId: null,
      ...this.listed(terms),
      ...(shows && { displayLots: Math.min(displayLots, terms.sizeLots) }),
    };
  }

  private listed(terms: Omit<Step['terms'], 'displayLots'>): ListedOrder {
    const { side, sizeLots, orderType, selfTradePrevention } = terms;
    const isMarket = orderType === 'market';
    const timeInForce = isMarket ? 'IOC' : terms.timeInForce;
    const priceTicks = isMarket ? null : terms.priceTicks;
    return { ...PLAIN, side, sizeLots, orderType, selfTradePrevention, timeInForce, priceTicks };
  }

  private run(command: Command): Outcome {
    this.engine.beginBatch(1_000);
    const outcome = this.engine.apply(command);
    this.engine.checkBatch();
    return outcome;
  }

  private demand(command: Command): CommandResult {
    const outcome = this.run(command);
    if (!outcome.ok) throw new Error(`refused: ${outcome.refusal.code}`);
    return outcome.result;
  }
}

const PLAIN = {
  stopPriceTicks: null,
  expiresAtMs: null,
  postOnly: false,
  reduceOnly: false,
  feeRates: null,
} as const;

function isUsed({ sizeLots, buys, sells }: Position): boolean {
  return sizeLots !== 0 || buys.size > 0 || sells.size > 0;
}

function fillOf({ priceTicks, sizeLots, takerFee }: Trade): OrderPreview['fills'][number] {
  return { priceTicks, sizeLots, fee: takerFee };
}

const WORLDS = rounds('PREVIEW_WORLDS', 30, 400);
const STEPS = 150;

describe('previews of lists and replacements', () => {
  const fees = { takerFeeRate: '0.002', makerFeeRate: '0.001' };
  it.each([
    ['spot', spot({ ...fees, priceMin: '1', priceMax: '99' })],
    ['event', event(fees)],
  ])('tell what the command then does, and change nothing: %s', { timeout: 120_000 }, (_, market) => {
    const seed = seedFromEnvironment();
    console.log(`SEED=${seed}`);
    const seen = { armed: 0, exitsRejected: 0, replaced: 0, rejected: 0 };
    const scenario = fc.array(STEP, { minLength: STEPS, maxLength: STEPS });
    for (let round = 0; round < WORLDS; round++) {
      const [steps] = fc.sample(scenario, { seed: seed + round, numRuns: 1 });
      const world = new World(market, round % 2 === 0 ? BOUNDS.lots : 40);
      for (const step of steps!) world.take(step);
      for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] += world.seen[key];
    }
    for (const [what, times] of Object.entries(seen)) expect(times, what).toBeGreaterThan(0);
  });
});
