/**
 * A trader's notebook: worked examples in plain words, one line each for what somebody does or for
 * what must then be true. Every line runs through the engine and through the naive exchange, and the
 * whole state is audited after it, so each example is checked three times over.
 *
 * ```
 * bob sells 2 @ 101 as b1                  an order, and a name for it
 * ann buys 3 @ 102 => partially_filled, fills 2 @ 101, left 1
 * b1 is filled, fees 0.4
 * book: 102 x 1 | -                        bids best first, then asks
 * ann accepts 2 to buy for 204 => filled   a quote: for that total at most, a sale for at least that
 * ann is quoted 2 to buy => notional 204, fee 0.4, worst 102        or `stake 204`, and `size 2`
 * ann has 696 USD, 102 held                what is available, and what is held besides
 * ```
 *
 * Orders: `@ PRICE` or `at market`, `stop PRICE`, `trails DISTANCE` (a price or a percentage), then any of IOC, FOK,
 * `GTD SECONDS`, by-mark, post-only, reduce-only, a self-trade mode, `in MARKET`, `rates MAKER/TAKER`, `as NAME`.
 */
import { expect, it } from 'vitest';
import { type Bounds, BOUNDS } from '../../../src/domain/engine/bounds.js';
import type {
  ConfigureLimits,
  CreateMarket,
  Outcome,
  PlaceOrder,
} from '../../../src/domain/engine/commands.js';
import type { Market, Order } from '../../../src/domain/engine/state.js';
import type { Trade } from '../../../src/domain/engine/types.js';
import { amountOf, formatAmount, parseAmount } from '../../../src/domain/money/amount.js';
import { Differential } from './differential.js';
import type { NaiveCommand } from './naive-exchange.js';

const NOW_MS = Date.UTC(2026, 10, 1, 12);
const SCALES: Record<string, number> = { USD: 2, BTC: 8 };
const TRADERS = ['ann', 'bob', 'cat', 'dan'];
/** An account that holds and moves money and never trades. */
const WALLET = 'vault';

/** What every trader starts with, in whole units. */
export type Purse = Readonly<Record<string, string>>;
const PURSE: Purse = { USD: '1000', BTC: '10' };

const NO_LIMITS = { openOrdersMax: 1_000_000, openStopsMax: 1_000_000 };

export interface Setting {
  readonly market: CreateMarket;
  readonly others?: readonly CreateMarket[];
  readonly purse?: Purse;
  /** Practically unlimited orders and stops by default. */
  readonly limits?: Omit<ConfigureLimits, 'type'>;
  readonly bounds?: Partial<Bounds>;
}

/** A test whose title says what the example shows; the template holds the example. */
export function page(
  title: string,
  setting: Setting,
): (lines: TemplateStringsArray, ...more: string[]) => void {
  return (lines, ...more) => {
    it(title, () => {
      write(String.raw(lines, ...more), setting);
    });
  };
}

function write(lines: string, setting: Setting): void {
  const notebook = new Notebook(setting);
  for (const line of lines.split('\n')) {
    const text = line.replace(/--.*$/, '').trim().replaceAll(/ +/g, ' ');
    if (text !== '') notebook.write(text);
  }
  notebook.close();
}

class Notebook {
  private readonly exchanges: Differential;
  private readonly accounts = new Map<string, number>();
  private readonly serials = new Map<string, number>();
  private readonly marketId: string;
  private trades: readonly Trade[] = [];

  /** The forms of a line; the first match applies. */
  private readonly forms: readonly (readonly [RegExp, (...words: string[]) => void])[] = [
    [
      /^(\w+) (buys|sells) (\S+) (.+?)(?: => (.+))?$/,
      (...words) => this.place(...(words as [string, string, string, string, string?])),
    ],
    [
      /^(\w+) amends (\w+) to (?:(\S+) ?)??(?:@ (\S+))?(?: => (.+))?$/,
      (...words) => this.amend(...(words as [string, string, string?, string?, string?])),
    ],
    [
      /^(\w+) accepts (\S+) to (buy|sell) for (\S+)( too late)?(?: in (\S+))?(?: => (.+))?$/,
      (...words) =>
        this.accept(...(words as [string, string, 'buy' | 'sell', string, string?, string?, string?])),
    ],
    [
      /^(\w+) is quoted (stake )?(\S+) to (buy|sell)(?: in (\S+))? => (.+)$/,
      (...words) =>
        this.quote(
          ...(words as [string, string | undefined, string, 'buy' | 'sell', string | undefined, string]),
        ),
    ],
    [/^(\w+) cancels all(?: in (\S+))?$/, (who, where) => this.cancelAll(who, where)],
    [/^(\w+) cancels (\w+)(?: => (.+))?$/, (who, name, then) => this.cancel(who, name, then)],
    [
      /^(\w+) (deposits|withdraws) (\S+) (\w+)(?: => (.+))?$/,
      (who, verb, amount, asset, then) => this.moveOverRail(who, verb, amount, asset, then),
    ],
    [
      /^(\w+) gives (\w+) (\S+) (\w+)(?: => (.+))?$/,
      (who, to, amount, asset, then) => this.give(who, to, amount, asset, then),
    ],
    [
      /^(payout|transfer) (\w+) holds (\S+) (\w+) of (\w+)(?: => (.+))?$/,
      (kind, id, amount, asset, who, then) => this.hold(kind, id, amount, asset, who, then),
    ],
    [/^(payout|transfer) (\w+) is released(?: => (.+))?$/, (kind, id, then) => this.release(kind, id, then)],
    [
      /^(payout|transfer) (\w+) is paid to (\w+)(?: => (.+))?$/,
      (kind, id, to, then) => this.payOut(kind, id, to, then),
    ],
    [
      /^(\w+) gets KYC level (\S+)(?: => (.+))?$/,
      (who, level, then) => this.setKycLevel(who, Number(level), then),
    ],
    [
      /^(\w+) is (frozen|unfrozen)(?: => (.+))?$/,
      (who, how, then) => this.setFrozen(who, how === 'frozen', then),
    ],
    [/^(\w+) has KYC level (\d)$/, (who, level) => this.expectKycLevel(who, Number(level))],
    [
      /^(payout|transfer) (\w+) pays (\S+) \w+ to (\w+)(?: => (.+))?$/,
      (kind, id, amount, to, then) => this.payOut(kind, id, to, then, amount),
    ],
    [
      /^(?:(\S+) )?(opens|halts|closes|settles)(?: at (\S+))?(?: => (.+))?$/,
      (where, verb, value, then) => this.setStatus(where, verb, value, then),
    ],
    [
      /^(?:(\S+) )?settlement is corrected to (\S+)(?: => (.+))?$/,
      (where, value, then) => this.correct(where, value, then),
    ],
    [/^(\d+) s pass$/, (seconds) => this.pass(Number(seconds))],
    [/^(\d+) s pass unnoticed$/, (seconds) => this.exchanges.nextBatch(1_000 * Number(seconds))],
    [/^waiting stops run$/, () => this.obey({ type: 'run_triggers', marketId: this.marketId })],
    [/^(\d+) more stops wait$/, (count) => this.expectWaitingStops(Number(count))],
    [/^book(?: of (\S+))?: (.+) \| (.+)$/, (where, bids, asks) => this.expectBook(where, bids, asks)],
    [/^queue at (\S+): (.+)$/, (price, names) => this.expectQueue(price, names)],
    [/^trades: (.+)$/, (text) => this.expectTrades(text)],
    [/^last price is (\S+)$/, (price) => this.expectLastPrice(price)],
    [/^open interest is (\S+)$/, (size) => this.expectOpenInterest(size)],
    [/^market(?: (\S+))? is (\w+)$/, (where, status) => expect(this.market(where).status).toBe(status)],
    [
      /^(\w+) is (?:(long|short) (\S+)|flat)(?:, cost (\S+))?(?:, pnl (\S+))?$/,
      (who, way, size, cost, pnl) => this.expectPosition(who, way, size, cost, pnl),
    ],
    [/^(\w+) has (.+)$/, (who, text) => this.expectMoney(who, text)],
    [/^(\w+) is (.+)$/, (name, then) => this.expectOrder(this.order(name), then)],
  ];

  constructor({ market, others = [], purse = PURSE, limits = NO_LIMITS, bounds }: Setting) {
    this.exchanges = new Differential(NOW_MS, { ...BOUNDS, ...bounds });
    this.exchanges.apply({ type: 'configure_limits', ...limits });
    this.marketId = market.marketId;
    for (const [code, scale] of Object.entries(SCALES)) this.exchanges.openAsset(code, scale);
    for (const name of TRADERS) this.accounts.set(name, this.exchanges.openAccount(name));
    this.accounts.set(WALLET, this.exchanges.openWallet(WALLET));
    for (const terms of [market, ...others]) this.exchanges.openMarket(terms);
    for (const accountId of this.accounts.values()) {
      for (const [asset, amount] of Object.entries(purse)) {
        this.exchanges.apply(moveCommand({ rail: 'bank' }, { accountId }, asset, amount));
      }
    }
    this.exchanges.nextBatch(0);
  }

  write(line: string): void {
    for (const [form, act] of this.forms) {
      const words = form.exec(line);
      if (words === null) continue;
      try {
        act(...words.slice(1));
      } catch (error) {
        (error as Error).message = `"${line}": ${(error as Error).message}`;
        throw error;
      }
      return;
    }
    throw new Error(`the notebook cannot read "${line}"`);
  }

  close(): void {
    this.exchanges.endBatch();
  }

  // ---- what somebody does ----

  private place(who: string, verb: string, size: string, terms: string, then?: string): void {
    const wish: { -readonly [K in keyof PlaceOrder]: PlaceOrder[K] } = {
      type: 'place_order',
      accountId: this.account(who),
      marketId: this.marketId,
      side: verb === 'buys' ? 'buy' : 'sell',
      orderType: 'market',
      timeInForce: 'GTC',
      priceTicks: null,
      stopPriceTicks: null,
      sizeLots: 0,
      expiresAtMs: null,
      postOnly: false,
      reduceOnly: false,
      selfTradePrevention: 'cancel_newest',
      clientOrderId: null,
      feeRates: null,
    };
    let name: string | null = null;
    let price: string | null = null;
    let stop: string | null = null;
    let trails: string | null = null;
    const words = terms.split(/ +/).values();
    const next = (): string => words.next().value ?? '';
    for (let word = next(); word !== ''; word = next()) {
      if (word === 'at') next();
      else if (word === '@') price = next();
      else if (word === 'stop') stop = next();
      else if (word === 'trails') trails = next();
      else if (word === 'by-mark') wish.stopTrigger = 'mark';
      else if (word === 'in') wish.marketId = next();
      else if (word === 'as') name = next();
      else if (word === 'post-only') wish.postOnly = true;
      else if (word === 'reduce-only') wish.reduceOnly = true;
      else if (word === 'IOC' || word === 'FOK') wish.timeInForce = word;
      else if (word === 'cancel_oldest' || word === 'cancel_both' || word === 'decrement')
        wish.selfTradePrevention = word;
      else if (word === 'GTD') {
        wish.timeInForce = 'GTD';
        wish.expiresAtMs = this.exchanges.naive.timeMs + 1_000 * Number(next());
      } else if (word === 'rates') {
        const [maker, taker] = next().split('/');
        wish.feeRates = { maker: maker!, taker: taker! };
      } else throw new Error(`no order has "${word}"`);
    }
    if (price !== null && stop !== null) wish.orderType = 'stop_limit';
    else if (stop !== null) wish.orderType = 'stop';
    else if (trails !== null) wish.orderType = 'trailing_stop';
    else if (price !== null) wish.orderType = 'limit';
    if (trails?.endsWith('%') === true) wish.trailingBps = Math.round(Number.parseFloat(trails) * 100);
    else if (trails !== null) wish.trailingTicks = this.ticks(trails, wish.marketId);
    wish.priceTicks = price === null ? null : this.ticks(price, wish.marketId);
    wish.stopPriceTicks = stop === null ? null : this.ticks(stop, wish.marketId);
    wish.sizeLots = this.lots(size, wish.marketId);
    const outcome = this.obey(wish, then);
    if (name !== null) {
      if (!outcome.ok) throw new Error(`refused: ${outcome.refusal.code}`);
      this.serials.set(name, this.exchanges.naive.lastSerial);
    }
  }

  private amend(who: string, name: string, size?: string, price?: string, then?: string): void {
    const orderId = this.serial(name);
    const marketId = this.order(name).market.definition.marketId;
    const priceTicks = price === undefined ? null : this.ticks(price, marketId);
    const sizeLots = size === undefined ? null : this.lots(size, marketId);
    this.obey({ type: 'amend_order', accountId: this.account(who), orderId, priceTicks, sizeLots }, then);
  }

  private accept(
    who: string,
    size: string,
    side: 'buy' | 'sell',
    bound: string,
    late?: string,
    where?: string,
    then?: string,
  ): void {
    const marketId = where ?? this.marketId;
    this.obey(
      {
        type: 'accept_quote',
        accountId: this.account(who),
        quoteId: 'qte',
        marketId,
        side,
        sizeLots: this.lots(size, marketId),
        notionalBound: bound,
        expiresAtMs: this.exchanges.naive.timeMs + (late === undefined ? 1 : 0),
        feeRates: null,
      },
      then,
    );
  }

  private quote(
    who: string,
    isStake: string | undefined,
    figure: string,
    side: 'buy' | 'sell',
    where: string | undefined,
    then: string,
  ): void {
    const marketId = where ?? this.marketId;
    const terms = { accountId: this.account(who), marketId, side, feeRates: null };
    const quoted = this.exchanges.quote(
      isStake === undefined
        ? { ...terms, sizeLots: this.lots(figure, marketId) }
        : { ...terms, stake: amountOf(figure) },
    );
    if ('code' in quoted) {
      expect(`refused ${quoted.code}`).toBe(then);
      return;
    }
    const { price, size } = textOf(this.market(marketId));
    const told: Record<string, string> = {
      size: size(quoted.sizeLots),
      notional: formatAmount(quoted.notional),
      fee: formatAmount(quoted.fee),
      worst: price(quoted.limitPriceTicks),
    };
    for (const claim of then.split(', ')) {
      const [word, value] = claim.split(' ');
      expect(told[word!], claim).toBe(value);
    }
  }

  private cancel(who: string, name: string, then?: string): void {
    this.obey({ type: 'cancel_order', accountId: this.account(who), orderId: this.serial(name) }, then);
  }

  private cancelAll(who: string, where?: string): void {
    this.obey({ type: 'cancel_all_orders', accountId: this.account(who), marketId: where ?? null });
  }

  private moveOverRail(who: string, verb: string, amount: string, asset: string, then?: string): void {
    const [debit, credit] = [{ rail: 'bank' }, { accountId: this.account(who) }];
    this.obey(
      verb === 'deposits'
        ? moveCommand(debit, credit, asset, amount)
        : moveCommand(credit, debit, asset, amount),
      then,
    );
  }

  private give(who: string, to: string, amount: string, asset: string, then?: string): void {
    const debit = { accountId: this.account(who) };
    this.obey(moveCommand(debit, { accountId: this.account(to) }, asset, amount), then);
  }

  private hold(
    kind: string,
    ownerId: string,
    amount: string,
    asset: string,
    who: string,
    then?: string,
  ): void {
    const accountId = this.account(who);
    this.obey({ type: 'place_hold', ownerKind: kindOf(kind), ownerId, accountId, asset, amount }, then);
  }

  private release(kind: string, ownerId: string, then?: string): void {
    this.obey({ type: 'release_hold', ownerKind: kindOf(kind), ownerId }, then);
  }

  private setKycLevel(who: string, level: number, then?: string): void {
    this.obey({ type: 'set_kyc_level', accountId: this.account(who), level }, then);
  }

  private setFrozen(who: string, frozen: boolean, then?: string): void {
    this.obey({ type: 'set_account_frozen', accountId: this.account(who), frozen }, then);
  }

  private payOut(
    kind: string,
    ownerId: string,
    to: string,
    then?: string,
    amount: string | null = null,
  ): void {
    const credit = to === 'bank' ? { rail: to } : { accountId: this.account(to) };
    this.obey(
      { type: 'pay_from_hold', ownerKind: kindOf(kind), ownerId, credit, amount, reason: kindOf(kind) },
      then,
    );
  }

  private setStatus(where: string | undefined, verb: string, value?: string, then?: string): void {
    const status = ({ opens: 'open', halts: 'halted', closes: 'closed', settles: 'settled' } as const)[verb]!;
    const marketId = where === undefined || where === 'market' ? this.marketId : where;
    this.obey({ type: 'set_market_status', marketId, status, settlementValue: value ?? null }, then);
  }

  private correct(where: string | undefined, settlementValue: string, then?: string): void {
    const marketId = where ?? this.marketId;
    this.obey({ type: 'correct_settlement', marketId, settlementValue }, then);
  }

  private pass(seconds: number): void {
    this.exchanges.nextBatch(1_000 * seconds);
    this.obey({ type: 'advance_time' });
  }

  private obey(command: NaiveCommand, then?: string): Outcome {
    const tradesBefore = this.exchanges.tradesInBatch.length;
    const outcome = this.exchanges.apply(command);
    this.trades = this.exchanges.tradesInBatch.slice(tradesBefore);
    if (then?.startsWith('refused ') === true) {
      expect(outcome.ok ? 'accepted' : outcome.refusal.code).toBe(then.slice('refused '.length));
      return outcome;
    }
    if (!outcome.ok) throw new Error(`refused: ${outcome.refusal.code}`);
    if (then !== undefined) {
      if (outcome.result.type !== 'order') throw new Error(`answered ${outcome.result.type}`);
      const { orderId } = outcome.result.order;
      this.expectOrder(this.exchanges.orderById(orderId), then, outcome.result.fills);
    }
    return outcome;
  }

  // ---- what must then be true ----

  /** `STATUS [REASON]`, `left`, `filled`, `fees`, `holds`, and `fills SIZE @ PRICE + …` of this command. */
  private expectOrder(order: Order, text: string, fills: readonly Trade[] = []): void {
    const { price, size } = textOf(order.market);
    for (const claim of text.split(', ')) {
      const [word, ...rest] = claim.split(' ');
      const figure = rest.join(' ');
      if (word === 'left') expect(size(order.remainingLots), claim).toBe(figure);
      else if (word === 'filled' && figure !== '') expect(size(order.filledLots), claim).toBe(figure);
      else if (word === 'fees') expect(formatAmount(order.fees), claim).toBe(figure);
      else if (word === 'holds') expect(formatAmount(order.held), claim).toBe(figure);
      else if (word === 'fills') {
        const told = fills.map((trade) => `${size(trade.sizeLots)} @ ${price(trade.priceTicks)}`);
        expect(told.join(' + ') || 'nothing', claim).toBe(figure);
      } else expect([order.status, order.statusReason ?? ''].join(' ').trim(), claim).toBe(claim);
    }
  }

  private expectBook(where: string | undefined, bids: string, asks: string): void {
    const market = this.market(where);
    const { price, size } = textOf(market);
    const sideText = (side: 'buy' | 'sell'): string =>
      market.book
        .sideOf(side)
        .levels.toReversed()
        .map((level) => `${price(level.priceTicks)} x ${size(level.totalLots)}`)
        .join(', ') || '-';
    expect(`${sideText('buy')} | ${sideText('sell')}`).toBe(`${bids} | ${asks}`);
  }

  private expectQueue(at: string, names: string): void {
    const { book } = this.market();
    const ticks = this.ticks(at, this.marketId);
    const level = book.bids.levelAt(ticks) ?? book.asks.levelAt(ticks);
    const queue: number[] = [];
    for (let order = level?.head ?? null; order !== null; order = order.next) queue.push(order.orderId);
    expect(queue).toEqual(names.split(' ').map((name) => this.order(name).orderId));
  }

  /** All trades of the last command in their order. */
  private expectTrades(text: string): void {
    const { price, size } = textOf(this.market());
    const told = this.trades.map((trade) => `${size(trade.sizeLots)} @ ${price(trade.priceTicks)}`);
    expect(told.join(', ') || 'none').toBe(text);
  }

  private expectLastPrice(text: string): void {
    const { lastPriceTicks } = this.market();
    expect(lastPriceTicks === null ? 'none' : textOf(this.market()).price(lastPriceTicks)).toBe(text);
  }

  private expectOpenInterest(text: string): void {
    expect(textOf(this.market()).size(this.market().openInterestLots)).toBe(text);
  }

  private expectWaitingStops(count: number): void {
    expect(this.market().stops.triggeredCount).toBe(count);
  }

  private expectPosition(who: string, way?: string, size?: string, cost?: string, pnl?: string): void {
    const position = this.exchanges.state.accounts.get(this.account(who))!.positionIn(this.market());
    const lots = way === undefined ? 0 : this.lots(size!, this.marketId);
    expect(position.sizeLots, 'size').toBe(way === 'short' ? -lots : lots);
    if (cost !== undefined) expect(formatAmount(position.costBasis), 'cost').toBe(cost);
    if (pnl !== undefined) expect(formatAmount(position.realizedPnl), 'pnl').toBe(pnl);
  }

  /** `ann has 10 USD, 5 held`, `pool has 3 USD`, `fees has 0.1 USD`; nothing held by default. */
  private expectMoney(who: string, text: string): void {
    const words = /^(-?\S+) (\w+)(?:, (\S+) held)?$/.exec(text);
    if (words === null) throw new Error('no amount of an asset');
    const [, available, asset, held] = words;
    const balance = this.exchanges.state.accounts.get(this.account(who))?.balances.get(asset!);
    const seen = `${formatAmount(balance?.available ?? 0n)} ${asset!}, ${formatAmount(balance?.held ?? 0n)} held`;
    expect(seen).toBe(`${available!} ${asset!}, ${held ?? '0'} held`);
  }

  // ---- names and figures ----

  private expectKycLevel(who: string, level: number): void {
    expect(this.exchanges.state.accounts.get(this.account(who))!.kycLevel, `KYC level of ${who}`).toBe(level);
  }

  private account(who: string): number {
    if (who === 'pool') return this.market().poolAccountId!;
    if (who === 'fees') return this.exchanges.state.systemAccounts.get('fees:fees')?.accountId ?? 0;
    if (who === 'nobody') return 999_999;
    const accountId = this.accounts.get(who);
    if (accountId === undefined) throw new Error(`nobody is called ${who}`);
    return accountId;
  }

  private serial(name: string): number {
    const serial = this.serials.get(name);
    if (serial === undefined) throw new Error(`no order is called ${name}`);
    return serial;
  }

  private order(name: string): Order {
    return this.exchanges.order(this.serial(name));
  }

  private market(marketId = this.marketId): Market {
    return this.exchanges.state.markets.get(marketId)!;
  }

  private ticks(text: string, marketId: string): number {
    return steps(text, this.exchanges.state.markets.get(marketId)?.definition.tickSize ?? 1n);
  }

  private lots(text: string, marketId: string): number {
    return steps(text, this.exchanges.state.markets.get(marketId)?.definition.lotSize ?? 1n);
  }
}

function kindOf(word: string): 'payout' | 'transfer' {
  return word === 'payout' ? 'payout' : 'transfer';
}

type Place = { readonly rail: string } | { readonly accountId: number };

function moveCommand(debit: Place, credit: Place, asset: string, amount: string): NaiveCommand {
  const reason = 'rail' in debit ? 'deposit' : 'rail' in credit ? 'withdrawal' : 'transfer';
  return { type: 'move_money', debit, credit, asset, amount, reason, reference: 'notebook' };
}

function steps(text: string, step: bigint): number {
  const units = parseAmount(text);
  if (units === undefined || units % step !== 0n)
    throw new Error(`${text} is no multiple of ${formatAmount(step)}`);
  return Number(units / step);
}

function textOf({ definition }: Market) {
  return {
    price: (ticks: number): string => formatAmount(BigInt(ticks) * definition.tickSize),
    size: (lots: number): string => formatAmount(BigInt(lots) * definition.lotSize),
  };
}
