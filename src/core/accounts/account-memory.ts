/**
 * Which accounts the working state may let go. All accounts that stand idle are kept in the order of
 * their last use; where there are too many in memory, those go first that were quiet longest. They come
 * back with the look-up of the batch that asks for them.
 */
import type { Account, EngineState } from '../../domain/engine/state.js';

export class AccountMemory {
  /** Least recently used first: a Map keeps the order in which its keys came. */
  private readonly idle = new Map<number, Account>();
  /** Used since the last eviction; their final state is known only after the batch. */
  private readonly used = new Set<number>();

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
      if (account !== undefined && isIdle(account)) this.idle.set(accountId, account);
    }
    this.used.clear();
    for (const [accountId, account] of this.idle) {
      if (accounts.size <= this.accountsMax) return;
      this.state.removeAccount(account);
      this.idle.delete(accountId);
      this.onLeft(accountId);
    }
  }
}

/** Nothing that the engine might come upon by itself refers to it: it is somebody's, without orders and holds. */
function isIdle({ owner, openOrders, balances }: Account): boolean {
  if (owner === null || openOrders > 0) return false;
  for (const { held } of balances.values()) if (held > 0n) return false;
  return true;
}
