import type { Pool } from 'pg';
import type { Awaitable } from '../../kit/awaitable.js';
import { GroupCommit } from '../../kit/database/group-commit.js';
import { assertNothingHeld } from '../../kit/database/held-connections.js';
import { growingCache } from '../../kit/growing-cache.js';
import { type CommitListeners, NOBODY } from '../view/commit-listeners.js';
import type { AccountRecord } from '../../domain/engine/state.js';
import type { CommittedBatch } from '../view/views.js';
import { selected } from '../state/state-queries.js';
import { ACCOUNT_COLUMNS } from '../tables/reference-tables.js';
import { fieldReader, type TableRow } from '../tables/table-row.js';

/** About 260 bytes each. */
const REMEMBERED_MAX = 100_000;
const READ_AT_ONCE_MAX = 1_000;

const recordOf = fieldReader(ACCOUNT_COLUMNS);

/**
 * Stored accounts, cached. Only the KYC level, the frozen flag and the state of the owner's own limits ever change, and
 * commits report all of them: so an entry stays valid while this process sees all commits and none changes it.
 */
export class AccountRecords {
  private readonly remembered = growingCache<number, AccountRecord>(REMEMBERED_MAX);
  /** The watch in which they were read; in another one commits may have been missed. */
  private watch: string | null = null;
  /** Counts commits that change accounts: a read that spans one is not cached. */
  private commitsOfChanges = 0;
  /** Those that are asked for at the same time are read by one statement. */
  private readonly asked = new GroupCommit<number, AccountRecord | undefined>(
    { batchMax: READ_AT_ONCE_MAX },
    (take) => this.readAll(take()),
  );

  constructor(
    private readonly pool: Pool,
    listeners: CommitListeners,
    /** A name for the time through which this process hears of every commit; null while it is not. */
    private readonly currentWatch: () => string | null,
  ) {
    const forget = ({ changedAccountIds }: CommittedBatch): void => {
      if (changedAccountIds.length === 0) return;
      this.commitsOfChanges++;
      for (const accountId of changedAccountIds) this.remembered.delete(accountId);
    };
    listeners.add(forget, NOBODY);
  }

  find(accountId: number): Awaitable<AccountRecord | undefined> {
    this.forgetOtherWatches();
    return this.remembered.get(accountId) ?? this.readOne(accountId);
  }

  /** Oldest first. */
  async ofOwner(owner: string): Promise<readonly AccountRecord[]> {
    this.forgetOtherWatches();
    return this.read('owner = $1', owner);
  }

  private readOne(accountId: number): Awaitable<AccountRecord | undefined> {
    // What is no id, such as a plugin's NaN, would fail the reads of others with it.
    if (!Number.isSafeInteger(accountId)) return undefined;
    assertNothingHeld('an account');
    return this.asked.add(accountId);
  }

  private async readAll(accountIds: readonly number[]): Promise<(AccountRecord | undefined)[]> {
    const records = await this.read('account_id = ANY ($1::int8[])', accountIds);
    const found = new Map(records.map((record) => [record.accountId, record]));
    return accountIds.map((accountId) => found.get(accountId));
  }

  private async read(condition: string, value: unknown): Promise<AccountRecord[]> {
    const { watch, commitsOfChanges } = this;
    const { rows } = await this.pool.query<TableRow<typeof ACCOUNT_COLUMNS>>(
      `SELECT ${selected(ACCOUNT_COLUMNS)} FROM accounts WHERE ${condition} ORDER BY account_id`,
      [value],
    );
    const records = rows.map((row) => recordOf(row));
    const isCurrent = watch !== null && watch === this.currentWatch();
    if (isCurrent && commitsOfChanges === this.commitsOfChanges) {
      for (const record of records) this.remembered.set(record.accountId, record);
    }
    return records;
  }

  private forgetOtherWatches(): void {
    const watch = this.currentWatch();
    if (watch !== null && watch === this.watch) return;
    this.remembered.clear();
    this.watch = watch;
  }
}
