import { describe, expect, it } from 'vitest';
import { amountOf } from '../../../domain/money/amount.js';
import { type CommandedTransfer, commandsFor } from './transfer-commands.js';

const ID = 'trf_0000000000H';

const token: CommandedTransfer = {
  transferId: '17',
  chain: 'ethereum',
  asset: 'USDC',
  amount: amountOf('100'),
  feeAsset: 'ETH',
  fee: amountOf('0.002'),
  feeHeld: amountOf('0.01'),
  sourceAccountId: '5',
  destinationAccountId: null,
};
const native: CommandedTransfer = { ...token, asset: 'ETH', amount: amountOf('2') };
const inside: CommandedTransfer = {
  ...token,
  chain: null,
  feeAsset: 'USDC',
  fee: amountOf('0'),
  feeHeld: amountOf('0'),
  destinationAccountId: '6',
};

const owner = (ownerId: string) => ({ ownerKind: 'transfer', ownerId });
const rail = { rail: 'ethereum' };

describe('the commands of a transfer', () => {
  it('move money inside', () => {
    expect(commandsFor('move', inside)).toEqual([
      {
        type: 'move_money',
        debit: { accountId: 5 },
        credit: { accountId: 6 },
        asset: 'USDC',
        amount: '100',
        reason: 'transfer',
        reference: ID,
      },
    ]);
  });

  it('credit what came over a chain from its rail', () => {
    expect(commandsFor('credit', { ...token, destinationAccountId: '6' })).toMatchObject([
      { type: 'move_money', debit: rail, credit: { accountId: 6 }, amount: '100', reason: 'deposit' },
    ]);
  });

  it('put the amount and the fee aside: by two holds, or by one of the same asset', () => {
    expect(commandsFor('hold', token)).toEqual([
      { type: 'place_hold', ...owner(ID), accountId: 5, asset: 'USDC', amount: '100' },
      { type: 'place_hold', ...owner(`${ID}:gas`), accountId: 5, asset: 'ETH', amount: '0.01' },
    ]);
    expect(commandsFor('hold', native)).toEqual([
      { type: 'place_hold', ...owner(ID), accountId: 5, asset: 'ETH', amount: '2.01' },
    ]);
  });

  it('pay the amount and the real fee, and give back the rest of what was put aside', () => {
    expect(commandsFor('pay', token)).toMatchObject([
      { type: 'pay_from_hold', ...owner(ID), credit: rail, amount: null },
      { type: 'pay_from_hold', ...owner(`${ID}:gas`), credit: rail, amount: '0.002' },
    ]);
    expect(commandsFor('pay', native)).toMatchObject([
      { type: 'pay_from_hold', ...owner(ID), credit: rail, amount: '2.002' },
    ]);
    expect(commandsFor('pay', { ...token, fee: amountOf('0') })[1]).toEqual({
      type: 'release_hold',
      ...owner(`${ID}:gas`),
    });
  });

  it('give everything back, less a fee that was spent', () => {
    const free = { fee: amountOf('0') };
    expect(commandsFor('release', { ...token, ...free })).toEqual([
      { type: 'release_hold', ...owner(ID) },
      { type: 'release_hold', ...owner(`${ID}:gas`) },
    ]);
    expect(commandsFor('release', token)).toMatchObject([
      { type: 'release_hold', ...owner(ID) },
      { type: 'pay_from_hold', ...owner(`${ID}:gas`), amount: '0.002' },
    ]);
    expect(commandsFor('release', { ...native, ...free })).toEqual([{ type: 'release_hold', ...owner(ID) }]);
    expect(commandsFor('release', native)).toMatchObject([
      { type: 'pay_from_hold', ...owner(ID), amount: '0.002' },
    ]);
  });
});
