import { beforeEach, describe, expect, it } from 'vitest';
import { event } from '../../../test/support/domain/markets.js';
import { GROUP, GroupScene, MARKETS, merge, order, split } from '../../../test/support/domain/group-scene.js';
import { amountOf, ONE } from '../money/amount.js';
import type { Command } from './commands.js';

let scene: GroupScene;
beforeEach(() => {
  scene = new GroupScene();
});

describe('a new group', () => {
  const create = (terms: Partial<Omit<Extract<Command, { type: 'create_event_group' }>, 'type'>> = {}) =>
    scene.refused({ ...GROUP, ...terms });

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
    scene.send({ type: 'create_asset', code: 'EUR', scale: 2 });
    for (const marketId of ['YES', 'SHUT']) scene.send(event({ marketId }));
    scene.send(event({ marketId: 'FINE', lotSize: '0.1' }));
    scene.send(event({ marketId: 'EURO', quoteAsset: 'EUR' }));
    scene.send({ type: 'set_market_status', marketId: 'SHUT', status: 'closed', settlementValue: null });
    scene.send(GROUP);
    expect(create({ groupId: 'OTHER', ...terms, ...(code === 'event_group_exists' && GROUP) })).toBe(code);
  });

  it('takes markets that nobody has used', () => {
    scene.send(order(scene.ann, 'RED', 'buy', 1, 10));
    expect(create()).toBe('invalid_event_group');
    scene.send({ type: 'cancel_all_orders', accountId: scene.ann, marketId: null });
    scene.trade(scene.ann, scene.bob, 'GREEN', 1, 10);
    expect(create()).toBe('invalid_event_group');
  });
});

describe('a set', () => {
  beforeEach(() => void scene.send(GROUP));

  it('costs 1 and is worth 1', () => {
    scene.send(split(scene.ann, 10));
    expect([scene.sizesOf(scene.ann), scene.moneyOf(scene.ann), scene.pool()]).toEqual([
      [10, 10, 10],
      '90',
      '10',
    ]);
    scene.send(merge(scene.ann, 4));
    expect([
      scene.sizesOf(scene.ann),
      scene.moneyOf(scene.ann),
      scene.pool(),
      scene.realizedBy(scene.ann),
    ]).toEqual([[6, 6, 6], '94', '6', '0']);
  });

  it('is booked at prices that add up to 1', () => {
    scene.send(split(scene.ann, 1));
    scene.trade(scene.bob, scene.cat, 'RED', 1, 50);
    scene.trade(scene.bob, scene.cat, 'GREEN', 1, 41);
    scene.trade(scene.bob, scene.cat, 'BLUE', 1, 22);
    expect(scene.sizesOf(scene.bob)).toEqual([0, 0, 0]);
    const sets = scene.changes.setLegs.length / MARKETS.length;
    expect(sets).toBe(3); // ann's, what two of cat's shorts became, bob's
    for (let set = 0; set < sets; set++) {
      const legs = scene.changes.setLegs.slice(set * MARKETS.length, (set + 1) * MARKETS.length);
      expect(legs.reduce((sum, { price }) => sum + price, 0n)).toBe(ONE);
    }
  });

  it.each([
    [
      'there is no such group',
      (): Command => ({ ...split(scene.ann, 1), groupId: 'OTHER' }) as Command,
      'event_group_not_found',
    ],
    ['there is no such account', () => split(99, 1), 'account_not_found'],
    ['the size is none', () => split(scene.ann, 0), 'size_out_of_range'],
    ['the size is no whole number', () => split(scene.ann, 0.5), 'size_out_of_range'],
    ['the size cannot be counted', () => split(scene.ann, Number.MAX_SAFE_INTEGER + 1), 'size_out_of_range'],
    ['there is not enough money', () => split(scene.ann, 101), 'insufficient_funds'],
    ['there are not enough sets', () => merge(scene.ann, 1), 'insufficient_funds'],
  ])('is refused where %s', (_what, command, code) => {
    expect(scene.refused(command())).toBe(code);
  });

  it('needs an account that is not frozen, and open markets', () => {
    scene.send({ type: 'set_account_frozen', accountId: scene.ann, frozen: true });
    expect([scene.refused(split(scene.ann, 1)), scene.refused(merge(scene.ann, 1))]).toEqual([
      'account_frozen',
      'account_frozen',
    ]);
    scene.send({ type: 'set_market_status', marketId: 'BLUE', status: 'halted', settlementValue: null });
    expect(scene.refused(split(scene.bob, 1))).toBe('market_not_open');
  });

  it('leaves contracts alone that sell orders close', () => {
    scene.send(split(scene.ann, 10));
    scene.send(order(scene.ann, 'GREEN', 'sell', 7, 60));
    expect(scene.refused(merge(scene.ann, 4))).toBe('insufficient_funds');
    scene.send(merge(scene.ann, 3));
    expect(scene.sizesOf(scene.ann)).toEqual([7, 7, 7]);
  });

  it('closes shorts where it is bought, and needs money for the orders that they covered', () => {
    scene.trade(scene.bob, scene.ann, 'RED', 10, 40);
    scene.send(order(scene.ann, 'RED', 'buy', 10, 30));
    expect(scene.moneyOf(scene.ann)).toBe('94');
    expect(scene.refused(split(scene.ann, 102))).toBe('insufficient_funds');
    scene.send(split(scene.ann, 10));
    // Ten sets for nothing, since ten shorts are closed; the order holds 3 from now on.
    expect([scene.sizesOf(scene.ann), scene.moneyOf(scene.ann)]).toEqual([[0, 10, 10], '91']);
  });

  it('counts as opened for the limits of its owner', () => {
    scene.send({ type: 'renew_self_limits', accountId: scene.ann });
    const asOf = scene.engine.state.accounts.get(scene.ann)!.limitsSequence!;
    const allowed = (max: string): Command =>
      ({ ...split(scene.ann, 5), allowance: { asOf, max } }) as Command;
    expect(scene.refused(split(scene.ann, 5))).toBe('self_limits_changed');
    expect(scene.refused(allowed('4'))).toBe('self_limit_exceeded');
    scene.send(allowed('5'));
    expect(scene.engine.state.accounts.get(scene.ann)!.limitsTaken).toBe(amountOf('5'));
  });
});

describe('netting', () => {
  beforeEach(() => void scene.send(GROUP));

  it('makes money of all outcomes at once, with the profit of buying them below 1', () => {
    scene.trade(scene.ann, scene.bob, 'RED', 10, 30);
    scene.trade(scene.ann, scene.cat, 'GREEN', 10, 30);
    expect(scene.sizesOf(scene.ann)).toEqual([10, 10, 0]);
    scene.trade(scene.ann, scene.bob, 'BLUE', 10, 30);
    expect([scene.sizesOf(scene.ann), scene.moneyOf(scene.ann), scene.realizedBy(scene.ann)]).toEqual([
      [0, 0, 0],
      '101',
      '1',
    ]);
  });

  it('keeps for shorts no more than their worst case', () => {
    scene.trade(scene.ann, scene.bob, 'RED', 10, 30);
    expect(scene.moneyOf(scene.bob)).toBe('93');
    scene.trade(scene.cat, scene.bob, 'GREEN', 10, 30);
    // Of two shorts only one can lose: what is left is 10 long in the third market, for 0.40 each.
    expect([scene.sizesOf(scene.bob), scene.moneyOf(scene.bob), scene.realizedBy(scene.bob)]).toEqual([
      [0, 0, 10],
      '96',
      '0',
    ]);
  });

  it('frees all but one of the shorts in every market', () => {
    scene.trade(scene.ann, scene.bob, 'RED', 10, 50);
    scene.send(order(scene.bob, 'RED', 'buy', 10, 1)); // covers, so the short stays
    scene.trade(scene.cat, scene.bob, 'GREEN', 10, 30);
    expect(scene.sizesOf(scene.bob)).toEqual([-10, -10, 0]);
    scene.send({ type: 'cancel_all_orders', accountId: scene.bob, marketId: null });
    expect(scene.sizesOf(scene.bob)).toEqual([-10, -10, 0]);
    scene.trade(scene.cat, scene.bob, 'BLUE', 10, 30);
    // Sold for 1.10 together: 0.10 of profit for each.
    expect([scene.sizesOf(scene.bob), scene.moneyOf(scene.bob), scene.realizedBy(scene.bob)]).toEqual([
      [0, 0, 0],
      '101',
      '1',
    ]);
  });

  it('gives cover to the orders that sell what it opens', () => {
    scene.trade(scene.ann, scene.bob, 'RED', 10, 30);
    scene.send(order(scene.bob, 'BLUE', 'sell', 10, 80));
    expect(scene.moneyOf(scene.bob)).toBe('91');
    scene.trade(scene.cat, scene.bob, 'GREEN', 10, 30);
    expect([scene.sizesOf(scene.bob), scene.moneyOf(scene.bob)]).toEqual([[0, 0, 10], '96']);
  });

  it('is told by the preview of the order that leads to it', () => {
    scene.trade(scene.ann, scene.bob, 'RED', 10, 30);
    scene.send(order(scene.bob, 'BLUE', 'sell', 10, 80));
    scene.send(order(scene.cat, 'GREEN', 'buy', 10, 30));
    const short = order(scene.bob, 'GREEN', 'sell', 12, 30);
    const before = scene.moneyOf(scene.bob);
    // Two shorts for one set, and the order in BLUE closes what it sells. Two lots more rest.
    expect(scene.engine.preview(short)).toMatchObject({
      filledLots: 10,
      hold: { asset: 'USD', amount: amountOf('1.4') },
      netting: { mergedLots: 0, convertedLots: 10, paid: amountOf('10'), released: amountOf('2') },
    });
    expect(scene.moneyOf(scene.bob)).toBe(before);
    scene.send(short);
    expect([before, scene.moneyOf(scene.bob)]).toEqual(['91', '94.6']);
    expect(scene.engine.preview(order(scene.ann, 'GREEN', 'buy', 1, 30))).toMatchObject({ netting: null });
  });

  it('leaves exits of a list their contracts', () => {
    scene.send(split(scene.ann, 5));
    const {
      type: _,
      accountId,
      marketId,
      clientOrderId: __,
      ...entry
    } = order(scene.ann, 'RED', 'buy', 5, 40);
    const exit = { ...entry, side: 'sell' as const, priceTicks: 60 };
    const stop = { ...exit, orderType: 'stop' as const, priceTicks: null, stopPriceTicks: 20 };
    scene.send({
      type: 'place_order_list',
      accountId,
      marketId,
      clientListId: null,
      entry,
      exits: [exit, stop],
    });
    scene.send(order(scene.bob, 'RED', 'sell', 5, 40));
    expect(scene.sizesOf(scene.ann)).toEqual([5, 0, 0]);
  });
});
