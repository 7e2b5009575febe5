import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { contextOf } from '../../../test/support/domain/context.js';
import { InvariantError } from '../invariant.js';
import { Changes } from './changes.js';
import type { Context } from './context.js';
import { changeHeld, createAccount, feesAccount, railAccount, transfer } from './ledger.js';
import { type Account, EngineState } from './state.js';

const TIME_MS = 1_000;

function newContext(): Context {
  return contextOf(new EngineState(), new Changes(1), TIME_MS);
}

const terms = (units: bigint) =>
  ({ asset: 'USD', units, reason: 'transfer', reference: 'rent of May' }) as const;

let context: Context;
let ann: Account;
let bob: Account;

beforeEach(() => {
  context = newContext();
  ann = createAccount(context, 'trading', 'ann', 'user:ann');
  bob = createAccount(context, 'trading', 'bob', 'user:bob');
  ann.balanceOf('USD').available = 10n;
});

describe('a transfer', () => {
  it('takes from one account what it gives to the other, and says so in one row', () => {
    ann.balanceOf('USD').held = 3n;
    const sequence = context.state.sequence + 1;
    expect(transfer(context, ann, bob, terms(4n))).toBe(sequence);
    expect([ann.balanceOf('USD').available, bob.balanceOf('USD').available]).toEqual([6n, 4n]);
    expect(context.state.sequence).toBe(sequence);
    expect(context.changes.transfers).toEqual([
      {
        transferId: sequence,
        debitAccountId: ann.accountId,
        creditAccountId: bob.accountId,
        asset: 'USD',
        amount: 4n,
        reason: 'transfer',
        reference: 'rent of May',
        debitBalanceAfter: 9n,
        creditBalanceAfter: 4n,
        createdAtMs: TIME_MS,
      },
    ]);
    expect(context.changes.balances).toEqual([ann.balanceOf('USD'), bob.balanceOf('USD')]);
  });

  it('of nothing leaves no row, takes no number and changes no balance', () => {
    const { sequence } = context.state;
    expect(transfer(context, ann, bob, terms(0n))).toBe(0);
    expect(context.state.sequence).toBe(sequence);
    expect([context.changes.transfers, context.changes.balances]).toEqual([[], []]);
  });

  it('of less than nothing is a fault', () => {
    const move = (): number => transfer(context, ann, bob, terms(-1n));
    expect(move).toThrow(InvariantError);
    expect(move).toThrow(`a transfer moves a positive amount (-1, transfer, ${ann.accountId})`);
    expect(ann.balanceOf('USD').available).toBe(10n);
  });

  it('from an account to itself is a fault', () => {
    const move = (): number => transfer(context, ann, ann, terms(1n));
    expect(move).toThrow(InvariantError);
    expect(move).toThrow(`a transfer goes to another account (transfer, ${ann.accountId})`);
    expect(context.changes.transfers).toEqual([]);
  });

  it('keeps the sum of all balances, and its rows lead to them', () => {
    const moves = fc.array(
      fc.record({ from: fc.nat(3), to: fc.nat(3), units: fc.bigInt({ min: 0n, max: 10n ** 24n }) }),
    );
    fc.assert(
      fc.property(moves, (list) => {
        const each = newContext();
        const accounts = [0, 1, 2, 3].map((name) =>
          createAccount(each, 'trading', `${name}`, `user:${name}`),
        );
        for (const { from, to, units } of list)
          if (from !== to) transfer(each, accounts[from]!, accounts[to]!, terms(units));
        const told = new Map<number, bigint>();
        for (const row of each.changes.transfers) {
          expect(row.debitBalanceAfter).toBe((told.get(row.debitAccountId) ?? 0n) - row.amount);
          expect(row.creditBalanceAfter).toBe((told.get(row.creditAccountId) ?? 0n) + row.amount);
          told.set(row.debitAccountId, row.debitBalanceAfter);
          told.set(row.creditAccountId, row.creditBalanceAfter);
        }
        const balances = accounts.map((account) => account.balanceOf('USD').available);
        expect(balances).toEqual(accounts.map(({ accountId }) => told.get(accountId) ?? 0n));
        expect(balances.reduce((sum, one) => sum + one, 0n)).toBe(0n);
      }),
    );
  });
});

describe('held money', () => {
  it('comes from what is available, and goes back to it', () => {
    const balance = ann.balanceOf('USD');
    changeHeld(context, balance, 7n);
    expect(balance).toMatchObject({ available: 3n, held: 7n });
    changeHeld(context, balance, -7n);
    expect(balance).toMatchObject({ available: 10n, held: 0n });
    expect(context.changes.balances).toEqual([balance]);
  });

  it('that stays what it is changes no balance', () => {
    changeHeld(context, ann.balanceOf('USD'), 0n);
    expect(context.changes.balances).toEqual([]);
  });

  it('below zero is a fault', () => {
    const release = (): void => {
      changeHeld(context, ann.balanceOf('USD'), -1n);
    };
    expect(release).toThrow(InvariantError);
    ann.balanceOf('USD').held = 0n;
    expect(release).toThrow(`no balance holds less than nothing (${ann.accountId}, -1)`);
  });
});

describe('accounts', () => {
  it('are new in what the batch changes', () => {
    expect(context.changes.newAccounts).toEqual([ann, bob]);
    expect(ann).toMatchObject({ kind: 'trading', kycLevel: 0, frozen: false, createdAtMs: TIME_MS });
  });

  it.each([
    ['a rail', 'external', 'bank', () => railAccount(context, 'bank')],
    ['the fees', 'fees', 'fees', () => feesAccount(context)],
  ] as const)('of %s are made once, on first use', (_, kind, name, find) => {
    const made = find();
    expect(made).toMatchObject({ kind, name, owner: null });
    expect(find()).toBe(made);
    expect(context.changes.newAccounts).toEqual([ann, bob, made]);
  });
});
