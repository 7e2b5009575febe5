/** Assets, accounts, and money that moves without a trade: deposits, transfers, holds and payments from holds. */
import {
  amount,
  AMOUNT_DECIMALS,
  AMOUNT_LIMIT,
  decimalsOf,
  formatAmount,
  parseAmount,
} from '../money/amount.js';
import { invariant } from '../invariant.js';
import type {
  AccountReference,
  CommandResult,
  CreateAccount,
  CreateAsset,
  MoveMoney,
  PayFromHold,
  PlaceHold,
  Refusal,
  ReleaseHold,
  SetKycLevel,
} from './commands.js';
import { ACCOUNT_FROZEN, ACCOUNT_NOT_FOUND, accountOf, type Context, isRefusal, refusal } from './context.js';
import { mayLeaveFrozen } from './freezing.js';
import { checkAllowance, takeAllowance } from './self-limits.js';
import { changeHeld, createAccount, railAccount, transfer } from './ledger.js';
import { type Account, type Balance, type Hold, holdKey } from './state.js';

/** The most that one rail may bring in. It is a small part of what a row can hold, so no sum of balances overflows. */
const RAIL_LIMIT = AMOUNT_LIMIT / 100n;

const KYC_LEVEL_MAX = 9;

const ASSET_CODE_PATTERN = /^[A-Z0-9]{1,16}$/;

export function createAsset(context: Context, command: CreateAsset): CommandResult | Refusal {
  const { state, changes, timeMs } = context;
  if (!ASSET_CODE_PATTERN.test(command.code)) {
    return refusal('invalid_amount', 'code must be 1 to 16 of A–Z and 0–9.');
  }
  if (!(Number.isInteger(command.scale) && command.scale >= 0 && command.scale <= AMOUNT_DECIMALS)) {
    return refusal('invalid_amount', 'scale must be a whole number from 0 to 18.');
  }
  if (state.assets.has(command.code))
    return refusal('asset_exists', 'There is an asset of this code already.');
  const asset = { code: command.code, scale: command.scale, createdAtMs: timeMs };
  state.assets.set(asset.code, asset);
  changes.newAssets.push(asset);
  return { type: 'asset', code: asset.code };
}

export function openAccount(context: Context, command: CreateAccount): CommandResult | Refusal {
  const account = createAccount(context, command.kind, command.name, command.owner, command.root);
  return { type: 'account', accountId: account.accountId };
}

export function setKycLevel(context: Context, command: SetKycLevel): CommandResult | Refusal {
  const { accountId, level } = command;
  if (!(Number.isInteger(level) && level >= 0 && level <= KYC_LEVEL_MAX))
    return refusal('invalid_kyc_level', `level must be a whole number from 0 to ${KYC_LEVEL_MAX}.`);
  if (!exists(context, command)) return ACCOUNT_NOT_FOUND;
  const account = accountOf(context.state, accountId);
  account.kycLevel = level;
  context.changes.account(account);
  return { type: 'done' };
}

export function moveMoney(context: Context, command: MoveMoney): CommandResult | Refusal {
  const units = checkedAmount(context, command.asset, command.amount, isExternal(command));
  if (isRefusal(units)) return units;
  if (
    !exists(context, command.debit) ||
    !exists(context, command.credit) ||
    isSame(command.debit, command.credit)
  ) {
    return refusal('account_not_found', 'Both accounts must exist, and they must differ.');
  }
  if (isFrozen(context, command.debit) && !mayLeaveFrozen(context, command)) return ACCOUNT_FROZEN;
  if (
    'accountId' in command.debit &&
    balanceIn(context, command.debit.accountId, command.asset).available < units
  ) {
    return refusal('insufficient_funds', `The account has less ${command.asset} available than that.`);
  }
  if (
    'rail' in command.debit &&
    broughtIn(context, command.debit.rail, command.asset) + units >= RAIL_LIMIT
  ) {
    return refusal(
      'invalid_amount',
      'The rail would bring in more than can be counted. Use a smaller amount.',
    );
  }
  const { allowance } = command;
  if (allowance !== undefined && 'accountId' in command.credit) {
    const account = accountOf(context.state, command.credit.accountId);
    const beyond = checkAllowance(account, allowance, () => units);
    if (beyond !== null) return beyond;
    takeAllowance(context, account, allowance, () => units);
  }
  const debit = resolve(context, command.debit);
  const credit = resolve(context, command.credit);
  const { asset, reason, reference } = command;
  return moved(context, transfer(context, debit, credit, { asset, units, reason, reference }));
}

export function placeHold(context: Context, command: PlaceHold): CommandResult | Refusal {
  const { state, changes } = context;
  const key = holdKey(command.ownerKind, command.ownerId);
  if (state.holds.has(key)) return refusal('hold_exists', 'This owner holds money already.');
  const units = checkedAmount(context, command.asset, command.amount, false);
  if (isRefusal(units)) return units;
  if (!exists(context, command)) return ACCOUNT_NOT_FOUND;
  if (isFrozen(context, command)) return ACCOUNT_FROZEN;
  const balance = balanceIn(context, command.accountId, command.asset);
  if (balance.available < units) {
    return refusal('insufficient_funds', `The account has less ${command.asset} available than that.`);
  }
  changeHeld(context, balance, units);
  invariant(
    units > 0n && balance.held >= units && balance.available >= 0n,
    'a hold is of money that the account has',
    command.accountId,
    units,
    balance.held,
  );
  const hold: Hold = {
    ownerKind: command.ownerKind,
    ownerId: command.ownerId,
    accountId: command.accountId,
    asset: command.asset,
    amount: units,
    createdAtMs: context.timeMs,
    digest: null,
  };
  state.holds.set(key, hold);
  changes.newHolds.push(hold);
  return { type: 'hold' };
}

export function releaseHold(context: Context, command: ReleaseHold): CommandResult | Refusal {
  const hold = context.state.holds.get(holdKey(command.ownerKind, command.ownerId));
  if (hold === undefined) return HOLD_NOT_FOUND;
  endHold(context, hold);
  return { type: 'done' };
}

export function payFromHold(context: Context, command: PayFromHold): CommandResult | Refusal {
  if (!exists(context, command.credit)) return refusal('account_not_found', 'There is no account to pay to.');
  const hold = context.state.holds.get(holdKey(command.ownerKind, command.ownerId));
  if (hold === undefined) return HOLD_NOT_FOUND;
  if (isSame(command.credit, hold)) {
    return refusal('account_not_found', 'The account to pay to must differ from the one that holds.');
  }
  const isOutside = 'rail' in command.credit;
  const units = checkedAmount(context, hold.asset, command.amount ?? formatAmount(hold.amount), isOutside);
  if (isRefusal(units)) return units;
  if (units > hold.amount) return refusal('insufficient_funds', 'The hold has less than that.');
  endHold(context, hold);
  const credit = resolve(context, command.credit);
  const debit = accountOf(context.state, hold.accountId);
  const { asset, ownerId: reference } = hold;
  const { reason } = command;
  return moved(context, transfer(context, debit, credit, { asset, units, reason, reference }));
}

function moved({ sequence }: Context, transferId: number): CommandResult {
  invariant(transferId > sequence, 'money that is moved has a transfer of its command', transferId, sequence);
  return { type: 'transfer', transferId };
}

const HOLD_NOT_FOUND = refusal('hold_not_found', 'There is no such hold, or it has ended.');

function endHold(context: Context, hold: Hold): void {
  const balance = accountOf(context.state, hold.accountId).balanceOf(hold.asset);
  changeHeld(context, balance, -hold.amount);
  const key = holdKey(hold.ownerKind, hold.ownerId);
  const wasThere = context.state.holds.delete(key);
  invariant(wasThere && hold.amount > 0n, 'a hold ends once', hold.accountId, hold.amount);
  context.changes.endedHolds.push(hold);
}

function checkedAmount(context: Context, code: string, text: string, bindsScale: boolean): bigint | Refusal {
  const asset = context.state.assets.get(code);
  if (asset === undefined) return refusal('asset_not_found', `There is no asset ${code}.`);
  const units = parseAmount(text);
  if (units === undefined || units === 0n)
    return refusal('invalid_amount', 'amount must be a plain decimal above zero.');
  return bindsScale && !fitsScale(context, code, units) ? tooPrecise(context, code) : units;
}

function fitsScale({ state }: Context, code: string, units: bigint): boolean {
  return decimalsOf(amount(units)) <= state.assets.get(code)!.scale;
}

function tooPrecise({ state }: Context, code: string): Refusal {
  return refusal(
    'amount_too_precise',
    `${code} has ${state.assets.get(code)!.scale} decimals. Round the amount.`,
  );
}

/** Money that crosses the service's boundary has only the decimals of its asset; inside, amounts have eighteen. */
function isExternal(command: MoveMoney): boolean {
  return 'rail' in command.debit || 'rail' in command.credit;
}

/** Pools and rails have account ids too, but their money moves only by trades and by rail. */
function exists(context: Context, reference: AccountReference): boolean {
  if ('rail' in reference) return true;
  const kind = context.state.accounts.get(reference.accountId)?.kind;
  return kind !== undefined && kind !== 'pool' && kind !== 'external';
}

function isFrozen({ state }: Context, reference: AccountReference): boolean {
  return 'accountId' in reference && state.accounts.get(reference.accountId)?.frozen === true;
}

function broughtIn({ state }: Context, rail: string, asset: string): bigint {
  return -(state.systemAccounts.get(`external:${rail}`)?.balances.get(asset)?.available ?? 0n);
}

function isSame(a: AccountReference, b: AccountReference): boolean {
  if ('rail' in a) return 'rail' in b && a.rail === b.rail;
  return 'accountId' in b && a.accountId === b.accountId;
}

function balanceIn(context: Context, accountId: number, asset: string): Balance {
  return accountOf(context.state, accountId).balanceOf(asset);
}

/** Creates the rail's account on first use, so call it only after the last check that can refuse. */
function resolve(context: Context, reference: AccountReference): Account {
  return 'rail' in reference
    ? railAccount(context, reference.rail)
    : accountOf(context.state, reference.accountId);
}
