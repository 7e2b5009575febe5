/**
 * Random traders. An intent does not depend on the state (it names an order as "the seventh live one"), so that a
 * failing run can be shrunk to the few intents that matter.
 */
import fc from 'fast-check';
import { type Bounds, BOUNDS } from '../../../src/domain/engine/bounds.js';
import type {
  AcceptQuote,
  CreateMarket,
  MassQuote,
  PlaceOrder,
  PlaceOrderList,
} from '../../../src/domain/engine/commands.js';
import { unitsOf } from '../../../src/domain/market/units.js';
import { amountOf, formatAmount, UNITS_PER_ONE } from '../../../src/domain/money/amount.js';
import { event, spot } from './markets.js';
import { Differential } from './differential.js';
import type { NaiveCommand } from './naive-exchange.js';

const START_MS = Date.UTC(2026, 10, 1);
const ASSETS = { USD: 2, BTC: 8, ETH: 18 } as const;
const TRADERS = ['ann', 'bob', 'cat', 'dan', 'eve', 'fay'] as const;
/** Eve is another account of Ann's, and Fay a user whom Bob has made. */
const OWNERS: Partial<Record<string, string>> = { eve: 'user:ann' };
const ROOTS: Partial<Record<string, string>> = { fay: 'user:bob' };

/** Fee rates that always leave a remainder, so that every rounding shows. */
const MARKETS: readonly CreateMarket[] = [
  spot({ tickSize: '0.01', lotSize: '0.5', minNotional: '0.3', marketOrderBand: '6.55' }),
  spot({
    marketId: 'ETH-USD',
    baseAsset: 'ETH',
    tickSize: '0.05',
    lotSize: '0.3',
    makerFeeRate: '0.001234567890123457',
    takerFeeRate: '0.000333333333333333',
  }),
  event({ makerFeeRate: '0.111111111111111111', takerFeeRate: '0.7', marketOrderBand: '9' }),
  event({
    marketId: 'SNOW',
    lotSize: '0.1',
    maxSize: '500',
    makerFeeRate: '0.9',
    takerFeeRate: '0.070000000000000007',
    feeBase: 'variance',
    opensAtMs: START_MS + 200,
    closesAtMs: START_MS + 6_000_000,
  }),
  ...['RED', 'GREEN', 'BLUE'].map((marketId) =>
    event({ marketId, lotSize: '0.3', takerFeeRate: '0.070000000000000007' }),
  ),
];
const GROUP = { groupId: 'WINNER', marketIds: ['RED', 'GREEN', 'BLUE'] } as const;

const STAMPEDE = 130;
const SETTLEMENT_VALUES = ['0', '1', '0.5', '0.12345678901234567'];
const CORRECTIONS_PER_MARKET = 3;

interface Order {
  readonly kind: 'order';
  readonly trader: number;
  readonly market: number;
  readonly side: PlaceOrder['side'];
  readonly type: PlaceOrder['orderType'];
  readonly timeInForce: PlaceOrder['timeInForce'];
  readonly ticks: number;
  readonly stopTicks: number;
  readonly stopTrigger: PlaceOrder['stopTrigger'] | null;
  /** Of trailing stops: ticks, or hundredths of a percent. */
  readonly trailingTicks: number | null;
  readonly trailingBps: number;
  readonly lots: number;
  /** Of market orders; null for a size in lots. */
  readonly quoteSize: string | null;
  /** Of limit orders that may rest; null where they show all. */
  readonly displayLots: number | null;
  readonly postOnly: boolean;
  readonly reduceOnly: boolean;
  readonly selfTrade: PlaceOrder['selfTradePrevention'];
  readonly livesMs: number;
  readonly feeRates: PlaceOrder['feeRates'];
}

/** A bet without a quote from the service, at an average price of this many ticks. */
interface Bet {
  readonly kind: 'bet';
  readonly trader: number;
  readonly market: number;
  readonly side: PlaceOrder['side'];
  readonly ticks: number;
  readonly lots: number;
  readonly livesMs: number;
  readonly feeRates: PlaceOrder['feeRates'];
}

/** A quote for a size, or for a stake if given, taken at once or kept for later. */
interface Quote {
  readonly kind: 'quote';
  readonly trader: number;
  readonly market: number;
  readonly side: PlaceOrder['side'];
  readonly lots: number;
  readonly stake: string | null;
  readonly livesMs: number;
  readonly feeRates: PlaceOrder['feeRates'];
  readonly isTaken: boolean;
}

export type Intent =
  | Order
  | Bet
  | Quote
  | { readonly kind: 'take'; readonly pick: number }
  /** Keeps the market of the order that goes, but for strays. */
  | {
      readonly kind: 'replace';
      readonly pick: number;
      readonly by: Order;
      readonly strays: boolean;
      readonly countsFilled: boolean;
    }
  /** Two exits of the side, prices and size of an order, opposite to the entry if there is one. */
  | {
      readonly kind: 'list';
      readonly exit: Order;
      readonly entry: Order | null;
      readonly stopHasLimit: boolean;
    }
  | { readonly kind: 'cancel list'; readonly pick: number }
  /** A bid and an ask around a price on each of some markets; one of a width of 0 wants none of them. */
  | {
      readonly kind: 'mass quote';
      readonly trader: number;
      readonly markets: readonly number[];
      readonly ticks: number;
      readonly width: number;
      readonly lots: number;
      readonly protection: MassQuote['protection'] | undefined;
      readonly feeRates: PlaceOrder['feeRates'];
    }
  | { readonly kind: 'cancel'; readonly pick: number; readonly asStranger: boolean }
  | { readonly kind: 'cancel all'; readonly trader: number; readonly market: number | null }
  | {
      readonly kind: 'amend';
      readonly pick: number;
      readonly ticks: number | null;
      readonly lots: number | null;
    }
  | {
      readonly kind: 'status';
      readonly market: number;
      readonly status: 'open' | 'halted' | 'closed';
      readonly sure: number;
    }
  | { readonly kind: 'correct'; readonly market: number; readonly value: string }
  /** `first` names the accounts to pay first; empty means all. */
  | {
      readonly kind: 'settle';
      readonly market: number;
      readonly value: string;
      readonly first: readonly number[];
    }
  | { readonly kind: 'split' | 'merge'; readonly trader: number; readonly lots: number }
  | { readonly kind: 'settle group'; readonly winner: number; readonly first: readonly number[] }
  | { readonly kind: 'correct group'; readonly winner: number }
  | { readonly kind: 'pay holders'; readonly market: number; readonly holders: readonly number[] }
  /** `isLate`: due work is not carried out before other commands. */
  | { readonly kind: 'wait'; readonly elapsedMs: number; readonly isLate: boolean }
  | {
      readonly kind: 'deposit' | 'withdraw';
      readonly trader: number;
      readonly asset: keyof typeof ASSETS;
      readonly amount: string;
    }
  | { readonly kind: 'give'; readonly trader: number; readonly to: number; readonly amount: string }
  | { readonly kind: 'hold'; readonly trader: number; readonly owner: number; readonly amount: string }
  | { readonly kind: 'release'; readonly owner: number }
  | {
      readonly kind: 'pay';
      readonly owner: number;
      readonly to: number | null;
      readonly amount: string | null;
    }
  | { readonly kind: 'know'; readonly trader: number; readonly level: number }
  | { readonly kind: 'freeze'; readonly trader: number; readonly frozen: boolean }
  | { readonly kind: 'limits'; readonly orders: number; readonly stops: number }
  | { readonly kind: 'run triggers'; readonly market: number }
  | { readonly kind: 'stampede'; readonly order: Order; readonly sure: number };

const settlementValue = fc.constantFrom(
  '0',
  '1',
  '0.5',
  '0.123456789012345678',
  '0.12345678901234567',
  '1.1',
  '',
);
const trader = fc.nat(TRADERS.length - 1);
const market = fc.nat(MARKETS.length - 1);
const pick = fc.nat(1_000);
const someTraders = fc.array(trader, { maxLength: 3 });
const amount = fc.constantFrom(
  '1',
  '10',
  '0.01',
  '40',
  '0.12345678',
  '0.123456789012345678',
  '25.5',
  '0',
  '01',
  '-1',
);

/**
 * A buyer's prices (a seller's are mirrored at 50): mostly below 50, some cross; a few are at the limits of an event
 * market.
 */
const ticks = fc.oneof(
  { weight: 30, arbitrary: fc.integer({ min: 42, max: 53 }) },
  { weight: 3, arbitrary: fc.constantFrom(1, 2, 10, 30, 70, 98, 99) },
  { weight: 1, arbitrary: fc.constantFrom(0, 100, 10 ** 12) },
);
const lots = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1, max: 12 }) },
  { weight: 5, arbitrary: fc.integer({ min: 10, max: 60 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 6_000, 10 ** 13 + 1) },
);

const side = fc.constantFrom('buy' as const, 'sell' as const);
const feeRates = fc.oneof(
  { weight: 15, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constant({ maker: '0', taker: '0.999999999999999999' }) },
  { weight: 1, arbitrary: fc.constant({ maker: '0.000000000000000001', taker: '0' }) },
  // Larger than what most takers of the market pay, smaller, and with a remainder.
  { weight: 2, arbitrary: fc.constant({ maker: '-0.8', taker: '0.9' }) },
  { weight: 2, arbitrary: fc.constant({ maker: '-0.000123456789012345', taker: '0.000333333333333333' }) },
  { weight: 1, arbitrary: fc.constant({ maker: '-0.000000000000000001', taker: '0.000000000000000001' }) },
  { weight: 1, arbitrary: fc.constant({ maker: '-0.5', taker: '0.4' }) },
);

const quoteSize = fc.constantFrom('1', '2.5', '7', '0.123456789012345678', '33', '900', '0');

const order: fc.Arbitrary<Order> = fc.record({
  kind: fc.constant('order' as const),
  trader,
  market,
  side,
  type: fc.oneof(
    { weight: 20, arbitrary: fc.constant('limit' as const) },
    { weight: 3, arbitrary: fc.constant('market' as const) },
    { weight: 2, arbitrary: fc.constant('stop' as const) },
    { weight: 2, arbitrary: fc.constant('stop_limit' as const) },
    { weight: 3, arbitrary: fc.constant('trailing_stop' as const) },
  ),
  timeInForce: fc.oneof(
    { weight: 10, arbitrary: fc.constant('GTC' as const) },
    { weight: 3, arbitrary: fc.constantFrom('IOC' as const, 'FOK' as const, 'GTD' as const) },
  ),
  ticks,
  stopTicks: ticks,
  stopTrigger: fc.constantFrom(null, null, 'last' as const, 'mark' as const),
  trailingTicks: fc.option(fc.constantFrom(0, 1, 1, 2, 3, 3, 5, 9, 60)),
  trailingBps: fc.constantFrom(1, 150, 200, 390, 400, 1_000, 9_999),
  lots,
  quoteSize: fc.option(quoteSize, { freq: 2 }),
  displayLots: fc.option(fc.integer({ min: 0, max: 12 }), { freq: 2 }),
  postOnly: chance(8),
  reduceOnly: chance(9),
  selfTrade: fc.constantFrom(
    'cancel_newest' as const,
    'cancel_oldest' as const,
    'cancel_both' as const,
    'decrement' as const,
  ),
  livesMs: fc.integer({ min: -100, max: 3_000 }),
  feeRates,
});

const bet: fc.Arbitrary<Bet> = fc.record({
  kind: fc.constant('bet' as const),
  trader,
  market,
  side,
  ticks,
  lots,
  livesMs: fc.integer({ min: -100, max: 3_000 }),
  feeRates,
});

const quote: fc.Arbitrary<Quote> = fc.record({
  kind: fc.constant('quote' as const),
  trader,
  market,
  side,
  lots,
  stake: fc.option(quoteSize, { freq: 2 }),
  livesMs: fc.integer({ min: -100, max: 3_000 }),
  feeRates,
  isTaken: fc.boolean(),
});

export const intent: fc.Arbitrary<Intent> = fc.oneof(
  { weight: 150, arbitrary: order },
  { weight: 8, arbitrary: bet },
  { weight: 30, arbitrary: quote },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('take' as const), pick }) },
  {
    weight: 22,
    arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick, asStranger: chance(10) }),
  },
  {
    weight: 22,
    arbitrary: fc.record({
      kind: fc.constant('replace' as const),
      pick,
      by: order,
      strays: chance(8),
      countsFilled: fc.boolean(),
    }),
  },
  {
    weight: 30,
    arbitrary: fc.record({
      kind: fc.constant('list' as const),
      exit: order,
      entry: fc.option(order, { freq: 2 }),
      stopHasLimit: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel list' as const), pick }) },
  {
    weight: 25,
    arbitrary: fc.record({
      kind: fc.constant('mass quote' as const),
      trader,
      markets: fc.uniqueArray(market, { minLength: 1 }),
      ticks: fc.integer({ min: 46, max: 54 }),
      width: fc.integer({ min: 0, max: 3 }),
      lots: fc.constantFrom(1, 2, 2, 3, 5, 9, 0),
      protection: fc.option(
        fc.option(
          fc.record({
            fills: fc.constantFrom(1, 2, 3, 3, 0, 101),
            windowMs: fc.constantFrom(1, 1_000, 60_000),
            reset: fc.boolean(),
          }),
          { freq: 6 },
        ),
        { nil: undefined, freq: 2 },
      ),
      feeRates,
    }),
  },
  {
    weight: 26,
    arbitrary: fc.record({
      kind: fc.constant('amend' as const),
      pick,
      ticks: fc.option(ticks, { freq: 2 }),
      lots: fc.option(lots, { freq: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('cancel all' as const), trader, market: fc.option(market) }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant('status' as const),
      market,
      status: fc.constantFrom(
        ...(['open', 'open', 'open', 'open', 'open', 'open', 'halted', 'closed'] as const),
      ),
      sure: fc.nat(25),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      market,
      value: settlementValue,
      first: someTraders,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constantFrom('split' as const, 'merge' as const), trader, lots }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('settle group' as const),
      winner: fc.nat(GROUP.marketIds.length),
      first: someTraders,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('correct group' as const),
      winner: fc.nat(GROUP.marketIds.length),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pay holders' as const), market, holders: someTraders }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('correct' as const), market, value: settlementValue }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      elapsedMs: fc.integer({ min: 0, max: 2_000 }),
      isLate: fc.boolean(),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constantFrom('deposit' as const, 'deposit' as const, 'withdraw' as const),
      trader,
      asset: fc.constantFrom('USD' as const, 'BTC' as const, 'ETH' as const),
      amount,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('give' as const), trader, to: trader, amount }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('hold' as const), trader, owner: fc.nat(3), amount }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release' as const), owner: fc.nat(3) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pay' as const),
      owner: fc.nat(3),
      to: fc.option(trader),
      amount: fc.option(amount, { freq: 2 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('know' as const),
      trader,
      level: fc.constantFrom(0, 1, 2, 9, 10, -1, 0.5),
    }),
  },
  // Mostly unfrozen again soon, so that enough accounts can trade.
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('freeze' as const),
      trader,
      frozen: fc.constantFrom(true, false, false, false),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('limits' as const),
      orders: fc.constantFrom(2, 10, 10_000, 10_000, 10_000, 0),
      stops: fc.constantFrom(1, 5, 200, 1_000, 1_000, 0.5),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('run triggers' as const), market }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stampede' as const), order, sure: fc.nat(3) }) },
);

/** A fresh pair of exchanges with four traders of small means, so that money often runs out. */
const GROUP_START = MARKETS.findIndex(({ marketId }) => isGrouped(marketId));

/** The same where all trade in the markets of the group, which stay open for longer. */
export const groupIntent: fc.Arbitrary<Intent> = intent.map(inGroup);

function inGroup(intended: Intent): Intent {
  const grouped = (at: number): number => GROUP_START + (at % GROUP.marketIds.length);
  const orderIn = (one: Order): Order => ({ ...one, market: grouped(one.market) });
  switch (intended.kind) {
    case 'order':
      return orderIn(intended);
    case 'list':
      return { ...intended, exit: orderIn(intended.exit), entry: intended.entry && orderIn(intended.entry) };
    case 'replace':
      return { ...intended, by: orderIn(intended.by) };
    case 'stampede':
      return { ...intended, order: orderIn(intended.order) };
    case 'mass quote':
      return { ...intended, markets: [...new Set(intended.markets.map(grouped))] };
    case 'bet':
    case 'quote':
    case 'run triggers':
      return { ...intended, market: grouped(intended.market) };
    default:
      return intended;
  }
}

export class World {
  readonly exchanges: Differential;
  private readonly traders: number[] = [];
  /** Quotes given but not yet taken. */
  private readonly quotes: AcceptQuote[] = [];

  constructor(bounds: Bounds = BOUNDS) {
    this.exchanges = new Differential(START_MS, bounds);
    for (const [code, scale] of Object.entries(ASSETS)) this.exchanges.openAsset(code, scale);
    for (const name of TRADERS)
      this.traders.push(this.exchanges.openAccount(name, OWNERS[name], ROOTS[name]));
    for (const terms of MARKETS) this.exchanges.openMarket(terms);
    this.exchanges.openGroup({ type: 'create_event_group', title: 'The winner', ...GROUP });
    for (const accountId of this.traders) {
      for (const asset of Object.keys(ASSETS)) this.move({ rail: 'bank' }, { accountId }, asset, '60');
    }
  }

  act(intended: Intent): void {
    if (intended.kind === 'stampede') {
      if (intended.sure === 0) this.stampede(intended.order);
      return;
    }
    if (intended.kind === 'quote') {
      this.ask(intended);
      return;
    }
    const command = this.commandOf(intended);
    if (command !== null) this.exchanges.apply(command);
    if (intended.kind === 'wait') this.wait(intended);
  }

  /**
   * Closes and settles everything, and corrects it as often as the money allows: each time every pool is paid out, and
   * all profits and losses sum to zero.
   */
  finish(): void {
    for (const [index, { marketId, kind }] of MARKETS.entries()) {
      this.exchanges.apply({ type: 'set_market_status', marketId, status: 'closed', settlementValue: null });
      if (kind === 'spot' || isGrouped(marketId)) continue;
      const settlementValue = SETTLEMENT_VALUES[index % SETTLEMENT_VALUES.length]!;
      this.settleInParts(marketId, settlementValue);
      this.expectZeroSum(marketId);
      for (let time = 1; time <= CORRECTIONS_PER_MARKET; time++) {
        const corrected = SETTLEMENT_VALUES[(index + time) % SETTLEMENT_VALUES.length]!;
        const correct = { type: 'correct_settlement', marketId, settlementValue: corrected } as const;
        this.promiseAllMoney();
        this.exchanges.apply(correct);
        this.keepNoPromise();
        this.exchanges.apply(correct);
        this.expectZeroSum(marketId);
      }
    }
    this.settleGroupInParts();
    this.expectZeroSum(...GROUP.marketIds);
    for (const winningMarketId of GROUP.marketIds.toReversed()) {
      const correct = { type: 'correct_event_group', groupId: GROUP.groupId, winningMarketId } as const;
      this.promiseAllMoney();
      this.exchanges.apply(correct);
      this.keepNoPromise();
      this.exchanges.apply(correct);
      this.expectZeroSum(...GROUP.marketIds);
    }
    this.exchanges.endBatch();
  }

  private settleGroupInParts(): void {
    const { groupId, marketIds } = GROUP;
    const [winningMarketId] = marketIds;
    const holders = this.traders.slice(0, 2);
    this.exchanges.apply({ type: 'settle_event_group', groupId, winningMarketId, holders });
    for (const marketId of marketIds) {
      this.exchanges.apply({ type: 'continue_settlement', marketId, holders: this.traders });
      expectSettled(this.exchanges.state.markets.get(marketId)!.status);
    }
  }

  /** Two traders at a time, including those without positions. */
  private settleInParts(marketId: string, settlementValue: string): void {
    const parts = [0, 2, 4].map((start) => this.traders.slice(start, start + 2));
    const [holders, ...others] = parts;
    const settle = { type: 'set_market_status', marketId, status: 'settled', settlementValue } as const;
    this.exchanges.apply({ ...settle, holders: holders! });
    for (const rest of others) this.exchanges.apply({ type: 'continue_settlement', marketId, holders: rest });
    // A settlement begun earlier may have skipped accounts that come first in order.
    this.exchanges.apply({ type: 'continue_settlement', marketId, holders: this.traders });
    expectSettled(this.exchanges.state.markets.get(marketId)!.status);
  }

  /** Leaves every second trader a dollar or less, so that most corrections fail for lack of money. */
  private promiseAllMoney(): void {
    for (const accountId of this.traders.filter((_, index) => index % 2 === 0)) {
      const spare = this.exchanges.naive.available(accountId, 'USD') - UNITS_PER_ONE;
      if (spare <= 0n) continue;
      const owner = { ownerKind: 'transfer', ownerId: `promise ${accountId}` } as const;
      this.exchanges.apply({
        type: 'place_hold',
        ...owner,
        accountId,
        asset: 'USD',
        amount: formatAmount(spare),
      });
    }
  }

  private keepNoPromise(): void {
    for (const accountId of this.traders) {
      this.exchanges.apply({ type: 'release_hold', ownerKind: 'transfer', ownerId: `promise ${accountId}` });
    }
  }

  /** Of the markets together: what a trade of sets books in one of a group is made up for in the others. */
  private expectZeroSum(...marketIds: readonly string[]): void {
    const { accounts, markets } = this.exchanges.state;
    let realized = 0n;
    for (const account of accounts.values())
      for (const marketId of marketIds) realized += account.positionIn(markets.get(marketId)!).realizedPnl;
    if (realized !== 0n)
      throw new Error(`profits and losses of ${marketIds.join(', ')} add up to ${realized}`);
  }

  /** More stops of one kind than one command may run. */
  private stampede(order: Order): void {
    const stop = this.place({ ...order, type: 'stop', timeInForce: 'GTC', lots: 1 + (order.lots % 3) });
    for (let count = 0; count < STAMPEDE; count++) {
      if (!this.exchanges.apply(stop).ok) return;
    }
  }

  /** A quote taken at once must be filled as quoted, if the money is there and it has not expired. */
  private ask(intended: Quote): void {
    const { side, feeRates, stake, lots: sizeLots } = intended;
    const { marketId } = MARKETS[intended.market]!;
    const accountId = this.traders[intended.trader]!;
    const terms = { accountId, marketId, side, feeRates };
    const quoted = this.exchanges.quote(
      stake === null ? { ...terms, sizeLots } : { ...terms, stake: amountOf(stake) },
    );
    if ('code' in quoted) return;
    const command: AcceptQuote = {
      type: 'accept_quote',
      ...terms,
      quoteId: 'qte',
      sizeLots: quoted.sizeLots,
      notionalBound: formatAmount(quoted.notional),
      expiresAtMs: quoted.timeMs + intended.livesMs,
    };
    if (!intended.isTaken) {
      this.quotes.push(command);
      return;
    }
    const outcome = this.exchanges.apply(command);
    if (!outcome.ok) {
      if (outcome.refusal.code === 'quote_stale') throw new Error('a fresh quote is stale');
    } else if (outcome.result.type === 'order') {
      const { filledNotional, fees } = outcome.result.order;
      if (filledNotional !== quoted.notional || fees !== quoted.fee)
        throw new Error(`quoted ${quoted.notional} and ${quoted.fee}, charged ${filledNotional} and ${fees}`);
    }
  }

  private wait({ elapsedMs, isLate }: Extract<Intent, { kind: 'wait' }>): void {
    this.exchanges.nextBatch(elapsedMs);
    if (!isLate) this.exchanges.apply({ type: 'advance_time' });
  }

  private move(
    debit: { rail: string } | { accountId: number },
    credit: typeof debit,
    asset: string,
    text: string,
  ): void {
    this.exchanges.apply(this.moveCommand(debit, credit, asset, text));
  }

  private moveCommand(
    debit: { rail: string } | { accountId: number },
    credit: typeof debit,
    asset: string,
    text: string,
  ): NaiveCommand {
    const reason = 'rail' in debit ? 'deposit' : 'rail' in credit ? 'withdrawal' : 'transfer';
    return { type: 'move_money', debit, credit, asset, amount: text, reason, reference: 'test' };
  }

  private commandOf(intended: Exclude<Intent, { kind: 'stampede' | 'quote' }>): NaiveCommand | null {
    const live = this.exchanges.liveSerials();
    const account = (index: number): number => this.traders[index]!;
    const marketId = (index: number): string => MARKETS[index]!.marketId;
    switch (intended.kind) {
      case 'order':
        return this.place(intended);
      case 'bet':
        return this.accept(intended);
      case 'take':
        return this.quotes.splice(intended.pick % Math.max(1, this.quotes.length), 1)[0] ?? null;
      case 'cancel': {
        const serial = live[intended.pick % live.length];
        if (serial === undefined) return null;
        const owner = this.exchanges.accountOfOrder(serial);
        const stranger = this.traders.find((one) => one !== owner)!;
        return { type: 'cancel_order', accountId: intended.asStranger ? stranger : owner, orderId: serial };
      }
      case 'replace': {
        const serial = live[intended.pick % live.length];
        if (serial === undefined) return null;
        const { type: _, ...terms } = this.place({ ...intended.by, quoteSize: null });
        const { definition } = this.exchanges.order(serial).market;
        return {
          ...terms,
          type: 'replace_order',
          accountId: this.exchanges.accountOfOrder(serial),
          replacedOrderId: serial,
          ...(intended.countsFilled && { countsFilled: true }),
          ...(!intended.strays && { marketId: definition.marketId }),
        };
      }
      case 'list':
        return this.placeList(intended);
      case 'cancel list': {
        const lists = this.exchanges.naive.orders.filter(({ list }) => list !== null);
        const one = lists[intended.pick % Math.max(1, lists.length)];
        if (one === undefined) return null;
        return { type: 'cancel_order_list', accountId: one.account, listId: one.list! };
      }
      case 'mass quote':
        return this.massQuote(intended);
      case 'amend': {
        const serial = live[intended.pick % live.length];
        if (serial === undefined) return null;
        const accountId = this.exchanges.accountOfOrder(serial);
        return {
          type: 'amend_order',
          accountId,
          orderId: serial,
          priceTicks: intended.ticks,
          sizeLots: intended.lots,
        };
      }
      case 'cancel all': {
        const accountId = account(intended.trader);
        return {
          type: 'cancel_all_orders',
          accountId,
          marketId: intended.market === null ? null : marketId(intended.market),
        };
      }
      case 'status':
        // A closed market never reopens, so most closings are skipped.
        if (intended.status === 'closed' && intended.sure > 0) return null;
        return {
          type: 'set_market_status',
          marketId: marketId(intended.market),
          status: intended.status,
          settlementValue: null,
        };
      case 'settle':
        return {
          type: 'set_market_status',
          marketId: marketId(intended.market),
          status: 'settled',
          settlementValue: intended.value === '' ? null : intended.value,
          ...(intended.first.length > 0 && { holders: intended.first.map(account) }),
        };
      case 'split':
      case 'merge':
        return {
          type: intended.kind === 'split' ? 'split_event_group' : 'merge_event_group',
          groupId: GROUP.groupId,
          accountId: account(intended.trader),
          sizeLots: intended.lots,
        };
      case 'settle group':
        return {
          type: 'settle_event_group',
          groupId: GROUP.groupId,
          winningMarketId: GROUP.marketIds[intended.winner] ?? 'RAIN',
          ...(intended.first.length > 0 && { holders: intended.first.map(account) }),
        };
      case 'correct group':
        return {
          type: 'correct_event_group',
          groupId: GROUP.groupId,
          winningMarketId: GROUP.marketIds[intended.winner] ?? 'RAIN',
        };
      case 'pay holders':
        return {
          type: 'continue_settlement',
          marketId: marketId(intended.market),
          holders: intended.holders.map(account),
        };
      case 'correct':
        return {
          type: 'correct_settlement',
          marketId: marketId(intended.market),
          settlementValue: intended.value,
        };
      case 'wait':
        return null;
      case 'deposit':
        return this.moveCommand(
          { rail: 'bank' },
          { accountId: account(intended.trader) },
          intended.asset,
          intended.amount,
        );
      case 'withdraw':
        return this.moveCommand(
          { accountId: account(intended.trader) },
          { rail: 'chain' },
          intended.asset,
          intended.amount,
        );
      case 'give':
        return this.moveCommand(
          { accountId: account(intended.trader) },
          { accountId: account(intended.to) },
          'USD',
          intended.amount,
        );
      case 'hold':
        return {
          type: 'place_hold',
          ownerKind: 'payout',
          ownerId: String(intended.owner),
          accountId: account(intended.trader),
          asset: 'USD',
          amount: intended.amount,
        };
      case 'release':
        return { type: 'release_hold', ownerKind: 'payout', ownerId: String(intended.owner) };
      case 'pay':
        return {
          type: 'pay_from_hold',
          ownerKind: 'payout',
          ownerId: String(intended.owner),
          credit: intended.to === null ? { rail: 'bank' } : { accountId: account(intended.to) },
          amount: intended.amount,
          reason: 'payout',
        };
      case 'know':
        return { type: 'set_kyc_level', accountId: account(intended.trader), level: intended.level };
      case 'freeze':
        return {
          type: 'set_account_frozen',
          accountId: account(intended.trader),
          frozen: intended.frozen,
        };
      case 'limits':
        return {
          type: 'configure_limits',
          openOrdersMax: intended.orders,
          openStopsMax: intended.stops,
          ...(intended.orders % 2 === 0 && {
            ownerOpenOrdersMax: intended.orders + 2,
            ownerOpenStopsMax: intended.stops + 1,
          }),
        };
      case 'run triggers':
        return { type: 'run_triggers', marketId: marketId(intended.market) };
    }
  }

  private accept(intended: Bet): NaiveCommand {
    const { marketId } = MARKETS[intended.market]!;
    const { definition } = this.exchanges.state.markets.get(marketId)!;
    const bound = unitsOf(definition).notional(ticksFor(intended.side, intended.ticks), intended.lots);
    return {
      type: 'accept_quote',
      accountId: this.traders[intended.trader]!,
      quoteId: 'qte',
      marketId,
      side: intended.side,
      sizeLots: intended.lots,
      notionalBound: formatAmount(bound),
      expiresAtMs: this.exchanges.naive.timeMs + intended.livesMs,
      feeRates: intended.feeRates,
    };
  }

  private massQuote(intended: Extract<Intent, { kind: 'mass quote' }>): MassQuote {
    const { ticks, width, lots: sizeLots, protection, feeRates } = intended;
    const at = (priceTicks: number) => (width === 0 ? null : { priceTicks, sizeLots, feeRates });
    return {
      type: 'mass_quote',
      accountId: this.traders[intended.trader]!,
      quotes: intended.markets.map((index) => ({
        marketId: MARKETS[index]!.marketId,
        bid: at(ticks - width),
        ask: at(ticks + width),
      })),
      ...(protection !== undefined && { protection }),
    };
  }

  private placeList({ exit, entry, stopHasLimit }: Extract<Intent, { kind: 'list' }>): PlaceOrderList {
    const wanted = this.place({ ...exit, type: 'limit', timeInForce: 'GTC', displayLots: null });
    const { type: _, accountId, marketId, clientOrderId: __, ...limit } = wanted;
    const isEvent = MARKETS[exit.market]!.kind === 'event';
    const stop = {
      ...limit,
      orderType: stopHasLimit && !isEvent ? ('stop_limit' as const) : ('stop' as const),
      priceTicks: stopHasLimit && !isEvent ? ticksFor(limit.side, exit.ticks + 1) : null,
      stopPriceTicks: ticksFor(limit.side, exit.stopTicks),
      postOnly: false,
    };
    const list = { type: 'place_order_list' as const, accountId, marketId, clientListId: null };
    if (entry === null) return { ...list, entry, exits: [limit, stop] };
    const side = limit.side === 'buy' ? 'sell' : 'buy';
    const opening = this.place({
      ...entry,
      side,
      market: exit.market,
      quoteSize: null,
      displayLots: null,
    });
    const { type: _t, accountId: _a, marketId: _m, clientOrderId: _c, ...terms } = opening;
    const { sizeLots } = terms;
    return {
      ...list,
      entry: terms,
      exits: [
        { ...limit, sizeLots },
        { ...stop, sizeLots },
      ],
    };
  }

  private place(intended: Order): PlaceOrder {
    const { type, timeInForce } = intended;
    const hasPrice = type === 'limit' || type === 'stop_limit';
    const isStop = type === 'stop' || type === 'stop_limit';
    const timed = hasPrice || timeInForce !== 'GTD' ? timeInForce : 'GTC';
    const ticksOf = (ticks: number): number => ticksFor(intended.side, ticks);
    const mayRest = hasPrice && (timed === 'GTC' || timed === 'GTD');
    return {
      type: 'place_order',
      accountId: this.traders[intended.trader]!,
      marketId: MARKETS[intended.market]!.marketId,
      side: intended.side,
      orderType: type,
      timeInForce: timed,
      priceTicks: hasPrice ? ticksOf(intended.ticks) : null,
      stopPriceTicks: isStop ? ticksOf(intended.stopTicks) : null,
      ...(isStop && intended.stopTrigger !== null && { stopTrigger: intended.stopTrigger }),
      ...(type === 'trailing_stop' &&
        (intended.trailingTicks === null
          ? { trailingBps: intended.trailingBps }
          : { trailingTicks: intended.trailingTicks })),
      sizeLots: intended.lots,
      ...(type === 'market' &&
        intended.quoteSize !== null && {
          quoteSize: intended.quoteSize,
          sizeLots: this.exchanges.state.markets.get(MARKETS[intended.market]!.marketId)!.definition
            .maxSizeLots,
        }),
      ...(type === 'limit' &&
        mayRest &&
        intended.displayLots !== null && { displayLots: intended.displayLots }),
      expiresAtMs: timed === 'GTD' ? this.exchanges.naive.timeMs + intended.livesMs : null,
      postOnly: intended.postOnly && mayRest,
      reduceOnly: intended.reduceOnly,
      selfTradePrevention: intended.selfTrade,
      clientOrderId: null,
      feeRates: intended.feeRates,
    };
  }
}

function isGrouped(marketId: string): boolean {
  return GROUP.marketIds.some((grouped) => grouped === marketId);
}

function expectSettled(status: string): void {
  if (status !== 'settled') throw new Error(`everybody was paid, and the market is ${status}`);
}

/** A seller's prices are a buyer's, mirrored at 50. */
function ticksFor(side: PlaceOrder['side'], ticks: number): number {
  return side === 'buy' ? ticks : Math.max(0, 100 - ticks);
}

/** True once in this many cases. */
function chance(oneIn: number): fc.Arbitrary<boolean> {
  return fc.nat(oneIn - 1).map((draw) => draw === 0);
}
