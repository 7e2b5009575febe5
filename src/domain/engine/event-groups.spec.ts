import { beforeEach, describe, expect, it } from 'vitest';
import { auditState } from '../../../test/support/domain/audit.js';
import { event } from '../../../test/support/domain/markets.js';
import { amountOf, formatAmount, ONE } from '../money/amount.js';
import type { Command, CommandResult } from './commands.js';
import { Engine } from './engine.js';
import type { Side } from './types.js';

const MARKETS = ['RED', 'GREEN', 'BLUE'] as const;
type MarketId = (typeof MARKETS)[number];
const GROUP = {
  type: 'create_event_group',
  groupId: 'WINNER',
  title: 'Who wins',
  marketIds: MARKETS,
} as const;

let engine: Engine;
let changes: ReturnType<Engine['beginBatch']>;
let ann: number;
let bob: number;
let cat: number;

function send(command: Command): CommandResult {
  const outcome = engine.apply(command);
  if (!outcome.ok) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`);
  engine.checkBatch();
  auditState(engine.state);
  return outcome.result;
}

function refused(command: Command): string | null {
  const { sequence } = engine.state;
  const outcome = engine.apply(command);
  if (!outcome.ok) expect(engine.state.sequence).toBe(sequence);
  return outcome.ok ? null : outcome.refusal.code;
}

function open(name: string): number {
  const result = send({ type: 'create_account', kind: 'trading', name, owner: `user:${name}` });
  if (result.type !== 'account') throw new Error('no account');
  const { accountId } = result;
  send({
    type: 'move_money',
    debit: { rail: 'bank' },
    credit: { accountId },
    asset: 'USD',
    amount: '100',
    reason: 'deposit',
    reference: 'test',
  });
  return accountId;
}

function order(
  accountId: number,
  marketId: MarketId,
  side: Side,
  sizeLots: number,
  priceTicks: number,
): Command {
  return {
    type: 'place_order',
    accountId,
    marketId,
    side,
    orderType: 'limit',
    timeInForce: 'GTC',
    priceTicks,
    stopPriceTicks: null,
    sizeLots,
    expiresAtMs: null,
    postOnly: false,
    reduceOnly: false,
    selfTradePrevention: 'cancel_newest',
    clientOrderId: null,
    feeRates: null,
  };
}

/** The buyer's order rests first. */
function trade(buyer: number, seller: number, marketId: MarketId, lots: number, priceTicks: number): void {
  send(order(buyer, marketId, 'buy', lots, priceTicks));
  send(order(seller, marketId, 'sell', lots, priceTicks));
}

function split(accountId: number, sizeLots: number): Command {
  return { type: 'split_event_group', groupId: 'WINNER', accountId, sizeLots };
}

function merge(accountId: number, sizeLots: number): Command {
  return { type: 'merge_event_group', groupId: 'WINNER', accountId, sizeLots };
}

function close(...marketIds: readonly MarketId[]): void {
  for (const marketId of marketIds)
    send({ type: 'set_market_status', marketId, status: 'closed', settlementValue: null });
}

function sizesOf(accountId: number): number[] {
  const { positions } = engine.state.accounts.get(accountId)!;
  return MARKETS.map((marketId) => positions.get(marketId)?.sizeLots ?? 0);
}

function realizedBy(...accountIds: readonly number[]): string {
  const positions = accountIds.flatMap((id) => [...engine.state.accounts.get(id)!.positions.values()]);
  const sum = positions.reduce((all, { realizedPnl }) => all + realizedPnl, 0n);
  return sum < 0n ? `-${formatAmount(-sum)}` : formatAmount(sum);
}

function moneyOf(accountId: number): string {
  return formatAmount(engine.state.accounts.get(accountId)!.balances.get('USD')?.available ?? 0n);
}

function pool(): string {
  return moneyOf(engine.state.groups.get('WINNER')!.poolAccountId);
}

beforeEach(() => {
  engine = new Engine();
  changes = engine.beginBatch(1);
  send({ type: 'create_asset', code: 'USD', scale: 2 });
  for (const marketId of MARKETS) send(event({ marketId }));
  [ann, bob, cat] = [open('ann'), open('bob'), open('cat')];
});

describe('a new group', () => {
  const create = (terms: Partial<Omit<Extract<Command, { type: 'create_event_group' }>, 'type'>> = {}) =>
    refused({ ...GROUP, ...terms });

  it.each([
    ['another group has the id', {}, 'event_group_exists'],
    ['the id is none', { groupId: 'a b' }, 'invalid_event_group'],
    ['there is one market', { marketIds: ['YES'] }, 'invalid_event_group'],
    [
      'there are too many',
      { marketIds: Array.from({ length: 51 }, (_, i) => `M${i}`) },
      'invalid_event_group',
    ],
    ['a market is listed twice', { marketIds: ['YES', 'YES'] }, 'invalid_event_group'],
    ['a market is missing', { marketIds: ['YES', 'NOWHERE'] }, 'market_not_found'],
    ['a market has a group', { marketIds: ['YES', 'RED'] }, 'market_in_event_group'],
    ['the lots differ', { marketIds: ['YES', 'FINE'] }, 'invalid_event_group'],
    ['the quote assets differ', { marketIds: ['YES', 'EURO'] }, 'invalid_event_group'],
    ['a market is closed', { marketIds: ['YES', 'SHUT'] }, 'invalid_event_group'],
  ])('is refused where %s', (_what, terms, code) => {
    send({ type: 'create_asset', code: 'EUR', scale: 2 });
    for (const marketId of ['YES', 'SHUT']) send(event({ marketId }));
    send(event({ marketId: 'FINE', lotSize: '0.1' }));
    send(event({ marketId: 'EURO', quoteAsset: 'EUR' }));
    send({ type: 'set_market_status', marketId: 'SHUT', status: 'closed', settlementValue: null });
    send(GROUP);
    expect(create({ groupId: 'OTHER', ...terms, ...(code === 'event_group_exists' && GROUP) })).toBe(code);
  });

  it('takes markets that nobody has used', () => {
    send(order(ann, 'RED', 'buy', 1, 10));
    expect(create()).toBe('invalid_event_group');
    send({ type: 'cancel_all_orders', accountId: ann, marketId: null });
    trade(ann, bob, 'GREEN', 1, 10);
    expect(create()).toBe('invalid_event_group');
  });
});

describe('a set', () => {
  beforeEach(() => void send(GROUP));

  it('costs 1 and is worth 1', () => {
    send(split(ann, 10));
    expect([sizesOf(ann), moneyOf(ann), pool()]).toEqual([[10, 10, 10], '90', '10']);
    send(merge(ann, 4));
    expect([sizesOf(ann), moneyOf(ann), pool(), realizedBy(ann)]).toEqual([[6, 6, 6], '94', '6', '0']);
  });

  it('is booked at prices that add up to 1', () => {
    send(split(ann, 1));
    trade(bob, cat, 'RED', 1, 50);
    trade(bob, cat, 'GREEN', 1, 41);
    trade(bob, cat, 'BLUE', 1, 22);
    expect(sizesOf(bob)).toEqual([0, 0, 0]);
    const sets = changes.setLegs.length / MARKETS.length;
    expect(sets).toBe(3); // ann's, what two of cat's shorts became, bob's
    for (let set = 0; set < sets; set++) {
      const legs = changes.setLegs.slice(set * MARKETS.length, (set + 1) * MARKETS.length);
      expect(legs.reduce((sum, { price }) => sum + price, 0n)).toBe(ONE);
    }
  });

  it.each([
    [
      'there is no such group',
      (): Command => ({ ...split(ann, 1), groupId: 'OTHER' }) as Command,
      'event_group_not_found',
    ],
    ['there is no such account', () => split(99, 1), 'account_not_found'],
    ['the size is none', () => split(ann, 0), 'size_out_of_range'],
    ['the size is no whole number', () => split(ann, 0.5), 'size_out_of_range'],
    ['the size cannot be counted', () => split(ann, Number.MAX_SAFE_INTEGER + 1), 'size_out_of_range'],
    ['there is not enough money', () => split(ann, 101), 'insufficient_funds'],
    ['there are not enough sets', () => merge(ann, 1), 'insufficient_funds'],
  ])('is refused where %s', (_what, command, code) => {
    expect(refused(command())).toBe(code);
  });

  it('needs an account that is not frozen, and open markets', () => {
    send({ type: 'set_account_frozen', accountId: ann, frozen: true });
    expect([refused(split(ann, 1)), refused(merge(ann, 1))]).toEqual(['account_frozen', 'account_frozen']);
    send({ type: 'set_market_status', marketId: 'BLUE', status: 'halted', settlementValue: null });
    expect(refused(split(bob, 1))).toBe('market_not_open');
  });

  it('leaves contracts alone that sell orders close', () => {
    send(split(ann, 10));
    send(order(ann, 'GREEN', 'sell', 7, 60));
    expect(refused(merge(ann, 4))).toBe('insufficient_funds');
    send(merge(ann, 3));
    expect(sizesOf(ann)).toEqual([7, 7, 7]);
  });

  it('closes shorts where it is bought, and needs money for the orders that they covered', () => {
    trade(bob, ann, 'RED', 10, 40);
    send(order(ann, 'RED', 'buy', 10, 30));
    expect(moneyOf(ann)).toBe('94');
    expect(refused(split(ann, 102))).toBe('insufficient_funds');
    send(split(ann, 10));
    // Ten sets for nothing, since ten shorts are closed; the order holds 3 from now on.
    expect([sizesOf(ann), moneyOf(ann)]).toEqual([[0, 10, 10], '91']);
  });

  it('counts as opened for the limits of its owner', () => {
    send({ type: 'renew_self_limits', accountId: ann });
    const asOf = engine.state.accounts.get(ann)!.limitsSequence!;
    const allowed = (max: string): Command => ({ ...split(ann, 5), allowance: { asOf, max } }) as Command;
    expect(refused(split(ann, 5))).toBe('self_limits_changed');
    expect(refused(allowed('4'))).toBe('self_limit_exceeded');
    send(allowed('5'));
    expect(engine.state.accounts.get(ann)!.limitsTaken).toBe(amountOf('5'));
  });
});

describe('netting', () => {
  beforeEach(() => void send(GROUP));

  it('makes money of all outcomes at once, with the profit of buying them below 1', () => {
    trade(ann, bob, 'RED', 10, 30);
    trade(ann, cat, 'GREEN', 10, 30);
    expect(sizesOf(ann)).toEqual([10, 10, 0]);
    trade(ann, bob, 'BLUE', 10, 30);
    expect([sizesOf(ann), moneyOf(ann), realizedBy(ann)]).toEqual([[0, 0, 0], '101', '1']);
  });

  it('keeps for shorts no more than their worst case', () => {
    trade(ann, bob, 'RED', 10, 30);
    expect(moneyOf(bob)).toBe('93');
    trade(cat, bob, 'GREEN', 10, 30);
    // Of two shorts only one can lose: what is left is 10 long in the third market, for 0.40 each.
    expect([sizesOf(bob), moneyOf(bob), realizedBy(bob)]).toEqual([[0, 0, 10], '96', '0']);
  });

  it('frees all but one of the shorts in every market', () => {
    trade(ann, bob, 'RED', 10, 50);
    send(order(bob, 'RED', 'buy', 10, 1)); // covers, so the short stays
    trade(cat, bob, 'GREEN', 10, 30);
    expect(sizesOf(bob)).toEqual([-10, -10, 0]);
    send({ type: 'cancel_all_orders', accountId: bob, marketId: null });
    expect(sizesOf(bob)).toEqual([-10, -10, 0]);
    trade(cat, bob, 'BLUE', 10, 30);
    // Sold for 1.10 together: 0.10 of profit for each.
    expect([sizesOf(bob), moneyOf(bob), realizedBy(bob)]).toEqual([[0, 0, 0], '101', '1']);
  });

  it('gives cover to the orders that sell what it opens', () => {
    trade(ann, bob, 'RED', 10, 30);
    send(order(bob, 'BLUE', 'sell', 10, 80));
    expect(moneyOf(bob)).toBe('91');
    trade(cat, bob, 'GREEN', 10, 30);
    expect([sizesOf(bob), moneyOf(bob)]).toEqual([[0, 0, 10], '96']);
  });

  it('leaves exits of a list their contracts', () => {
    send(split(ann, 5));
    const {
      type: _,
      accountId,
      marketId,
      clientOrderId: __,
      ...entry
    } = order(ann, 'RED', 'buy', 5, 40) as Extract<Command, { type: 'place_order' }>;
    const exit = { ...entry, side: 'sell' as const, priceTicks: 60 };
    const stop = { ...exit, orderType: 'stop' as const, priceTicks: null, stopPriceTicks: 20 };
    send({ type: 'place_order_list', accountId, marketId, clientListId: null, entry, exits: [exit, stop] });
    send(order(bob, 'RED', 'sell', 5, 40));
    expect(sizesOf(ann)).toEqual([5, 0, 0]);
  });
});

describe('the settlement of a group', () => {
  const settle = (winningMarketId: string, holders?: readonly number[]): Command => ({
    type: 'settle_event_group',
    groupId: 'WINNER',
    winningMarketId,
    ...(holders !== undefined && { holders }),
  });

  beforeEach(() => {
    send(GROUP);
    trade(ann, bob, 'RED', 10, 30);
    trade(cat, bob, 'GREEN', 10, 30);
    send(split(cat, 5));
  });

  it('pays one market at 1 and the others at 0, and profits and losses add up to zero', () => {
    close(...MARKETS);
    send(settle('RED'));
    expect([ann, bob, cat].map(moneyOf)).toEqual(['107', '96', '97']);
    expect([pool(), realizedBy(ann, bob, cat)]).toEqual(['0', '0']);
    expect([...engine.state.markets.values()].map(({ settlementValue }) => settlementValue)).toEqual([
      ONE,
      0n,
      0n,
    ]);
  });

  it('is paid in parts like that of a market', () => {
    close(...MARKETS);
    send(settle('BLUE', [ann]));
    expect([...engine.state.markets.values()].map(({ status }) => status)).toEqual([
      'settling',
      'settling',
      'settling',
    ]);
    for (const marketId of MARKETS) send({ type: 'continue_settlement', marketId, holders: [bob, cat] });
    expect([[ann, bob, cat].map(moneyOf), pool()]).toEqual([['97', '106', '97'], '0']);
  });

  it('is previewed', () => {
    close(...MARKETS);
    expect(engine.preview({ ...settle('BLUE'), type: 'settle_event_group' } as never)).toEqual({
      asset: 'USD',
      toLongs: amountOf('15'),
      toShorts: 0n,
    });
  });

  it('is refused while a market is open, for a market of elsewhere, and a second time', () => {
    close('RED', 'GREEN');
    expect(refused(settle('RED'))).toBe('invalid_status_change');
    close('BLUE');
    expect(refused(settle('OTHER'))).toBe('market_not_found');
    send(settle('RED'));
    expect(refused(settle('GREEN'))).toBe('invalid_status_change');
  });

  it('is the only one that its markets have', () => {
    close(...MARKETS);
    const alone = {
      type: 'set_market_status',
      marketId: 'RED',
      status: 'settled',
      settlementValue: '1',
    } as const;
    expect(refused(alone)).toBe('market_in_event_group');
    send(settle('RED'));
    expect(refused({ type: 'correct_settlement', marketId: 'RED', settlementValue: '0' })).toBe(
      'market_in_event_group',
    );
  });
});
