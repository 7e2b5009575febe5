/**
 * Watches a set of cells from outside: at every step, per asset, what all accounts have and what is in flight is
 * what was deposited less what was withdrawn; nothing is negative; every transfer is credited at most once, and paid
 * out by its sender only if it was credited. It reads ledgers, and nothing of the protocol's own state.
 */
import type { Account, Hold } from '../../src/domain/engine/state.js';
import type { LedgerTransfer } from '../../src/domain/engine/types.js';
import type { Cell, Committed } from './cell.js';
import { railOf } from './cell-state.js';

/** The rail over which the outside world deposits and withdraws. */
export const BANK = 'bank';

type TransferStage = 'held' | 'credited' | 'paid' | 'released';

export class Conservation {
  /** Deposits less withdrawals. */
  private readonly paidIn = new Map<string, bigint>();
  private readonly inFlight = new Map<string, bigint>();
  /** What the accounts of a cell have, without what is held for transfers to other cells. */
  private readonly owned = new Map<string, ReadonlyMap<string, bigint>>();
  /** The sum of `owned` over all cells. */
  private readonly total = new Map<string, bigint>();
  private readonly stages = new Map<string, TransferStage>();

  /** Takes in a durable batch of a cell, and checks. */
  committed(cell: Cell, { transfers, newHolds, endedHolds }: Committed): void {
    for (const hold of newHolds) this.hold(hold);
    for (const transfer of transfers) this.transfer(cell, transfer);
    // A paid hold has its transfer in the same batch, so all others were released.
    for (const hold of endedHolds)
      if (this.stages.get(hold.ownerId) !== 'paid') this.advance(hold, 'held', 'released');
    this.check(cell);
  }

  /** Checks after a step in which the cell may have changed. @throws where money was made, lost or doubled. */
  check(cell: Cell): void {
    const owned = ownedIn(cell);
    for (const [asset, units] of this.owned.get(cell.name) ?? []) add(this.total, asset, -units);
    for (const [asset, units] of owned) add(this.total, asset, units);
    this.owned.set(cell.name, owned);
    for (const [asset, units] of this.total) {
      const inFlight = this.inFlight.get(asset) ?? 0n;
      const paidIn = this.paidIn.get(asset) ?? 0n;
      if (units + inFlight !== paidIn)
        throw new Error(
          `${asset}: accounts have ${units}, ${inFlight} are in flight, and ${paidIn} were paid in`,
        );
    }
  }

  /** How many transfers have come to each stage and no further. */
  get counts(): Record<TransferStage, number> {
    const counts = { held: 0, credited: 0, paid: 0, released: 0 };
    for (const stage of this.stages.values()) counts[stage]++;
    return counts;
  }

  private hold(hold: Hold): void {
    if (this.stages.has(hold.ownerId)) throw new Error(`${hold.ownerId} is held twice`);
    this.stages.set(hold.ownerId, 'held');
    add(this.inFlight, hold.asset, hold.amount);
  }

  private transfer(cell: Cell, transfer: LedgerTransfer): void {
    const { accounts } = cell.state.engine.state;
    const debit = accounts.get(transfer.debitAccountId)!;
    const credit = accounts.get(transfer.creditAccountId)!;
    if (debit.kind === 'external' && debit.name === BANK) add(this.paidIn, transfer.asset, transfer.amount);
    else if (credit.kind === 'external' && credit.name === BANK)
      add(this.paidIn, transfer.asset, -transfer.amount);
    else if (debit.kind === 'external')
      this.advance({ ...transfer, ownerId: transfer.reference }, 'held', 'credited');
    else if (credit.kind === 'external')
      this.advance({ ...transfer, ownerId: transfer.reference }, 'credited', 'paid');
  }

  private advance(
    { ownerId, asset, amount }: Pick<Hold, 'ownerId' | 'asset' | 'amount'>,
    from: TransferStage,
    to: TransferStage,
  ): void {
    const stage = this.stages.get(ownerId);
    if (stage !== from) throw new Error(`${ownerId} is ${stage ?? 'unknown'}, and is to be ${to}`);
    this.stages.set(ownerId, to);
    if (from === 'held') add(this.inFlight, asset, -amount);
  }
}

/**
 * The final state: no transfer is open, and each pair of cells agrees on their transfers. Each cell has a rail for the
 * other, and the two balances are opposite.
 */
export function reconcile(cells: readonly Cell[]): void {
  for (const cell of cells) {
    if (cell.state.engine.state.holds.size > 0) throw new Error(`${cell.name} holds money still`);
    for (const other of cells) {
      const mine = railBalances(cell, other.name);
      const theirs = railBalances(other, cell.name);
      for (const asset of new Set([...mine.keys(), ...theirs.keys()]))
        if ((mine.get(asset) ?? 0n) !== -(theirs.get(asset) ?? 0n))
          throw new Error(`${cell.name} and ${other.name} disagree on ${asset}`);
    }
  }
}

function railBalances(cell: Cell, other: string): Map<string, bigint> {
  const rail = cell.state.engine.state.systemAccounts.get(`external:${railOf(other)}`);
  return new Map([...(rail?.balances ?? [])].map(([asset, { available }]) => [asset, available]));
}

/** Sums a cell's ledger. @throws where a balance is negative. */
function ownedIn(cell: Cell): Map<string, bigint> {
  const { accounts, holds } = cell.state.engine.state;
  const owned = new Map<string, bigint>();
  for (const account of accounts.values()) if (account.kind !== 'external') addBalances(owned, account);
  for (const hold of holds.values()) add(owned, hold.asset, -hold.amount);
  return owned;
}

function addBalances(owned: Map<string, bigint>, account: Account): void {
  for (const { asset, available, held } of account.balances.values()) {
    if (available < 0n || held < 0n)
      throw new Error(`${account.name} has ${available} and holds ${held} ${asset}`);
    add(owned, asset, available + held);
  }
}

function add(sums: Map<string, bigint>, asset: string, units: bigint): void {
  sums.set(asset, (sums.get(asset) ?? 0n) + units);
}
