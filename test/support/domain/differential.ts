/**
 * Runs the same commands through the engine and the naive exchange and compares all visible results after each:
 * outcome, fills, orders, books, balances, positions, markets. It also audits the invariants: money is conserved, holds
 * add up, pools equal open interest, stored and computed hashes agree, sequences have no gaps, and a client that builds
 * the book from the deltas alone gets the same book.
 */
import { expect } from 'vitest';
import { type Bounds, BOUNDS } from '../../../src/domain/engine/bounds.js';
import type { Changes } from '../../../src/domain/engine/changes.js';
import type {
  CancelOrder,
  Command,
  CommandResult,
  CorrectEventGroup,
  CorrectSettlement,
  CreateEventGroup,
  CreateMarket,
  Outcome,
  Refusal,
  ReplaceOrder,
  SettleEventGroup,
} from '../../../src/domain/engine/commands.js';
import { Engine } from '../../../src/domain/engine/engine.js';
import type {
  CancelPreview,
  OrderListPreview,
  OrderPreview,
  PreviewableCommand,
  ReplacementPreview,
  GroupSettlementPreview,
  SettlementPreview,
  SettleMarket,
} from '../../../src/domain/engine/preview.js';
import type { QuotePrice, QuoteRequest } from '../../../src/domain/engine/quotes.js';
import { StateHash } from '../../../src/domain/engine/state-hash.js';
import { EngineState, type Market, type Order } from '../../../src/domain/engine/state.js';
import type { OrderSnapshot, SetLeg, Side, Trade } from '../../../src/domain/engine/types.js';
import { type Amount, amountOf } from '../../../src/domain/money/amount.js';
import { auditState } from './audit.js';
import {
  type NaiveCommand,
  NaiveExchange,
  type NaiveFill,
  type NaiveLeg,
  type NaiveMarket,
  type NaiveNetting,
  type NaiveOrder,
  remaining,
  shown,
} from './naive-exchange.js';

export interface JournalEntry {
  readonly timeMs: number;
  readonly command: Command;
}

export class Differential {
  readonly engine: Engine;
  readonly naive: NaiveExchange;
  readonly hash = new StateHash();
  /** The applied commands, for replays. */
  readonly journal: JournalEntry[] = [];
  /** Engine order ids by naive serial, and back. */
  private readonly orderIds: number[] = [];
  private readonly orders: Order[] = [];
  private readonly serials = new Map<number, number>();
  /** Engine ids of the lists, by the naive number. */
  private readonly listIds: number[] = [];
  private readonly l2 = new Map<string, L2>();
  private changes: Changes;
  private booksSeen = 0;
  private lastIdSeen = 0;

  constructor(
    private timeMs: number,
    bounds: Bounds = BOUNDS,
  ) {
    this.engine = new Engine(new EngineState(), bounds);
    this.naive = new NaiveExchange(bounds);
    this.changes = this.engine.beginBatch(timeMs);
    this.naive.timeMs = timeMs;
  }

  get state(): EngineState {
    return this.engine.state;
  }

  openAsset(code: string, scale: number): void {
    this.demand({ type: 'create_asset', code, scale });
    this.naive.scales[code] = scale;
  }

  /** Of a user of this name, or of somebody else's, or whom somebody else has made. */
  openAccount(name: string, owner = `user:${name}`, root?: string): number {
    const outcome = this.demand({
      type: 'create_account',
      kind: 'trading',
      name,
      owner,
      ...(root !== undefined && { root }),
    });
    if (outcome.type !== 'account') throw new Error('no account');
    this.naive.accounts.push(outcome.accountId);
    this.naive.owners[outcome.accountId] = owner;
    this.naive.roots[outcome.accountId] = root ?? owner;
    return outcome.accountId;
  }

  openWallet(name: string): number {
    const outcome = this.demand({ type: 'create_account', kind: 'wallet', name, owner: `user:${name}` });
    if (outcome.type !== 'account') throw new Error('no account');
    this.naive.wallets.push(outcome.accountId);
    return outcome.accountId;
  }

  openMarket(terms: CreateMarket): void {
    this.demand(terms);
    const market = this.state.markets.get(terms.marketId)!;
    this.naive.markets.push({
      definition: market.definition,
      pool: market.poolAccountId ?? -2,
      status: market.status,
      lastPrice: null,
      traded: null,
      settlement: null,
    });
  }

  openGroup(terms: CreateEventGroup): void {
    this.demand(terms);
    const { poolAccountId } = this.state.groups.get(terms.groupId)!;
    this.naive.groups.push({ groupId: terms.groupId, markets: terms.marketIds, pool: poolAccountId });
  }

  /** The serials of live orders, oldest first; commands refer to orders by them. */
  liveSerials(): number[] {
    return this.naive.orders.map((order) => order.serial);
  }

  /** The engine's order, live or ended. */
  order(serial: number): Order {
    return this.orders[serial]!;
  }

  orderById(orderId: number): Order {
    return this.order(this.serials.get(orderId)!);
  }

  get tradesInBatch(): readonly Trade[] {
    return this.changes.trades;
  }

  accountOfOrder(serial: number): number {
    return this.naive.orders.find((order) => order.serial === serial)!.account;
  }

  /** Advances the time and starts a new batch. */
  nextBatch(elapsedMs: number): void {
    this.endBatch();
    this.timeMs += elapsedMs;
    this.naive.timeMs = this.timeMs;
    this.changes = this.engine.beginBatch(this.timeMs);
    this.booksSeen = 0;
  }

  endBatch(): void {
    this.engine.checkBatch();
    this.hash.update(this.changes);
    expect(this.hash.parts(), 'the state hash kept and the one computed').toEqual(
      StateHash.of(this.state).parts(),
    );
    for (const order of this.changes.orders) order.stored = true;
  }

  /** Applies a command to both; it refers to orders by the naive serial. */
  apply(command: NaiveCommand): Outcome {
    const sequenceBefore = this.state.sequence;
    const tradesBefore = this.changes.trades.length;
    const legsBefore = this.changes.setLegs.length;
    const booksBefore = this.bookSequences();
    const forEngine = this.forEngine(command);
    const comparePreview = isPreviewable(forEngine) ? this.preview(forEngine) : null;
    const expected = this.naive.apply(command);
    const outcome = this.run(forEngine);

    expect(outcome.ok ? null : outcome.refusal.code, describe(command)).toBe(expected);
    if (!outcome.ok) {
      expect(this.state.sequence, 'a refusal takes no sequence').toBe(sequenceBefore);
      expect(this.bookSequences(), 'a refusal leaves books alone').toEqual(booksBefore);
    } else if (PLACING.includes(command.type)) {
      this.remember(this.naive.lastSerial, outcome);
    }
    this.compareFills(this.changes.trades.slice(tradesBefore));
    this.compareLegs(this.changes.setLegs.slice(legsBefore));
    if (outcome.ok) this.compareResult(outcome.result, command);
    comparePreview?.(outcome);
    this.compareBooks();
    this.compareOrders();
    this.compareAccounts();
    this.comparePositions();
    this.compareMarkets();
    this.compareProtections();
    this.followDeltas(booksBefore);
    this.checkSequences(sequenceBefore);
    auditState(this.state);
    return outcome;
  }

  /** Prices a quote with both; a later command would reveal any side effect. */
  quote(request: QuoteRequest): QuotePrice | Refusal {
    const { sequence } = this.state;
    const seen = this.engine.priceQuote(request);
    const expected = this.naive.quote(request);
    expect(this.state.sequence, 'a quote takes no sequence').toBe(sequence);
    if ('code' in seen || typeof expected === 'string') {
      expect('code' in seen ? seen.code : seen, 'quote').toBe(expected);
      return seen;
    }
    const market = this.state.markets.get(request.marketId)!;
    const { worst, ...figures } = expected;
    expect(seen, 'quote').toEqual({
      ...figures,
      limitPriceTicks: Number(worst / market.definition.tickSize),
      bookSequence: market.bookSequence,
      sequence,
      timeMs: this.timeMs,
    });
    return seen;
  }

  private run(command: Command): Outcome {
    this.journal.push({ timeMs: this.timeMs, command });
    return this.engine.apply(command);
  }

  private demand(command: Command): CommandResult {
    const outcome = this.run(command);
    if (!outcome.ok) throw new Error(`${command.type}: ${outcome.refusal.code} ${outcome.refusal.message}`);
    return outcome.result;
  }

  private forEngine(command: NaiveCommand): Command {
    const idOf = (serial: number): number => this.orderIds[serial] ?? serial;
    if (command.type === 'replace_order')
      return { ...command, replacedOrderId: idOf(command.replacedOrderId) };
    if (command.type === 'cancel_order_list')
      return { ...command, listId: this.listIds[command.listId] ?? -1 };
    if (command.type !== 'amend_order' && command.type !== 'cancel_order') return command;
    return { ...command, orderId: idOf(command.orderId) };
  }

  private remember(lastSerial: number, outcome: Outcome): void {
    if (!outcome.ok) throw new Error('a refusal places nothing');
    const { result } = outcome;
    if (result.type === 'order') return this.rememberOrder(lastSerial, result.order.orderId);
    if (result.type === 'quoted') return this.rememberQuoted(result);
    if (result.type !== 'order_list') throw new Error('a placed order answers an order');
    this.listIds.push(result.listId);
    const { orders } = result;
    orders.forEach(({ orderId }, index) => {
      this.rememberOrder(lastSerial - orders.length + 1 + index, orderId);
    });
  }

  /** Those that were there before keep their orders; of the others, each was placed or refused. */
  private rememberQuoted({ quotes }: Extract<CommandResult, { type: 'quoted' }>): void {
    const { placed, quoted } = this.naive;
    const sides = quotes.flatMap(({ bid, ask }) => [bid, ask].filter((side) => side !== null));
    const asked = sides.filter(({ order }) => order === null || !this.serials.has(order.orderId));
    expect(
      asked.map(({ refusal }) => refusal?.code ?? null),
      'sides that were refused',
    ).toEqual(quoted);
    const orderIds = asked.flatMap(({ order }) => (order === null ? [] : [order.orderId]));
    expect(orderIds.length, 'quotes placed').toBe(placed.length);
    placed.forEach((serial, index) => {
      this.rememberOrder(serial, orderIds[index]!);
    });
  }

  private compareProtections(): void {
    for (const expected of this.naive.protections) {
      const seen = this.state.protections.get(expected.account)!;
      const { fills, windowMs, isTripped } = expected;
      expect([seen.fills, seen.windowMs, seen.trippedAtMs !== null]).toEqual([fills, windowMs, isTripped]);
      const counted = seen.fillTimesMs.filter((time) => time > this.timeMs - windowMs);
      expect(counted, 'fills that count').toEqual(this.naive.countedFills(expected));
    }
  }

  private rememberOrder(serial: number, orderId: number): void {
    this.orderIds[serial] = orderId;
    this.orders[serial] = this.changes.orders.find((order) => order.orderId === orderId)!;
    this.serials.set(orderId, serial);
  }

  private compareFills(trades: readonly Trade[]): void {
    expect(
      trades.map((trade): NaiveFill => {
        const { definition } = this.state.markets.get(trade.marketId)!;
        return {
          price: BigInt(trade.priceTicks) * definition.tickSize,
          size: BigInt(trade.sizeLots) * definition.lotSize,
          maker: this.serials.get(trade.makerOrderId)!,
          taker: this.serials.get(trade.takerOrderId)!,
          makerFee: trade.makerFee,
          takerFee: trade.takerFee,
        };
      }),
      'fills',
    ).toEqual(this.naive.fills);
  }

  private compareLegs(legs: readonly SetLeg[]): void {
    expect(
      legs.map(({ accountId, marketId, side, sizeLots, price }): NaiveLeg => {
        const { lotSize } = this.state.markets.get(marketId)!.definition;
        return { account: accountId, market: marketId, side, size: BigInt(sizeLots) * lotSize, price };
      }),
      'legs of sets',
    ).toEqual(this.naive.legs);
  }

  private compareResult(result: CommandResult, command: NaiveCommand): void {
    if (result.type === 'order') {
      const serial = this.serials.get(result.order.orderId)!;
      const mine = (fill: NaiveFill): boolean => fill.maker === serial || fill.taker === serial;
      expect(result.fills.length, 'fills in the answer').toBe(this.naive.fills.filter(mine).length);
    }
    if (result.type === 'orders_cancelled') {
      expect(result.orderIds.map((orderId) => this.serials.get(orderId))).toEqual(
        this.naive.ended.map((order) => order.serial),
      );
    }
    for (const ended of this.naive.ended) {
      const order = this.changes.orders.find(({ orderId }) => orderId === this.orderIds[ended.serial]);
      if (order === undefined)
        throw new Error(`${describe(command)}: order ${ended.serial} should have ended`);
      expect(seenInEngine(order), `order ${ended.serial} at its end`).toEqual(seenInNaive(ended));
      expect(order.held, 'an ended order holds nothing').toBe(0n);
    }
  }

  /** Previews the command; the returned function compares the preview with the outcome. */
  private preview(command: PreviewableCommand): (outcome: Outcome) => void {
    const told = this.engine.preview(command);
    if ('code' in told)
      return (outcome) => expect(told, 'preview').toEqual(outcome.ok ? null : outcome.refusal);
    if ('released' in told) return this.expectReleased(told, command as CancelOrder);
    if ('lots' in told) return this.expectSettled(told, command as SettleMarket | CorrectSettlement);
    if ('toLongs' in told) {
      return command.type === 'correct_event_group'
        ? this.expectGroupCorrected(told, command)
        : this.expectGroupSettled(told, command as SettleEventGroup);
    }
    if ('orders' in told) return (outcome) => this.expectListAsPreviewed(told, outcome);
    if ('replaced' in told) return this.expectReplaced(told, command as ReplaceOrder);
    return (outcome) => this.expectAsPreviewed(told, outcome);
  }

  /** Compares all but the effects of triggered stops. */
  private expectAsPreviewed(told: OrderPreview, outcome: Outcome): void {
    if (!outcome.ok || outcome.result.type !== 'order') throw new Error('previewed as accepted');
    if (this.naive.stopsRun > 0) return;
    const { order, fills } = outcome.result;
    if (this.isNettedInBounds(order)) return;
    expect(told, 'preview').toEqual(this.previewOf(order, fills));
  }

  /** Each order of a list, as `expectAsPreviewed`. */
  private expectListAsPreviewed(told: OrderListPreview, outcome: Outcome): void {
    if (!outcome.ok || outcome.result.type !== 'order_list') throw new Error('previewed as accepted');
    if (this.naive.stopsRun > 0) return;
    const { orders, fills } = outcome.result;
    const [first] = orders;
    if (this.isNettedInBounds(first!)) return;
    const isBracket = orders.length === 3;
    // A preview of a bracket takes it that its exits need all contracts.
    if (isBracket && this.nettedBy(first!.accountId) !== undefined) return;
    expect(told.orders, 'preview').toEqual(
      orders.map((order) =>
        this.previewOf(
          order,
          fills.filter(({ takerOrderId }) => takerOrderId === order.orderId),
        ),
      ),
    );
  }

  private expectReplaced(
    told: ReplacementPreview,
    { accountId, replacedOrderId }: ReplaceOrder,
  ): (outcome: Outcome) => void {
    // What a cancellation releases is compared where an order is cancelled.
    expect(told.replaced, 'preview').toEqual(
      this.engine.preview({ type: 'cancel_order', accountId, orderId: replacedOrderId }),
    );
    return (outcome) => this.expectAsPreviewed(told.order, outcome);
  }

  /** Whether a bound left netting no room, which a preview takes it to have. */
  private isNettedInBounds({ accountId }: OrderSnapshot): boolean {
    return this.nettedBy(accountId)?.isBounded === true;
  }

  private nettedBy(accountId: number): NaiveNetting | undefined {
    return this.naive.nettings.find(({ account }) => account === accountId);
  }

  /** What a preview tells of an order that the last command left like this, by its own fills as a taker. */
  private previewOf(order: OrderSnapshot, fills: readonly Trade[]): OrderPreview {
    const placed = this.orderById(order.orderId);
    // Only trades let anything be netted.
    const netted = fills.length === 0 ? undefined : this.nettedBy(order.accountId);
    return {
      status: order.status,
      statusReason: order.statusReason,
      fills: fills.map(({ priceTicks, sizeLots, takerFee }) => ({ priceTicks, sizeLots, fee: takerFee })),
      filledLots: order.filledLots,
      filledNotional: order.filledNotional,
      fees: order.fees,
      remainingLots: order.remainingLots,
      hold: { asset: placed.heldAsset, amount: placed.held as Amount },
      queueAheadLots: placed.level === null ? null : lotsBefore(placed),
      netting: this.nettingOf(placed.market, netted),
    };
  }

  private nettingOf(
    { definition: { lotSize } }: Market,
    netted: NaiveNetting | undefined,
  ): OrderPreview['netting'] {
    if (netted === undefined || netted.merged + netted.converted === 0n) return null;
    const { merged, converted, paid, released } = netted;
    const lots = (size: bigint): number => Number(size / lotSize);
    return {
      mergedLots: lots(merged),
      convertedLots: lots(converted),
      paid: paid as Amount,
      released: released as Amount,
    };
  }

  private expectReleased({ released, remainingLots }: CancelPreview, command: CancelOrder) {
    const heldBefore = this.naive.held(command.accountId, released.asset);
    return (outcome: Outcome): void => {
      if (!outcome.ok || outcome.result.type !== 'order') throw new Error('previewed as cancelled');
      const heldAfter = this.naive.held(command.accountId, released.asset);
      expect({ released: released.amount, remainingLots }, 'preview').toEqual({
        released: heldBefore - heldAfter,
        remainingLots: outcome.result.order.remainingLots,
      });
    };
  }

  private expectGroupSettled(told: GroupSettlementPreview, command: SettleEventGroup) {
    const paid = this.naive.positions.filter(({ market, size }) => {
      const isOfGroup = this.naive.groupOf(market)?.groupId === command.groupId;
      return isOfGroup && (market === command.winningMarketId ? size > 0n : size < 0n);
    });
    const sum = (isLong: boolean): bigint =>
      paid.filter(({ size }) => size > 0n === isLong).reduce((all, { size }) => all + abs(size), 0n);
    const { quoteAsset } = this.state.groups.get(command.groupId)!;
    const expected = { asset: quoteAsset, toLongs: sum(true), toShorts: sum(false), paidBack: 0n };
    return (outcome: Outcome): void => {
      if (!outcome.ok) throw new Error('previewed as settled');
      expect(told, 'preview').toEqual(expected);
    };
  }

  /** What profits of longs and of shorts have changed by, and what has left the accounts that pay back. */
  private expectGroupCorrected(told: GroupSettlementPreview, { groupId }: CorrectEventGroup) {
    const { quoteAsset } = this.state.groups.get(groupId)!;
    const positions = this.naive.positions.filter(
      ({ market }) => this.naive.groupOf(market)?.groupId === groupId,
    );
    const profits = positions.map(({ realized }) => realized);
    const totals = this.naive.accounts.map((account) => this.naive.total(account, quoteAsset));
    return (outcome: Outcome): void => {
      if (!outcome.ok) throw new Error('previewed as corrected');
      const gained = (isOf: (settled: bigint) => boolean): bigint =>
        positions.reduce(
          (sum, { realized, settled }, index) => sum + (isOf(settled) ? realized - profits[index]! : 0n),
          0n,
        );
      const paidBack = this.naive.accounts.reduce((sum, account, index) => {
        const lost = totals[index]! - this.naive.total(account, quoteAsset);
        return sum + (lost > 0n ? lost : 0n);
      }, 0n);
      expect(told, 'preview').toEqual({
        asset: quoteAsset,
        toLongs: gained((settled) => settled > 0n),
        toShorts: gained((settled) => settled < 0n),
        paidBack,
      });
    };
  }

  private expectSettled(
    told: SettlementPreview,
    { type, marketId, settlementValue }: SettleMarket | CorrectSettlement,
  ) {
    const isCorrection = type === 'correct_settlement';
    const { quoteAsset, lotSize } = this.state.markets.get(marketId)!.definition;
    const holders = this.naive.positions
      .filter((position) => position.market === marketId)
      .map(({ account, size, settled }) => ({ account, size: size === 0n ? settled : size }))
      .filter(({ size }) => size !== 0n)
      .map(({ account, size }) => ({ account, size, before: this.naive.total(account, quoteAsset) }));
    return (outcome: Outcome): void => {
      if (!outcome.ok) throw new Error('previewed as settled');
      const longs = holders.filter(({ size }) => size > 0n);
      const lots = longs.reduce((sum, { size }) => sum + size, 0n) / lotSize;
      const value = amountOf(settlementValue!);
      const paidTo = (some: typeof holders): bigint =>
        some.reduce((sum, { account, before }) => sum + this.naive.total(account, quoteAsset) - before, 0n);
      const whole = lots * lotSize;
      const toLongs = isCorrection ? paidTo(longs) : (whole * value) / 10n ** 18n;
      const toShorts = isCorrection ? -toLongs : whole - toLongs;
      expect(told, 'preview').toEqual({
        asset: quoteAsset,
        settlementValue: value,
        lots: Number(lots),
        toLongs,
        toShorts,
      });
    };
  }

  private compareOrders(): void {
    const { orders } = this.state;
    expect(orders.size, 'live orders').toBe(this.naive.orders.length);
    for (const expected of this.naive.orders) {
      const order = orders.get(this.orderIds[expected.serial]!);
      if (order === undefined) throw new Error(`order ${expected.serial} should be live`);
      const seen = { ...seenInEngine(order), held: order.held };
      const wanted = { ...seenInNaive(expected), held: this.naive.holdOf(expected) };
      if (!isSame(seen, wanted)) expect(seen, `order ${expected.serial}`).toEqual(wanted);
    }
  }

  private compareBooks(): void {
    for (const market of this.state.markets.values()) {
      for (const side of ['buy', 'sell'] as const) {
        const queue = this.queueOf(market, side);
        const expected = this.naive.orders
          .filter(
            (one) => one.market === market.definition.marketId && one.side === side && one.queuedAt !== null,
          )
          .sort((a, b) => {
            if (a.price !== b.price) return a.price! < b.price! === (side === 'sell') ? -1 : 1;
            return a.queuedAt! - b.queuedAt!;
          })
          .map((one) => one.serial);
        if (!isSame(queue, expected))
          expect(queue, `${side} side of ${market.definition.marketId}`).toEqual(expected);
      }
    }
  }

  /** Orders from the best price on; checks the totals and the queue that each level keeps. */
  private queueOf(market: Market, side: Side): number[] {
    const queue: number[] = [];
    let total = 0;
    for (const level of market.book.sideOf(side).levels.toReversed()) {
      let lots = 0;
      let shownLots = 0;
      let orders = 0;
      let place = 0;
      for (let order = level.head; order !== null; order = order.next) {
        if (order.queueSequence <= place)
          throw new Error(`order ${order.orderId} is not in order of its place`);
        place = order.queueSequence;
        lots += order.remainingLots;
        orders++;
        const serial = this.serials.get(order.orderId)!;
        shownLots += Number(
          shown(this.naive.orders.find((one) => one.serial === serial)!) / order.market.definition.lotSize,
        );
        queue.push(serial);
      }
      if (lots !== level.totalLots || orders !== level.orders)
        throw new Error(`a level says ${level.totalLots} of ${lots}`);
      if (shownLots !== level.shownLots) throw new Error(`a level shows ${level.shownLots} of ${shownLots}`);
      total += lots;
    }
    if (market.book.sideOf(side).totalLots !== total)
      throw new Error(`a side counts other lots than ${total}`);
    return queue;
  }

  private compareAccounts(): void {
    for (const account of this.state.accounts.values()) {
      const counterpart = this.counterpart(account.accountId);
      if (counterpart === undefined) continue;
      const level = this.naive.kycLevels[counterpart] ?? 0;
      if (account.kycLevel !== level) expect(account.kycLevel, `KYC level of ${account.name}`).toBe(level);
      const frozen = this.naive.frozen.has(counterpart);
      if (account.frozen !== frozen) expect(account.frozen, `whether ${account.name} is frozen`).toBe(frozen);
      for (const asset of this.state.assets.keys()) {
        const balance = account.balances.get(asset);
        const seen = [balance?.available ?? 0n, balance?.held ?? 0n];
        const held = this.naive.held(counterpart, asset);
        const wanted = [this.naive.total(counterpart, asset) - held, held];
        if (!isSame(seen, wanted)) expect(seen, `${asset} of ${account.name}`).toEqual(wanted);
        if (wanted[0]! < 0n && account.kind !== 'external')
          throw new Error('the naive exchange is overdrawn');
      }
    }
  }

  /** The naive exchange has its own numbers for rails and the fee account. */
  private counterpart(accountId: number): number | undefined {
    const account = this.state.accounts.get(accountId)!;
    if (account.kind === 'external') return this.naive.rails[account.name];
    if (account.kind === 'fees') return this.naive.feesAccount;
    return accountId;
  }

  private comparePositions(): void {
    for (const expected of this.naive.positions) {
      const position = this.state.accounts.get(expected.account)!.positions.get(expected.market);
      const { lotSize } = this.state.markets.get(expected.market)!.definition;
      const seen = [
        BigInt(position?.sizeLots ?? 0) * lotSize,
        position?.costBasis ?? 0n,
        position?.realizedPnl ?? 0n,
        position?.fees ?? 0n,
        BigInt(position?.settledLots ?? 0) * lotSize,
      ];
      const wanted = [expected.size, expected.cost, expected.realized, expected.fees, expected.settled];
      if (!isSame(seen, wanted))
        expect(seen, `position of ${expected.account} in ${expected.market}`).toEqual(wanted);
    }
  }

  private compareMarkets(): void {
    for (const expected of this.naive.markets) {
      const market = this.state.markets.get(expected.definition.marketId)!;
      const { tickSize } = market.definition;
      const lastPrice = market.lastPriceTicks === null ? null : BigInt(market.lastPriceTicks) * tickSize;
      const { pendingTicks } = market;
      const pending =
        pendingTicks === null
          ? [null, null]
          : [BigInt(pendingTicks.lowTicks) * tickSize, BigInt(pendingTicks.highTicks) * tickSize];
      const seen = [market.status, lastPrice, market.settlementValue, ...pending, market.owedShortLots];
      const { traded } = expected;
      const wanted = [
        expected.status,
        expected.lastPrice,
        expected.settlement,
        traded?.low ?? null,
        traded?.high ?? null,
        this.owedShortLots(expected),
      ];
      if (!isSame(seen, wanted)) expect(seen, market.definition.marketId).toEqual(wanted);
      const isTriggered = this.naive.orders.some(
        (order) => order.market === market.definition.marketId && order.reason === 'triggered',
      );
      const isWaiting = isTriggered || traded !== null || this.naive.reachedByMark(expected).length > 0;
      // A market due to close is marked closed by the next command that runs its stops or closes it.
      if (market.statusAt(this.timeMs) !== market.status) continue;
      expect(this.state.triggersWaiting.has(market), 'asks for its triggered stops to be run').toBe(
        isWaiting && market.status === 'open',
      );
    }
  }

  private owedShortLots({ status, definition: { marketId, lotSize } }: NaiveMarket): number | null {
    if (status !== 'settling') return null;
    const owed = this.naive.positions
      .filter(({ market, size }) => market === marketId && size < 0n)
      .reduce((sum, { size }) => sum - size, 0n);
    return Number(owed / lotSize);
  }

  private bookSequences(): Map<string, number> {
    return new Map([...this.state.markets].map(([marketId, market]) => [marketId, market.bookSequence]));
  }

  /** A client with a snapshot that applies each delta must have the same book. */
  private followDeltas(before: ReadonlyMap<string, number>): void {
    const deltas = this.changes.books.slice(this.booksSeen);
    this.booksSeen = this.changes.books.length;
    for (const delta of deltas) {
      expect(delta.bookSequence, `sequence of ${delta.marketId}`).toBe((before.get(delta.marketId) ?? 0) + 1);
      const l2 = this.l2.get(delta.marketId) ?? { buy: new Map(), sell: new Map() };
      this.l2.set(delta.marketId, l2);
      for (const [side, levels] of [
        ['buy', delta.bids],
        ['sell', delta.asks],
      ] as const) {
        for (const [priceTicks, sizeLots, orders] of levels) {
          if (sizeLots === 0) l2[side].delete(priceTicks);
          else l2[side].set(priceTicks, [sizeLots, orders]);
        }
      }
    }
    const touched = deltas.map(({ marketId }) => marketId).sort();
    expect(touched, 'one delta for each market in which something happened').toEqual(
      [...this.naive.touched].sort(),
    );
    for (const [marketId, market] of this.state.markets) {
      const moved = market.bookSequence - (before.get(marketId) ?? 0);
      expect(moved, `steps of ${marketId}`).toBe(touched.includes(marketId) ? 1 : 0);
      this.compareL2(market);
    }
  }

  private compareL2(market: Market): void {
    const l2 = this.l2.get(market.definition.marketId) ?? { buy: new Map(), sell: new Map() };
    for (const side of ['buy', 'sell'] as const) {
      const { levels } = market.book.sideOf(side);
      if (levels.length !== l2[side].size)
        throw new Error(`deltas lost a ${side} level of ${market.definition.marketId}`);
      for (const level of levels) {
        const seen = l2[side].get(level.priceTicks);
        if (seen?.[0] !== level.shownLots || seen[1] !== level.orders) {
          expect(seen, `delta of ${level.priceTicks}`).toEqual([level.shownLots, level.orders]);
        }
      }
    }
  }

  /** Trades, transfers and legs of sets have ascending numbers within the range that the command took from the global sequence. */
  private checkSequences(before: number): void {
    const ids = [
      ...this.changes.trades.map((trade) => trade.tradeId),
      ...this.changes.transfers.map((one) => one.transferId),
      ...this.changes.setLegs.map((leg) => leg.legId),
    ]
      .filter((id) => id > this.lastIdSeen)
      .sort((a, b) => a - b);
    for (const id of ids) {
      if (id <= before || id > this.state.sequence || id === this.lastIdSeen)
        throw new Error(`sequence ${id} is out of place`);
      this.lastIdSeen = id;
    }
  }
}

interface L2 {
  readonly buy: Map<number, readonly [number, number]>;
  readonly sell: Map<number, readonly [number, number]>;
}

function seenInEngine(order: Order) {
  const { tickSize, lotSize } = order.market.definition;
  return {
    account: order.accountId,
    side: order.side,
    status: order.status,
    reason: order.statusReason,
    price: order.hasPrice ? BigInt(order.priceTicks) * tickSize : null,
    size: BigInt(order.sizeLots) * lotSize,
    filled: BigInt(order.filledLots) * lotSize,
    remaining: BigInt(order.remainingLots) * lotSize,
    notional: order.filledNotional,
    fees: order.fees,
  };
}

function seenInNaive(order: NaiveOrder): ReturnType<typeof seenInEngine> {
  const { account, side, status, reason, price, size, filled, notional, fees } = order;
  return { account, side, status, reason, price, size, filled, remaining: remaining(order), notional, fees };
}

/** Commands that make an order. */
const PLACING: readonly Command['type'][] = [
  'mass_quote',
  'place_order',
  'replace_order',
  'place_order_list',
  'accept_quote',
];

const PREVIEWABLE: readonly Command['type'][] = [
  'place_order',
  'place_order_list',
  'replace_order',
  'amend_order',
  'cancel_order',
  'accept_quote',
  'set_market_status',
  'correct_settlement',
  'settle_event_group',
  'correct_event_group',
];

function isPreviewable(command: Command): command is PreviewableCommand {
  if (command.type === 'set_market_status' && command.status !== 'settled') return false;
  return PREVIEWABLE.includes(command.type);
}

function lotsBefore(order: Order): number {
  let lots = 0;
  for (let entry = order.level!.head!; entry !== order; entry = entry.next!) lots += entry.shownLots;
  return lots;
}

function abs(size: bigint): bigint {
  return size < 0n ? -size : size;
}

/** Equality of flat records and arrays, faster than a matcher. */
function isSame(a: object, b: object): boolean {
  const left = Object.values(a);
  const right = Object.values(b);
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

export function describe(command: NaiveCommand): string {
  return JSON.stringify(command);
}
