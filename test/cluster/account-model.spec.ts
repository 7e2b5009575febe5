import { describe, expect, it } from 'vitest';
import { checkLinearizable, type Operation } from '../support/linearizability.js';
import { accountModel, type AccountInput, type AccountOutput } from './account-model.js';

type Step = readonly [AccountInput, AccountOutput];

/** A sequential history. */
function history(steps: readonly Step[]): Operation<AccountInput, AccountOutput>[] {
  return steps.map(([input, output], place) => ({
    input,
    output,
    calledAt: 2 * place,
    returnedAt: 2 * place + 1,
  }));
}

const buy = (id: string, price: number, size: number): AccountInput => ({ type: 'buy', id, price, size });
const sell = (price: number, size: number): AccountInput => ({ type: 'sell', id: 's', price, size });
const BALANCES: AccountInput = { type: 'read balances' };

describe('the model of an account', () => {
  const isPossible = (...steps: readonly Step[]): boolean =>
    checkLinearizable(accountModel(100), history(steps)).isLinearizable;

  it('holds what bids cost, and gives it back', () => {
    expect(
      isPossible(
        [buy('a', 10, 6), 'done'],
        [buy('b', 10, 5), 'refused'],
        [BALANCES, '40 available, 60 held, 0 coins'],
        [{ type: 'save', id: 'x', amount: 41 }, 'refused'],
        [{ type: 'save', id: 'x', amount: 15 }, 'done'],
        [{ type: 'cancel', id: 'a' }, 'done'],
        [{ type: 'cancel', id: 'a' }, 'gone'],
        [BALANCES, '85 available, 0 held, 0 coins'],
      ),
    ).toBe(true);
  });

  it('serves the best price first, and at one price whoever came first', () => {
    expect(
      isPossible(
        [buy('a', 10, 2), 'done'],
        [buy('b', 11, 1), 'done'],
        [buy('c', 10, 2), 'done'],
        [{ type: 'read book' }, '1 at 11, 4 at 10'],
        [sell(12, 1), 'sold '],
        [sell(10, 4), 'sold 1 at 11, 2 at 10, 1 at 10'],
        [{ type: 'read bids' }, 'c: 1'],
        [{ type: 'read bid', id: 'b' }, '0'],
        [{ type: 'read bid', id: 'c' }, '1'],
        [BALANCES, '49 available, 10 held, 4 coins'],
      ),
    ).toBe(true);
  });

  it('allows no other answers', () => {
    expect(isPossible([buy('a', 10, 2), 'refused'])).toBe(false);
    expect(isPossible([buy('a', 10, 2), 'done'], [sell(10, 3), 'sold 3 at 10'])).toBe(false);
    expect(isPossible([buy('a', 10, 2), 'done'], [{ type: 'cancel', id: 'a' }, 'refused'])).toBe(false);
    expect(isPossible([{ type: 'cancel', id: 'a' }, 'done'])).toBe(false);
    expect(isPossible([buy('a', 10, 2), 'done'], [{ type: 'cancel', id: 'a' }, 'gone'])).toBe(false);
  });

  it('lets a cancellation that was repeated have been the one that took effect', () => {
    const bought: Step = [buy('a', 10, 2), 'done'];
    const repeated: Step = [{ type: 'cancel', id: 'a' }, 'repeated'];
    expect(isPossible(bought, repeated, [BALANCES, '100 available, 0 held, 0 coins'])).toBe(true);
    expect(isPossible(bought, repeated, [BALANCES, '80 available, 20 held, 0 coins'])).toBe(false);
  });
});
