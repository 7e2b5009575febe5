import { describe, expect, it } from 'vitest';
import { Account, EngineState } from '../../domain/engine/state.js';
import { AccountMemory } from './account-memory.js';

const NEW = {
  root: null,
  kycLevel: 0,
  frozen: false,
  limitsSequence: null,
  limitsBase: null,
  limitsTaken: null,
  createdAtMs: 0,
};

const trader = (accountId: number): Account =>
  new Account({ ...NEW, accountId, kind: 'trading', name: `a${accountId}`, owner: `user:${accountId}` });

function stateOf(accounts: number): EngineState {
  const state = new EngineState();
  for (let id = 1; id <= accounts; id++) state.addAccount(trader(id));
  return state;
}

const inMemory = ({ accounts }: EngineState): number[] => [...accounts.keys()].sort((a, b) => a - b);

describe('AccountMemory', () => {
  it('lets go of those that were quiet longest, whenever they came', () => {
    const state = stateOf(5);
    const memory = new AccountMemory(state, 5, () => undefined);
    memory.makeRoom();
    for (const id of [1, 3]) memory.use(id);
    memory.makeRoom();
    for (const id of [6, 7]) {
      state.addAccount(trader(id));
      memory.use(id);
      memory.makeRoom();
    }
    expect(inMemory(state)).toEqual([1, 3, 5, 6, 7]);
  });

  it('lets go of accounts with many positions, of whoever was quiet longest, where few accounts have them all', () => {
    const state = stateOf(4);
    const positions = (accountId: number, count: number): void => {
      const held = state.accounts.get(accountId)!.positions as Map<string, unknown>;
      for (let i = 0; i < count; i++) held.set(`MARKET-${i}`, {});
    };
    const memory = new AccountMemory(state, 10, () => undefined);
    for (const id of [1, 2]) positions(id, 9);
    memory.makeRoom();
    expect(inMemory(state)).toEqual([1, 2, 3, 4]);
    positions(3, 3);
    memory.use(3);
    memory.makeRoom();
    expect(inMemory(state)).toEqual([2, 3, 4]);
    // What left counts no more.
    positions(4, 8);
    memory.use(4);
    memory.makeRoom();
    expect(inMemory(state)).toEqual([2, 3, 4]);
  });

  it('keeps the system, and whoever has orders or holds, until they have none', () => {
    const state = stateOf(4);
    state.addAccount(new Account({ ...NEW, accountId: 9, kind: 'fees', name: 'fees', owner: null }));
    state.accounts.get(1)!.openOrders = 1;
    state.accounts.get(2)!.balanceOf('USD').held = 1n;
    const memory = new AccountMemory(state, 1, () => undefined);
    memory.makeRoom();
    expect(inMemory(state)).toEqual([1, 2, 9]);
    state.accounts.get(1)!.openOrders = 0;
    state.accounts.get(2)!.balanceOf('USD').held = 0n;
    for (const id of [1, 2]) memory.use(id);
    memory.makeRoom();
    expect(inMemory(state)).toEqual([9]);
  });

  it('never walks through accounts that it cannot let go', () => {
    const state = stateOf(1_000);
    for (const account of state.accounts.values()) account.openOrders = 1;
    const memory = new AccountMemory(state, 10, () => undefined);
    memory.makeRoom();
    let looks = 0;
    const get = state.accounts.get.bind(state.accounts);
    state.accounts.get = (id) => {
      looks++;
      return get(id);
    };
    for (const walk of ['keys', 'values', 'entries'] as const)
      state.accounts[walk] = () => expect.fail('all accounts are walked through');
    state.accounts[Symbol.iterator] = () => expect.fail('all accounts are walked through');
    for (let commit = 0; commit < 100; commit++) {
      memory.use(1 + commit);
      memory.makeRoom();
    }
    expect(looks).toBe(100);
  });
});
