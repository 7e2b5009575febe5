import { describe, expect, it } from 'vitest';
import type { Command } from './commands.js';
import { Engine } from './engine.js';
import { HASH_PARTS, StateHash } from './state-hash.js';

const deposit = (accountId: number, amount: string): Command => ({
  type: 'move_money',
  debit: { rail: 'bank' },
  credit: { accountId },
  asset: 'USD',
  amount,
  reason: 'deposit',
  reference: '',
});

function opened(): { engine: Engine; ann: number; bob: number } {
  const engine = new Engine();
  engine.beginBatch(0);
  engine.apply({ type: 'create_asset', code: 'USD', scale: 2 });
  const [ann, bob] = ['ann', 'bob'].map((name) => {
    engine.apply({ type: 'create_account', kind: 'trading', name, owner: name });
    return engine.state.sequence;
  });
  return { engine, ann: ann!, bob: bob! };
}

describe('StateHash', () => {
  it('does not depend on the way to a state', () => {
    const [one, other] = [opened(), opened()];
    for (const amount of ['1', '2', '3']) one.engine.apply(deposit(one.ann, amount));
    for (const amount of ['3', '1', '2']) other.engine.apply(deposit(other.ann, amount));
    expect(StateHash.of(other.engine.state).parts()).toEqual(StateHash.of(one.engine.state).parts());
  });

  it('tells states apart, and in which part', () => {
    const { engine, ann, bob } = opened();
    engine.apply(deposit(ann, '5'));
    const before = StateHash.of(engine.state).parts();
    engine.apply({
      type: 'place_hold',
      ownerKind: 'payout',
      ownerId: 'p',
      accountId: ann,
      asset: 'USD',
      amount: '1',
    });
    const held = StateHash.of(engine.state).parts();
    const differing = HASH_PARTS.filter((part) => held[part] !== before[part]);
    expect(differing).toEqual(['balances', 'holds']);
    expect(bob).not.toBe(ann);
  });

  it('knows how well the owners of accounts are known', () => {
    const { engine, ann } = opened();
    const hash = StateHash.of(engine.state);
    const unknown = hash.parts();
    const setLevel = (level: number): void => {
      const changes = engine.beginBatch(0);
      engine.apply({ type: 'set_kyc_level', accountId: ann, level });
      hash.update(changes);
    };
    setLevel(1);
    expect(HASH_PARTS.filter((part) => hash.part(part) !== unknown[part])).toEqual(['accounts']);
    expect(hash.parts()).toEqual(StateHash.of(engine.state).parts());
    setLevel(0);
    expect(hash.parts()).toEqual(unknown);
  });

  it('comes back to what it was when the state does', () => {
    const { engine, ann } = opened();
    engine.apply(deposit(ann, '5'));
    const hash = StateHash.of(engine.state);
    const before = hash.parts();
    for (const type of ['place_hold', 'release_hold'] as const) {
      const changes = engine.beginBatch(0);
      const owner = { ownerKind: 'payout', ownerId: 'p' } as const;
      engine.apply(
        type === 'place_hold'
          ? { type, ...owner, accountId: ann, asset: 'USD', amount: '1' }
          : { type, ...owner },
      );
      hash.update(changes);
    }
    expect(hash.parts()).toEqual(before);
  });

  it('goes on from stored parts', () => {
    const { engine, ann } = opened();
    engine.apply(deposit(ann, '5'));
    const hash = new StateHash(StateHash.of(engine.state).parts());
    hash.update(engine.beginBatch(0));
    expect(hash.total(engine.state.sequence)).toBe(StateHash.of(engine.state).total(engine.state.sequence));
    expect(hash.total(1)).not.toBe(hash.total(2));
    expect(hash.part('balances')).toMatch(/^[0-9a-f]{64}$/);
  });
});
