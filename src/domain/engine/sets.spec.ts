import { beforeEach, describe, expect, it } from 'vitest';
import { GROUP, GroupScene, MARKETS, merge, order, split } from '../../../test/support/domain/group-scene.js';
import { amountOf } from '../money/amount.js';
import type { Changes } from './changes.js';
import type { Command } from './commands.js';
import type { Position } from './state.js';

let scene: GroupScene;
let changes: Changes;
beforeEach(() => {
  startWith();
});

function startWith(terms?: ConstructorParameters<typeof GroupScene>[0]): void {
  scene = new GroupScene(terms);
  scene.send(GROUP);
  changes = scene.engine.beginBatch(2);
}

function positionsOf(accountId: number): Position[] {
  const account = scene.engine.state.accounts.get(accountId)!;
  return MARKETS.map((marketId) => account.positionIn(scene.engine.state.markets.get(marketId)!));
}

const costs = (accountId: number): bigint[] => positionsOf(accountId).map(({ costBasis }) => costBasis);
const profits = (accountId: number): bigint[] => positionsOf(accountId).map(({ realizedPnl }) => realizedPnl);
const amounts = (...texts: readonly string[]): bigint[] => texts.map(amountOf);

/** The prices of the set that was traded last. */
function prices(): bigint[] {
  return changes.setLegs.slice(-MARKETS.length).map(({ price }) => price);
}

describe('the trade of sets', () => {
  it('leaves a record of the money, and one in each market', () => {
    const pool = scene.engine.state.groups.get('WINNER')!.poolAccountId;
    const { sequence } = scene.engine.state;
    scene.send(split(scene.ann, 5));
    scene.send(merge(scene.ann, 2));
    const [third, rest] = amounts('0.333333333333333333', '0.333333333333333334');
    const legs = (firstId: number, side: string, sizeLots: number): object[] =>
      [third, third, rest].map((price, index) => ({
        legId: firstId + index,
        marketId: MARKETS[index],
        accountId: scene.ann,
        side,
        sizeLots,
        price,
        bookedAtMs: 2,
      }));
    // Each command takes a number itself, and gives one to each leg and then to the transfer.
    expect(changes.setLegs).toEqual([...legs(sequence + 2, 'buy', 5), ...legs(sequence + 7, 'sell', 2)]);
    expect(changes.transfers).toMatchObject([
      {
        transferId: sequence + 5,
        debitAccountId: scene.ann,
        creditAccountId: pool,
        asset: 'USD',
        amount: amountOf('5'),
        reason: 'event_split',
        reference: 'WINNER',
      },
      {
        transferId: sequence + 10,
        debitAccountId: pool,
        creditAccountId: scene.ann,
        asset: 'USD',
        amount: amountOf('2'),
        reason: 'event_merge',
        reference: 'WINNER',
      },
    ]);
    expect(changes.positions).toEqual(positionsOf(scene.ann));
    expect(changes.markets.map(({ definition }) => definition.marketId)).toEqual(MARKETS);
  });

  it('takes all but the orders that lose their cover can hold, and no more', () => {
    scene.trade(scene.bob, scene.ann, 'RED', 10, 40);
    scene.send(order(scene.ann, 'RED', 'buy', 10, 30));
    // 94 are left. Ten shorts pay for ten of the sets, and the order holds 3 without them.
    expect(scene.refused(split(scene.ann, 102))).toBe('insufficient_funds');
    scene.send(split(scene.ann, 101));
    expect([scene.moneyOf(scene.ann), scene.heldBy(scene.ann)]).toEqual(['0', amountOf('3')]);
  });
});

describe('the prices of a set', () => {
  it('are equal in the markets that it opens, and those before in the ones that it closes', () => {
    scene.trade(scene.bob, scene.ann, 'GREEN', 10, 40);
    scene.send(split(scene.ann, 10));
    expect(prices()).toEqual(amounts('0.3', '0.4', '0.3'));
    expect(costs(scene.ann)).toEqual(amounts('3', '0', '3'));
    expect(profits(scene.ann)).toEqual([0n, 0n, 0n]);
  });

  it('leave the rest of 1 to what two shorts become', () => {
    scene.trade(scene.ann, scene.bob, 'RED', 10, 40);
    scene.trade(scene.cat, scene.bob, 'BLUE', 10, 50);
    expect(prices()).toEqual(amounts('0.4', '0.1', '0.5'));
    expect(costs(scene.bob)).toEqual(amounts('0', '1', '0'));
    expect(profits(scene.bob)).toEqual([0n, 0n, 0n]);
  });

  it('leave nothing where two shorts were sold for more than 1, and share out the profit by price', () => {
    scene.trade(scene.ann, scene.bob, 'RED', 10, 50);
    scene.trade(scene.cat, scene.bob, 'BLUE', 10, 75);
    // 0.50 and 0.75 are five times 0.10 and 0.15; of 1 they are four fifths.
    expect(prices()).toEqual(amounts('0.4', '0', '0.6'));
    expect(costs(scene.bob)).toEqual([0n, 0n, 0n]);
    expect(profits(scene.bob)).toEqual(amounts('1', '0', '1.5'));
    expect(scene.sizesOf(scene.bob)).toEqual([0, 10, 0]);
  });

  it('share out the profit of who bought a set below 1', () => {
    scene.trade(scene.ann, scene.bob, 'RED', 10, 24);
    scene.trade(scene.ann, scene.bob, 'GREEN', 10, 16);
    scene.trade(scene.ann, scene.cat, 'BLUE', 10, 40);
    // 0.80 became 1, so each became five fourths.
    expect(prices()).toEqual(amounts('0.3', '0.2', '0.5'));
    expect(profits(scene.ann)).toEqual(amounts('0.6', '0.4', '1'));
  });

  it('have no more decimals than lots can be paid with', () => {
    startWith({ lotSize: '0.1' });
    scene.send(split(scene.ann, 1));
    const [third, rest] = amounts('0.33333333333333333', '0.33333333333333334');
    expect(prices()).toEqual([third, third, rest]);
    expect(costs(scene.ann)).toEqual([third! / 10n, third! / 10n, rest! / 10n]);
    // 0.1 at 0.50 and 0.2 at 0.49 are 0.148, or 0.49333… each.
    scene.trade(scene.cat, scene.bob, 'RED', 1, 50);
    scene.trade(scene.cat, scene.bob, 'RED', 2, 49);
    scene.send(split(scene.bob, 3));
    expect(prices()).toEqual(amounts('0.49333333333333333', '0.25333333333333333', '0.25333333333333334'));
  });
});

describe('sets that cannot be counted any more', () => {
  beforeEach(() => {
    startWith({ bounds: { lots: 10 } });
  });

  it('are refused to an account, with all that its orders could still buy', () => {
    scene.send(order(scene.ann, 'GREEN', 'buy', 5, 1));
    expect(scene.refusalOf(split(scene.ann, 6))).toEqual({
      code: 'size_out_of_range',
      message: 'There would be more contracts than can be counted. Send less.',
    });
    scene.send(split(scene.ann, 5));
  });

  it('are refused to an open interest, unless they close what is counted in it', () => {
    for (const lots of [5, 1]) scene.trade(scene.ann, scene.bob, 'RED', lots, 40);
    expect(scene.refused(split(scene.cat, 5))).toBe('size_out_of_range');
    scene.send(split(scene.bob, 10));
    expect(scene.sizesOf(scene.bob)).toEqual([4, 10, 10]);
  });

  it('are refused to nobody for orders of others', () => {
    scene.send(order(scene.cat, 'RED', 'buy', 5, 1));
    scene.send(split(scene.ann, 10));
    expect(scene.sizesOf(scene.ann)).toEqual([10, 10, 10]);
  });

  it('are not sold where stops could go short by more', () => {
    scene.send(split(scene.ann, 10));
    const stop: Command = {
      ...order(scene.ann, 'GREEN', 'sell', 10, 1),
      orderType: 'stop',
      priceTicks: null,
      stopPriceTicks: 1,
    };
    scene.send(stop);
    scene.send({ ...stop, sizeLots: 5 });
    // 15 sold of 10 make a short of 5.
    expect(scene.refusalOf(merge(scene.ann, 6))).toEqual({
      code: 'size_out_of_range',
      message: 'The account has too many stops on these contracts. Cancel some first.',
    });
    scene.send(merge(scene.ann, 5));
    expect(scene.sizesOf(scene.ann)).toEqual([5, 5, 5]);
  });
});
