/**
 * A digest of the whole state, updated incrementally. Every balance, position, live order, hold and market, and every
 * account that is frozen or has a KYC level, has a SHA-256 digest of its canonical text. The state's digest is their
 * sum modulo 2^256, so a change subtracts the old share and adds the new one, in any order. An order's text includes
 * its place in the queue, so the sum covers the queues too.
 *
 * States with equal hashes are equal, unless somebody constructs a collision. Against that the journal protects: its
 * rows are chained by plain SHA-256.
 */
import { hash } from 'node:crypto';
import type { Changes } from './changes.js';
import {
  type Account,
  type Balance,
  type EngineState,
  type EventGroup,
  type Hold,
  Limits,
  type Market,
  type Order,
  type Position,
  type Protection,
} from './state.js';

const DIGEST_BITS = 256;

/** One sum for each kind of thing, so that a part can be checked alone. */
export const HASH_PARTS = ['accounts', 'balances', 'positions', 'orders', 'holds', 'markets'] as const;
export type HashPart = (typeof HASH_PARTS)[number];

export class StateHash {
  private readonly sums: Record<HashPart, bigint>;

  constructor(parts?: Readonly<Record<HashPart, string>>) {
    this.sums = Object.fromEntries(
      HASH_PARTS.map((part) => [part, parts === undefined ? 0n : BigInt(`0x${parts[part]}`)]),
    ) as Record<HashPart, bigint>;
  }

  /** Updates the shares of all that a batch changed. */
  update(changes: Changes): void {
    for (const account of changes.accounts) this.renew('accounts', account, accountText(account));
    for (const balance of changes.balances) this.renew('balances', balance, balanceText(balance));
    for (const position of changes.positions) this.renew('positions', position, positionText(position));
    for (const order of changes.orders) this.renew('orders', order, orderText(order));
    for (const order of changes.onlyTrailed) this.renew('orders', order, orderText(order));
    for (const market of changes.markets) this.renew('markets', market, marketText(market));
    for (const protection of changes.protections)
      this.renew('markets', protection, protectionText(protection));
    for (const group of changes.newGroups) this.renew('markets', group, groupText(group));
    if (changes.limits !== null) this.renew('markets', changes.limits, limitsText(changes.limits));
    for (const hold of changes.newHolds) this.renew('holds', hold, holdText(hold));
    for (const hold of changes.endedHolds) this.renew('holds', hold, null);
  }

  /** Sets the digest of a loaded thing without counting it, for rows read back from the tables. */
  static remember(thing: { digest: bigint | null }, text: string | null): void {
    thing.digest = text === null ? null : digestOf(text);
  }

  /** Computes the sums of a completely loaded state, or those of the loaded parts. */
  static of(state: EngineState, parts: readonly HashPart[] = HASH_PARTS): StateHash {
    const result = new StateHash();
    for (const part of parts) result.countPart(part, state);
    return result;
  }

  /** Adds a thing by its text, for callers that have rows and no state. */
  add(part: HashPart, text: string | null): void {
    if (text !== null) this.sums[part] = BigInt.asUintN(DIGEST_BITS, this.sums[part] + digestOf(text));
  }

  part(part: HashPart): string {
    return this.sums[part].toString(16).padStart(DIGEST_BITS / 4, '0');
  }

  parts(): Record<HashPart, string> {
    return Object.fromEntries(HASH_PARTS.map((part) => [part, this.part(part)])) as Record<HashPart, string>;
  }

  /** One hash over all parts and the global sequence. */
  total(sequence: number): string {
    return hash('sha256', [sequence, ...HASH_PARTS.map((part) => this.part(part))].join(':'));
  }

  private countPart(part: HashPart, state: EngineState): void {
    const accounts = state.accounts.values();
    switch (part) {
      case 'accounts':
        for (const account of accounts) this.renewFresh(part, account, accountText(account));
        return;
      case 'balances':
        for (const { balances } of accounts)
          for (const balance of balances.values()) this.renewFresh(part, balance, balanceText(balance));
        return;
      case 'positions':
        for (const { positions } of accounts)
          for (const position of positions.values()) this.renewFresh(part, position, positionText(position));
        return;
      case 'orders':
        for (const order of state.orders.values()) this.renewFresh(part, order, orderText(order));
        return;
      case 'holds':
        for (const hold of state.holds.values()) this.renewFresh(part, hold, holdText(hold));
        return;
      case 'markets':
        for (const market of state.markets.values()) this.renewFresh(part, market, marketText(market));
        for (const protection of state.protections.values())
          this.renewFresh(part, protection, protectionText(protection));
        for (const group of state.groups.values()) this.renewFresh(part, group, groupText(group));
        this.renewFresh(part, state.limits, limitsText(state.limits));
    }
  }

  private renewFresh(part: HashPart, thing: { digest: bigint | null }, text: string | null): void {
    thing.digest = null;
    this.renew(part, thing, text);
  }

  /** Subtracts the old share of a thing and adds its new one; null if it is gone. */
  renew(part: HashPart, thing: { digest: bigint | null }, text: string | null): void {
    const after = text === null ? null : digestOf(text);
    let sum = this.sums[part];
    if (thing.digest !== null) sum -= thing.digest;
    if (after !== null) sum += after;
    this.sums[part] = BigInt.asUintN(DIGEST_BITS, sum);
    thing.digest = after;
  }
}

function digestOf(text: string): bigint {
  return BigInt(`0x${hash('sha256', text, 'hex')}`);
}

/** Only what may change: the journal has the fixed properties of an account. */
export function accountText(account: Account): string | null {
  const { accountId, kycLevel, frozen, limitsSequence, limitsBase, limitsTaken } = account;
  if (kycLevel === 0 && !frozen && limitsSequence === null) return null;
  // Omitted unless set, so that accounts from before freezing and limits existed keep their digest.
  const limits = limitsSequence === null ? '' : `|limits|${limitsSequence}|${limitsBase}|${limitsTaken}`;
  return `${accountId}|${kycLevel}${frozen ? '|frozen' : ''}${limits}`;
}

/** Empty balances count as absent, so that it makes no difference whether they are loaded. */
export function balanceText(balance: Balance): string | null {
  if (balance.available === 0n && balance.held === 0n) return null;
  return `${balance.accountId}|${balance.asset}|${balance.available}|${balance.held}`;
}

export function positionText(position: Position): string | null {
  const { sizeLots, costBasis, realizedPnl, fees, settledLots } = position;
  const isEmpty = sizeLots === 0 && costBasis === 0n && realizedPnl === 0n && fees === 0n;
  if (isEmpty && settledLots === 0) return null;
  const { marketId } = position.market.definition;
  // Omitted if zero, so that positions from before this field keep their digest.
  const settled = settledLots === 0 ? '' : `|${settledLots}`;
  return `${position.accountId}|${marketId}|${sizeLots}|${costBasis}|${realizedPnl}|${fees}${settled}`;
}

/** Ended orders are history and not part of the state. */
export function orderText(order: Order): string | null {
  if (!order.isLive) return null;
  const { marketId } = order.market.definition;
  const price = order.hasPrice ? order.priceTicks : '';
  return (
    `${order.orderId}|${order.accountId}|${marketId}|${order.side}|${order.type}|${order.timeInForce}|${price}|` +
    `${order.stopPriceTicks ?? ''}|${order.sizeLots}|${order.filledLots}|${order.remainingLots}|${order.held}|` +
    `${order.fees}|${order.feeRounding}|${order.queueSequence}|${order.status}|${order.statusReason ?? ''}` +
    advancedText(order)
  );
}

/** Empty where there are none, so that orders from before such terms keep their digest. */
function advancedText({ advanced: terms, bestTicks }: Order): string {
  if (terms === null) return '';
  const list = terms.listId === null ? '' : `|list|${terms.listId}|${terms.listRole}`;
  const trigger = terms.stopTrigger === null ? '' : `|trigger|${terms.stopTrigger}`;
  const isTrailing = terms.trailingTicks !== null || terms.trailingBps !== null;
  const trailing = isTrailing
    ? `|trailing|${terms.trailingTicks ?? ''}|${terms.trailingBps ?? ''}|${bestTicks ?? ''}`
    : '';
  const origin = terms.origin === null ? '' : `|origin|${terms.origin}`;
  return `|quote|${terms.quoteSize ?? ''}|display|${terms.displayLots ?? ''}${list}${trigger}${trailing}${origin}`;
}

export function marketText(market: Market): string {
  const { pendingTicks } = market;
  const owed = market.owedShortLots === null ? '' : `|owed|${market.owedShortLots}`;
  const pending = pendingTicks === null ? '' : `|${pendingTicks.lowTicks}|${pendingTicks.highTicks}`;
  return (
    `${market.definition.marketId}|${market.status}|${market.bookSequence}|${market.lastPriceTicks ?? ''}|` +
    `${market.openInterestLots}|${market.settlementValue ?? ''}${pending}${owed}${termsText(market)}`
  );
}

/** Its sets follow from its pool and the open interest of its markets, which have digests of their own. */
export function groupText({ groupId, marketIds, poolAccountId }: EventGroup): string {
  return `group|${groupId}|${poolAccountId}|${marketIds.join(' ')}`;
}

/** Empty until operators have changed them: until then the journal has them in the command that made the market. */
function termsText({ definition }: Market): string {
  if (definition.revision === null) return '';
  const { title, description, category, revision, closesAtMs, marketOrderBandBps } = definition;
  return `|terms|${revision}|${JSON.stringify([
    [title, description, category],
    [definition.minSizeLots, definition.maxSizeLots, `${definition.minNotional}`],
    [definition.priceMinTicks, definition.priceMaxTicks],
    [`${definition.makerFeeRate}`, `${definition.takerFeeRate}`],
    [`${definition.originalMakerFeeRate}`, `${definition.originalTakerFeeRate}`],
    closesAtMs,
    ...(marketOrderBandBps === null ? [] : [marketOrderBandBps]),
  ])}`;
}

/** Null if never set, so that states from before the limits keep their digest. */
export function limitsText(limits: Limits): string | null {
  const initial = new Limits();
  const { openOrdersMax, openStopsMax, ownerOpenOrdersMax, ownerOpenStopsMax } = limits;
  const isOwnerInitial =
    ownerOpenOrdersMax === initial.ownerOpenOrdersMax && ownerOpenStopsMax === initial.ownerOpenStopsMax;
  const isInitial = openOrdersMax === initial.openOrdersMax && openStopsMax === initial.openStopsMax;
  if (isInitial && isOwnerInitial) return null;
  const ofOwners = isOwnerInitial ? '' : `|${ownerOpenOrdersMax}|${ownerOpenStopsMax}`;
  return `limits|${openOrdersMax}|${openStopsMax}${ofOwners}`;
}

/** Null where there is none any more. */
export function protectionText(protection: Protection): string | null {
  const { accountId, fills, windowMs, fillTimesMs, trippedAtMs } = protection;
  if (fills === null) return null;
  return `protection|${accountId}|${fills}|${windowMs}|${fillTimesMs.join(' ')}|${trippedAtMs ?? ''}`;
}

export function holdText(hold: Hold): string {
  return `${hold.ownerKind}|${hold.ownerId}|${hold.accountId}|${hold.asset}|${hold.amount}`;
}
