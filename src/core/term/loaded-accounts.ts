/** The accounts and keys that a term has in memory: a batch's are loaded, and idle ones evicted. */
import type pg from 'pg';
import type { Changes } from '../../domain/engine/changes.js';
import { type EngineState, holdKey } from '../../domain/engine/state.js';
import { invariant } from '../../domain/invariant.js';
import { AccountMemory } from '../accounts/account-memory.js';
import { keysOf } from '../keys/command-keys.js';
import type { Projector } from '../projection/projector.js';
import type { KeyRow } from '../tables/core-tables.js';
import { RecentKeys } from '../keys/recent-keys.js';
import { type KeyHit, lookUp } from '../state/state-loader.js';
import { addAccounts, type AccountRows, type PositionRow } from '../state/state-rows.js';
import type { BatchSettlements } from './settlements.js';
import { commandsIn, type Work } from '../requests/work.js';

export class LoadedAccounts {
  private readonly memory: AccountMemory;
  private readonly recentKeys = new RecentKeys();
  /** Accounts that left memory, with the sequence up to which the tables must be to read them. */
  private readonly left = new Map<number, number>();
  /** Markets whose holders were looked up for the batch. */
  private readonly holdersOf = new Set<string>();

  constructor(
    private readonly state: EngineState,
    private readonly reader: pg.Client,
    private readonly projector: Pick<Projector, 'reached'>,
    accountsInMemoryMax: number,
  ) {
    this.memory = new AccountMemory(state, accountsInMemoryMax, (accountId) => {
      // Those that left last stand last.
      this.left.delete(accountId);
      this.left.set(accountId, state.sequence);
    });
  }

  /** Keys that a batch has made are found here until the tables have them. */
  addKeys(made: readonly KeyRow[], sequence: number): void {
    this.recentKeys.add(made, sequence);
  }

  /** What batches need that is not in memory: repeats of keys, which it answers, and accounts. */
  async lookUp(
    works: readonly Work[],
    { paid, paidInGroups, corrected, correctedGroups, continued }: BatchSettlements,
    timeMs: number,
  ): Promise<readonly KeyHit[]> {
    const keys: { owner: string; key: string }[] = [];
    const hits: KeyHit[] = [];
    const accountIds = new Set<number>();
    const need = (accountId: number): void => {
      this.memory.use(accountId);
      if (!this.state.accounts.has(accountId)) accountIds.add(accountId);
    };
    for (const work of works) {
      for (const key of keysOf(
        commandsIn(work),
        work.kind === 'request' ? work.request.idempotency : undefined,
      )) {
        const recent = this.recentKeys.find(key.owner, key.key);
        if (recent === undefined) keys.push(key);
        else hits.push(recent);
      }
      this.forAccountsIn(work, need);
    }
    for (const holders of [...paid.values(), ...paidInGroups.values()]) holders.forEach(need);
    continued?.holders.forEach(need);
    // Also those in memory, which are there without what they had in settled markets.
    const ofGroups = [...correctedGroups.values()];
    for (const holders of [...corrected.values(), ...ofGroups.map((group) => group.holders)])
      holders?.forEach((accountId) => accountIds.add(accountId));
    if (keys.length === 0 && accountIds.size === 0) return hits;
    const correctedMarkets = [...corrected.keys(), ...ofGroups.flatMap(({ marketIds }) => marketIds)];
    await this.projector.reached(Math.max(0, ...[...accountIds].map((id) => this.left.get(id) ?? 0)));
    const { hits: stored, ...found } = await lookUp(this.reader, {
      keys,
      accountIds: [...accountIds],
      correctedMarkets,
      timeMs,
    });
    for (const { account_id } of found.accounts) this.memory.use(Number(account_id));
    for (const marketId of correctedMarkets) this.holdersOf.add(marketId);
    addAccounts(this.state, this.missing(found));
    return [...hits, ...stored];
  }

  private forAccountsIn(work: Work, act: (accountId: number) => void): void {
    if (work.kind === 'quote') act(work.request.accountId);
    for (const command of commandsIn(work)) {
      if ('accountId' in command) act(command.accountId);
      if ('allowance' in command) command.allowance?.sharedWith?.forEach(act);
      if ('ownerKind' in command) {
        const hold = this.state.holds.get(holdKey(command.ownerKind, command.ownerId));
        if (hold !== undefined) act(hold.accountId);
      }
      if ('debit' in command && 'accountId' in command.debit) act(command.debit.accountId);
      if ('credit' in command && 'accountId' in command.credit) act(command.credit.accountId);
    }
  }

  /** The state in memory is at least as new as the tables. */
  private missing({ accounts, balances, positions }: AccountRows): AccountRows {
    const isMissing = ({ account_id }: { account_id: string }): boolean =>
      !this.state.accounts.has(Number(account_id));
    return {
      accounts: accounts.filter(isMissing),
      balances: balances.filter(isMissing),
      positions: positions.filter((row) => isMissing(row) || this.isForgotten(row)),
    };
  }

  /** A position in a settled market, of an account that is in memory without it. */
  private isForgotten({ account_id, market_id }: PositionRow): boolean {
    const { accounts, markets } = this.state;
    if (markets.get(market_id)?.status !== 'settled') return false;
    return accounts.get(Number(account_id))?.positions.has(market_id) === false;
  }

  /**
   * Evicts all positions in settled markets: nobody can trade there, and a correction loads them again. Only the
   * definition and the empty book of such a market stay.
   */
  private forgetSettled({ markets: changed }: Changes): void {
    const { accounts, markets } = this.state;
    for (const { definition } of changed) this.holdersOf.add(definition.marketId);
    for (const marketId of this.holdersOf) {
      if (markets.get(marketId)?.status !== 'settled') continue;
      for (const { accountId, positions } of accounts.values()) {
        const position = positions.get(marketId);
        invariant(
          (position?.sizeLots ?? 0) === 0,
          'what is forgotten of a market is paid',
          accountId,
          marketId,
        );
        positions.delete(marketId);
      }
    }
    this.holdersOf.clear();
  }

  /** Evicts accounts that are idle after the batch, and positions in settled markets. */
  makeRoom(changes: Changes): void {
    for (const { accountId } of changes.balances) this.memory.use(accountId);
    for (const { accountId } of changes.orders) this.memory.use(accountId);
    for (const { accountId } of changes.newAccounts) this.memory.use(accountId);
    this.forgetSettled(changes);
    this.memory.makeRoom();
  }

  /** The tables have come to the sequence, so nothing of what stands in them need be remembered. */
  forget(sequence: number): void {
    this.recentKeys.forgetUpTo(sequence);
    for (const [accountId, leftAt] of this.left) {
      if (leftAt > sequence) return;
      this.left.delete(accountId);
    }
  }
}
