/**
 * Which accounts the working state may let go. All accounts that stand idle are kept in the order of
 * their last use; where there are too many in memory, or too many positions of theirs, those go first that were quiet
 * longest. They come back with the look-up of the batch that asks for them.
 */
import type { Account, EngineState } from '../../domain/engine/state.js';

/** For each account that may be in memory; somebody may have positions in all markets, with many accounts. */
const POSITIONS_PER_ACCOUNT = 2;

export class AccountMemory {
  /** Least recently used first: a Map keeps the order in which its keys came. */
  private readonly idle = new Map<number, Account>();
  /** Used since the last eviction; their final state is known only after the batch. */
  private readonly used = new Set<number>();
  /** As of their last use, of those that have any. */
  private readonly positionsOf = new Map<number, number>();
  private positions = 0;

  constructor(
    private readonly state: EngineState,
    private readonly accountsMax: number,
    /** Called for each evicted account. */
    private readonly onLeft: (accountId: number) => void,
  ) {
    for (const accountId of state.accounts.keys()) this.used.add(accountId);
  }

  use(accountId: number): void {
    this.used.add(accountId);
  }

  /** Costs as much as was used since the last time, however many accounts there are. */
  makeRoom(): void {
    const { accounts } = this.state;
    for (const accountId of this.used) {
      this.idle.delete(accountId);
      const account = accounts.get(accountId);
      this.countPositions(accountId, account?.positions.size ?? 0);
      if (account !== undefined && isIdle(account)) this.idle.set(accountId, account);
    }
    this.used.clear();
    for (const [accountId, account] of this.idle) {
      const hasRoom =
        accounts.size <= this.accountsMax && this.positions <= this.accountsMax * POSITIONS_PER_ACCOUNT;
      if (hasRoom) return;
      this.state.removeAccount(account);
      this.idle.delete(accountId);
      this.countPositions(accountId, 0);
      this.onLeft(accountId);
    }
  }

  private countPositions(accountId: number, positions: number): void {
    this.positions += positions - (this.positionsOf.get(accountId) ?? 0);
    if (positions === 0) this.positionsOf.delete(accountId);
    else this.positionsOf.set(accountId, positions);
  }
}

/** Nothing that the engine might come upon by itself refers to it: it is somebody's, without orders and holds. */
function isIdle({ owner, openOrders, balances }: Account): boolean {
  if (owner === null || openOrders > 0) return false;
  for (const { held } of balances.values()) if (held > 0n) return false;
  return true;
}
