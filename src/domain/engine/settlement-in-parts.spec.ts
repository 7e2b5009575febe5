import { beforeEach, describe, expect, it } from 'vitest';
import { GROUP, GroupScene, type MarketId, split } from '../../../test/support/domain/group-scene.js';
import { event, spot } from '../../../test/support/domain/markets.js';
import { amountOf, formatAmount } from '../money/amount.js';
import type { Changes } from './changes.js';
import type { Command, CommandResult } from './commands.js';
import { owedByGroup, setsExplaining } from './settlement.js';
import type { EventGroup, Market } from './state.js';

let scene: GroupScene;
let changes: Changes;
beforeEach(() => {
  scene = new GroupScene();
  for (const marketId of ['RED', 'GREEN'] as const) {
    scene.trade(scene.ann, scene.bob, marketId, 6, 50);
    scene.trade(scene.cat, scene.bob, marketId, 4, 50);
  }
  changes = scene.engine.beginBatch(2);
});

const settle = (marketId: string, settlementValue: string | null, holders?: readonly number[]): Command => ({
  type: 'set_market_status',
  marketId,
  status: 'settled',
  settlementValue,
  ...(holders !== undefined && { holders }),
});
const proceed = (marketId: string, holders: readonly number[]): Command => ({
  type: 'continue_settlement',
  marketId,
  holders,
});
const correct = (marketId: string, settlementValue: string): Command => ({
  type: 'correct_settlement',
  marketId,
  settlementValue,
});

function market(marketId: MarketId): Market {
  return scene.engine.state.markets.get(marketId)!;
}

/** What the pool of a market without a group has left. */
function poolOf(marketId: MarketId): string {
  return scene.moneyOf(market(marketId).poolAccountId!);
}

/** Starts a batch of its own, so that `changes` has nothing else. */
function sendAlone(command: Command): CommandResult {
  changes = scene.engine.beginBatch(3);
  return scene.send(command);
}

/** Accounts as if they had been loaded in another order. */
function moveToEnd(accountId: number): void {
  const { accounts } = scene.engine.state;
  const account = accounts.get(accountId)!;
  accounts.delete(accountId);
  accounts.set(accountId, account);
}

describe('a settlement that several commands pay', () => {
  beforeEach(() => {
    scene.close('RED', 'GREEN');
  });

  it('pays each holder in full or not at all, and leaves in the pool what the others get', () => {
    expect(sendAlone(settle('RED', '0.25', [scene.ann]))).toEqual({ type: 'market', marketId: 'RED' });
    expect([market('RED').status, poolOf('RED')]).toEqual(['settling', '8.5']);
    scene.send(proceed('RED', [scene.bob]));
    expect([market('RED').status, poolOf('RED')]).toEqual(['settling', '1']);
    expect(sendAlone(proceed('RED', [scene.cat]))).toEqual({ type: 'market', marketId: 'RED' });
    expect([market('RED').status, poolOf('RED')]).toEqual(['settled', '0']);
    expect([scene.ann, scene.bob, scene.cat].map((id) => scene.moneyOf(id))).toEqual(['95.5', '97.5', '97']);
  });

  it('says whom each command paid, and passes over who has nothing to get', () => {
    scene.send(settle('RED', '0.25', [scene.ann]));
    const { sequence } = scene.engine.state;
    sendAlone(proceed('RED', [scene.ann, scene.bob, scene.bob]));
    const position = scene.engine.state.accounts.get(scene.bob)!.positionIn(market('RED'));
    expect(changes.positions).toEqual([position]);
    expect(position).toMatchObject({ sizeLots: 0, settledLots: -10 });
    expect(changes.transfers).toMatchObject([
      { creditAccountId: scene.bob, amount: amountOf('7.5'), reason: 'settlement', reference: 'RED' },
    ]);
    expect(changes.settlementChunks).toEqual([
      {
        marketId: 'RED',
        sequence: sequence + 1,
        settlementValue: amountOf('0.25'),
        settledAtMs: 3,
        accountIds: [scene.bob],
      },
    ]);
  });

  it('that pays nobody leaves no trace of a payment', () => {
    scene.send(settle('RED', '0.25', []));
    sendAlone(proceed('RED', [scene.ann, scene.cat]));
    sendAlone(proceed('RED', [scene.ann]));
    expect(changes.settlementChunks).toEqual([]);
    expect([market('RED').status, poolOf('RED')]).toEqual(['settling', '7.5']);
  });

  it('lets the markets that are being settled take turns', () => {
    const { settling } = scene.engine.state;
    scene.send(settle('RED', '1', [scene.ann]));
    scene.send(settle('GREEN', '1', [scene.ann]));
    expect([...settling]).toEqual([market('RED'), market('GREEN')]);
    scene.send(proceed('RED', [scene.cat]));
    expect([...settling]).toEqual([market('GREEN'), market('RED')]);
    scene.send(proceed('RED', [scene.bob]));
    expect([...settling]).toEqual([market('GREEN')]);
    scene.send(proceed('GREEN', [scene.bob, scene.cat]));
    expect([...settling]).toEqual([]);
  });

  it('is no longer there to go on with once all are paid, and cannot be corrected before', () => {
    const code = 'invalid_status_change';
    expect(scene.refusalOf(proceed('NOWHERE', []))).toMatchObject({ code: 'market_not_found' });
    expect(scene.refusalOf(proceed('RED', []))).toEqual({
      code,
      message: 'A market that is closed has nobody to pay.',
    });
    scene.send(settle('RED', '0', [scene.ann]));
    expect(scene.refusalOf(correct('RED', '1'))).toEqual({
      code,
      message: 'A market that is settling has no settlement to correct.',
    });
    scene.send(proceed('RED', [scene.bob, scene.cat]));
    expect(scene.refusalOf(proceed('RED', []))).toEqual({
      code,
      message: 'A market that is settled has nobody to pay.',
    });
    expect(scene.refusalOf(correct('RED', '0'))).toEqual({
      code,
      message: 'The market is settled at this value already.',
    });
  });

  it('pays in the order of account ids, whatever the order in which accounts were loaded', () => {
    moveToEnd(scene.ann);
    sendAlone(settle('RED', '0.25'));
    const paid = changes.transfers.map(({ creditAccountId }) => creditAccountId);
    expect(paid).toEqual([scene.ann, scene.bob, scene.cat]);
    expect(changes.settlementChunks.map(({ accountIds }) => accountIds)).toEqual([paid]);
  });
});

describe('the correction of a settlement', () => {
  it('changes the positions of all holders and says at which value the market is settled now', () => {
    scene.close('RED');
    scene.send(settle('RED', '1'));
    const { sequence } = scene.engine.state;
    expect(sendAlone(correct('RED', '0'))).toEqual({ type: 'market', marketId: 'RED' });
    const positions = [scene.ann, scene.bob, scene.cat].map((id) =>
      scene.engine.state.accounts.get(id)!.positionIn(market('RED')),
    );
    expect(changes.positions).toEqual(positions);
    expect(positions.map(({ realizedPnl }) => Number(realizedPnl / 10n ** 18n))).toEqual([-3, 5, -2]);
    expect(
      changes.transfers.map(({ reason, reference, amount }) => [reason, reference, formatAmount(amount)]),
    ).toEqual([
      ['reversal', 'RED', '6'],
      ['reversal', 'RED', '4'],
      ['reversal', 'RED', '10'],
    ]);
    expect(changes.settlements).toEqual([
      { marketId: 'RED', sequence: sequence + 1, settlementValue: 0n, settledAtMs: 3 },
    ]);
  });
});

describe('the value of a settlement', () => {
  it('is refused in words that say what it must be', () => {
    scene.send({ type: 'create_asset', code: 'BTC', scale: 8 });
    scene.send(spot());
    scene.close('RED');
    scene.send({ type: 'set_market_status', marketId: 'BTC-USD', status: 'closed', settlementValue: null });
    expect(scene.refusalOf(settle('BTC-USD', '1'))).toEqual({
      code: 'invalid_status_change',
      message: 'Only event markets are settled.',
    });
    for (const value of [null, '1.01', '-0', 'one'])
      expect(scene.refusalOf(settle('RED', value))).toEqual({
        code: 'invalid_amount',
        message: 'settlement_value must be a plain decimal from 0 to 1.',
      });
  });

  it('has no more decimals than contracts can be paid with', () => {
    scene.send(event({ marketId: 'FINE', lotSize: '0.1' }));
    scene.send({ type: 'set_market_status', marketId: 'FINE', status: 'closed', settlementValue: null });
    expect(scene.refusalOf(settle('FINE', '0.333333333333333333'))).toEqual({
      code: 'amount_too_precise',
      message: 'settlement_value times lot_size has more than 18 decimals. Round it.',
    });
  });
});

describe('the sets of a group', () => {
  let group: EventGroup;
  beforeEach(() => {
    scene = new GroupScene();
    scene.send(GROUP);
    group = scene.engine.state.groups.get('WINNER')!;
    scene.send(split(scene.ann, 7));
  });

  it('are found again from what is in its pool', () => {
    const { state } = scene.engine;
    const pool = owedByGroup(state, group);
    expect(formatAmount(pool as never)).toBe(scene.pool());
    expect(group.setsLots).toBe(7);
    expect(setsExplaining(state, group, pool)).toBe(7);
    expect(setsExplaining(state, group, pool + group.sizeOf(2))).toBe(6);
  });

  it('are no whole number where the pool has a unit too many, or far too little', () => {
    const { state } = scene.engine;
    const pool = owedByGroup(state, group);
    expect(setsExplaining(state, group, pool + 1n)).toBeNull();
    expect(setsExplaining(state, group, pool - group.sizeOf(2) * 2n ** 53n)).toBeNull();
  });

  it('are settled together', () => {
    scene.close('RED');
    expect(scene.refusalOf(settle('RED', '1'))).toEqual({
      code: 'market_in_event_group',
      message: 'The market belongs to the event group WINNER. Its markets are settled together.',
    });
  });
});
