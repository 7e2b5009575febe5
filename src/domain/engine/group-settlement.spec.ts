import { beforeEach, describe, expect, it } from 'vitest';
import { GROUP, GroupScene, MARKETS, split } from '../../../test/support/domain/group-scene.js';
import { amountOf, ONE } from '../money/amount.js';
import type { Command, CorrectEventGroup, MoveMoney } from './commands.js';

let scene: GroupScene;
beforeEach(() => {
  scene = new GroupScene();
});

describe('the settlement of a group', () => {
  const settle = (winningMarketId: string, holders?: readonly number[]): Command => ({
    type: 'settle_event_group',
    groupId: 'WINNER',
    winningMarketId,
    ...(holders !== undefined && { holders }),
  });

  beforeEach(() => {
    scene.send(GROUP);
    scene.trade(scene.ann, scene.bob, 'RED', 10, 30);
    scene.trade(scene.cat, scene.bob, 'GREEN', 10, 30);
    scene.send(split(scene.cat, 5));
  });

  it('pays one market at 1 and the others at 0, and profits and losses add up to zero', () => {
    scene.close(...MARKETS);
    scene.send(settle('RED'));
    expect([scene.ann, scene.bob, scene.cat].map((id) => scene.moneyOf(id))).toEqual(['107', '96', '97']);
    expect([scene.pool(), scene.realizedBy(scene.ann, scene.bob, scene.cat)]).toEqual(['0', '0']);
    expect([...scene.engine.state.markets.values()].map(({ settlementValue }) => settlementValue)).toEqual([
      ONE,
      0n,
      0n,
    ]);
  });

  it('is paid in parts like that of a market', () => {
    scene.close(...MARKETS);
    scene.send(settle('BLUE', [scene.ann]));
    expect([...scene.engine.state.markets.values()].map(({ status }) => status)).toEqual([
      'settling',
      'settling',
      'settling',
    ]);
    for (const marketId of MARKETS)
      scene.send({ type: 'continue_settlement', marketId, holders: [scene.bob, scene.cat] });
    expect([[scene.ann, scene.bob, scene.cat].map((id) => scene.moneyOf(id)), scene.pool()]).toEqual([
      ['97', '106', '97'],
      '0',
    ]);
  });

  it('is previewed', () => {
    scene.close(...MARKETS);
    expect(scene.engine.preview({ ...settle('BLUE'), type: 'settle_event_group' } as never)).toEqual({
      asset: 'USD',
      toLongs: amountOf('15'),
      toShorts: 0n,
      paidBack: 0n,
    });
  });

  it('is refused while a market is open, for a market of elsewhere, and a second time', () => {
    scene.close('RED', 'GREEN');
    expect(scene.refused(settle('RED'))).toBe('invalid_status_change');
    scene.close('BLUE');
    expect(scene.refused(settle('OTHER'))).toBe('market_not_found');
    scene.send(settle('RED'));
    expect(scene.refused(settle('GREEN'))).toBe('invalid_status_change');
  });

  it('is refused in words that say what it waits for, or which market the group lacks', () => {
    scene.close('RED', 'GREEN');
    expect(scene.refusalOf(settle('RED'))).toEqual({
      code: 'invalid_status_change',
      message: 'BLUE is open. A group is settled once, when all its markets are closed.',
    });
    expect(scene.refusalOf(settle('OTHER'))).toEqual({
      code: 'market_not_found',
      message: 'The group has no market OTHER.',
    });
  });

  it('answers with the group, and its correction does, too', () => {
    scene.close(...MARKETS);
    expect(scene.send(settle('RED'))).toEqual({ type: 'event_group', groupId: 'WINNER' });
    expect(scene.send({ ...settle('BLUE'), type: 'correct_event_group' } as CorrectEventGroup)).toEqual({
      type: 'event_group',
      groupId: 'WINNER',
    });
  });

  it('is the only one that its markets have', () => {
    scene.close(...MARKETS);
    const alone = {
      type: 'set_market_status',
      marketId: 'RED',
      status: 'settled',
      settlementValue: '1',
    } as const;
    expect(scene.refused(alone)).toBe('market_in_event_group');
    scene.send(settle('RED'));
    expect(scene.refused({ type: 'correct_settlement', marketId: 'RED', settlementValue: '0' })).toBe(
      'market_in_event_group',
    );
  });

  describe('that was wrong', () => {
    const correct = (winningMarketId: string): Command => ({
      type: 'correct_event_group',
      groupId: 'WINNER',
      winningMarketId,
    });
    const balances = () => [scene.ann, scene.bob, scene.cat].map((id) => scene.moneyOf(id));

    it('pays as if the other market had won at once', () => {
      const profits = () => [scene.ann, scene.bob, scene.cat].map((id) => scene.realizedBy(id));
      scene.close(...MARKETS);
      scene.send(settle('RED'));
      expect(profits()).toEqual(['7', '-4', '-3']);
      scene.send(correct('BLUE'));
      expect([balances(), scene.pool()]).toEqual([['97', '106', '97'], '0']);
      expect(profits()).toEqual(['-3', '6', '-3']);
      const { markets } = scene.engine.state;
      expect(MARKETS.map((marketId) => markets.get(marketId)!.settlementValue)).toEqual([0n, 0n, ONE]);
      expect(MARKETS.map((marketId) => markets.get(marketId)!.status)).toEqual(MARKETS.map(() => 'settled'));
      scene.send(correct('RED'));
      expect(balances()).toEqual(['107', '96', '97']);
    });

    it('leaves a record of what has changed', () => {
      scene.close(...MARKETS);
      scene.send(settle('RED'));
      const before = scene.changes.settlements.length;
      scene.send(correct('BLUE'));
      const records = scene.changes.settlements.slice(before);
      expect(records.map(({ marketId, settlementValue }) => [marketId, settlementValue])).toEqual([
        ['RED', 0n],
        ['BLUE', ONE],
      ]);
      const reversals = scene.changes.transfers.filter(({ reason }) => reason === 'reversal');
      // What cat has in both markets makes up for each other, so nothing moves there.
      expect(reversals.map(({ amount, reference }) => [amount, reference])).toEqual([
        [amountOf('10'), 'WINNER'],
        [amountOf('10'), 'WINNER'],
      ]);
    });

    it('is previewed', () => {
      scene.close(...MARKETS);
      scene.send(settle('RED'));
      // Longs in RED have 15, those in BLUE 15, too: bob's ten shorts became contracts of BLUE.
      expect(scene.engine.preview(correct('BLUE') as never)).toEqual({
        asset: 'USD',
        toLongs: 0n,
        toShorts: 0n,
        paidBack: amountOf('10'),
      });
      expect(balances()).toEqual(['107', '96', '97']);
    });

    it('stays where somebody has spent what would go back', () => {
      scene.close(...MARKETS);
      scene.send(settle('RED'));
      const withdraw = (amount: string): Command => ({
        type: 'move_money',
        debit: { accountId: scene.ann },
        credit: { rail: 'bank' },
        asset: 'USD',
        amount,
        reason: 'withdrawal',
        reference: '',
      });
      scene.send(withdraw('97.01'));
      expect(scene.refused(correct('BLUE'))).toBe('settlement_not_reversible');
      expect(balances()).toEqual(['9.99', '96', '97']);
      scene.send({
        ...(withdraw('0.01') as MoveMoney),
        debit: { rail: 'bank' },
        credit: { accountId: scene.ann },
      });
      scene.send(correct('BLUE'));
      expect(scene.moneyOf(scene.ann)).toBe('0');
    });

    it('moves money in the order of account ids: first from who pays back, then to who is paid', () => {
      scene = new GroupScene();
      scene.send(GROUP);
      scene.trade(scene.cat, scene.bob, 'RED', 10, 40);
      scene.trade(scene.bob, scene.ann, 'BLUE', 10, 40);
      scene.close(...MARKETS);
      scene.send(settle('RED'));
      const { transfers } = scene.engine.beginBatch(2);
      scene.send(correct('BLUE'));
      // RED comes first, and in it bob's short and what cat won; ann has a short in BLUE alone.
      const pool = scene.engine.state.groups.get('WINNER')!.poolAccountId;
      expect(
        transfers.map(({ debitAccountId, creditAccountId, amount }) => [
          debitAccountId,
          creditAccountId,
          amount,
        ]),
      ).toEqual([
        [scene.ann, pool, amountOf('10')],
        [scene.cat, pool, amountOf('10')],
        [pool, scene.bob, amountOf('20')],
      ]);
    });

    it('is refused in words that say which market is not settled yet, or has won already', () => {
      const code = 'invalid_status_change';
      scene.close(...MARKETS);
      expect(scene.refusalOf(correct('BLUE'))).toEqual({
        code,
        message: 'RED is closed. A settlement is corrected once all markets of the group are settled.',
      });
      scene.send(settle('RED'));
      expect(scene.refusalOf(correct('RED'))).toEqual({
        code,
        message: 'The group is settled with this market as its winner already.',
      });
    });

    it('is corrected once everybody has been paid, to another market of the group', () => {
      expect(scene.refused({ ...(correct('RED') as CorrectEventGroup), groupId: 'OTHER' })).toBe(
        'event_group_not_found',
      );
      scene.close(...MARKETS);
      expect(scene.refused(correct('RED'))).toBe('invalid_status_change');
      scene.send(settle('RED', [scene.ann]));
      expect(scene.refused(correct('BLUE'))).toBe('invalid_status_change');
      for (const marketId of MARKETS)
        scene.send({ type: 'continue_settlement', marketId, holders: [scene.bob, scene.cat] });
      expect(scene.refused(correct('RED'))).toBe('invalid_status_change');
      expect(scene.refused(correct('OTHER'))).toBe('market_not_found');
      scene.send(correct('GREEN'));
    });
  });
});
