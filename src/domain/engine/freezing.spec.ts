import { describe, expect, it } from 'vitest';
import { event, spot } from '../../../test/support/domain/markets.js';
import { page } from '../../../test/support/domain/notebook.js';
import { Engine } from './engine.js';
import { HASH_PARTS, StateHash } from './state-hash.js';

const plain = { market: spot() };

describe('a frozen account', () => {
  page('cannot trade: no orders, no quotes, no acceptances', plain)`
    bob sells 5 @ 100
    ann is frozen
    ann buys 1 @ 100                => refused account_frozen
    ann buys 1 stop 120             => refused account_frozen
    ann is quoted 1 to buy          => refused account_frozen
    ann is quoted stake 100 to buy  => refused account_frozen
    ann accepts 1 to buy for 100    => refused account_frozen
    bob has 5 BTC, 5 held
    ann is unfrozen
    ann accepts 1 to buy for 100
    bob has 5 BTC, 4 held
  `;

  page('is told that it is frozen before it is told of the market', plain)`
    halts
    ann is frozen
    ann buys 1 @ 100                => refused account_frozen
    ann is unfrozen
    ann buys 1 @ 100                => refused market_not_open
  `;

  page('loses its resting orders and waiting stops, and keeps their money', plain)`
    ann buys 1 @ 90 as A
    ann buys 2 @ 80 as B
    ann buys 1 stop 120 as C
    ann is frozen
    A is cancelled account_frozen
    C is cancelled account_frozen
    book: - | -
    ann has 1000 USD
    bob sells 1 @ 90
    ann amends A to 2               => refused account_frozen
    ann cancels A                   => refused order_not_open
    ann cancels all
  `;

  page('pays nobody, and is paid', plain)`
    payout p1 holds 100 USD of ann
    ann is frozen
    ann gives bob 1 USD             => refused account_frozen
    ann withdraws 1 USD             => refused account_frozen
    payout p2 holds 1 USD of ann    => refused account_frozen
    transfer t1 holds 1 USD of ann  => refused account_frozen
    ann deposits 5 USD
    bob gives ann 7 USD
    ann has 912 USD, 100 held
  `;

  page('has what was on its way out paid or released', plain)`
    payout p1 holds 100 USD of ann
    payout p2 holds 50 USD of ann
    ann is frozen
    payout p1 is paid to bank
    payout p2 is released
    ann has 900 USD
  `;

  page('may be a wallet, and is nobody of the house', { market: event() })`
    vault is frozen
    vault gives ann 1 USD           => refused account_frozen
    ann gives vault 1 USD
    vault is unfrozen
    vault gives ann 1 USD
    pool is frozen                  => refused account_not_found
    nobody is frozen                => refused account_not_found
  `;

  page('is frozen or not, however often it is said', plain)`
    ann is unfrozen
    ann is frozen
    ann is frozen
    ann is unfrozen
    ann buys 1 @ 90
  `;

  it('gives back what reached it by mistake, and pays the fees of what left it before', () => {
    const { engine, ann } = opened();
    const fees = accountIn(engine, 'fees');
    engine.apply({ type: 'set_account_frozen', accountId: ann, frozen: true });
    const move = { type: 'move_money', asset: 'USD', amount: '1', reference: 'test' } as const;
    const debit = { accountId: ann };
    const isAllowed = [
      engine.apply({ ...move, debit, credit: { rail: 'bank' }, reason: 'reversal' }),
      engine.apply({ ...move, debit, credit: { rail: 'operator' }, reason: 'adjustment' }),
      engine.apply({ ...move, debit, credit: { accountId: fees }, reason: 'transfer' }),
      engine.apply({ ...move, debit, credit: { rail: 'bank' }, reason: 'withdrawal' }),
    ].map(({ ok }) => ok);
    expect(isAllowed).toEqual([true, true, true, false]);
  });
});

describe('the hash of the state', () => {
  it('knows who is frozen, and is what it was for everybody else', () => {
    const { engine, ann } = opened();
    const hash = StateHash.of(engine.state);
    const before = hash.parts();
    const setFrozen = (frozen: boolean): void => {
      const changes = engine.beginBatch(0);
      engine.apply({ type: 'set_account_frozen', accountId: ann, frozen });
      hash.update(changes);
    };
    setFrozen(true);
    expect(HASH_PARTS.filter((part) => hash.part(part) !== before[part])).toEqual(['accounts']);
    expect(hash.parts()).toEqual(StateHash.of(engine.state).parts());
    setFrozen(false);
    expect(hash.parts()).toEqual(before);
  });
});

function opened(): { engine: Engine; ann: number } {
  const engine = new Engine();
  engine.beginBatch(0);
  engine.apply({ type: 'create_asset', code: 'USD', scale: 2 });
  const opening = engine.apply({ type: 'create_account', kind: 'trading', name: 'ann', owner: 'user:ann' });
  if (!opening.ok || opening.result.type !== 'account') throw new Error('not opened');
  const ann = opening.result.accountId;
  engine.apply({
    type: 'move_money',
    debit: { rail: 'bank' },
    credit: { accountId: ann },
    asset: 'USD',
    amount: '10',
    reason: 'deposit',
    reference: 'test',
  });
  return { engine, ann };
}

function accountIn(engine: Engine, kind: 'fees'): number {
  const opening = engine.apply({ type: 'create_account', kind, name: 'payouts', owner: null });
  if (!opening.ok || opening.result.type !== 'account') throw new Error('not opened');
  return opening.result.accountId;
}
