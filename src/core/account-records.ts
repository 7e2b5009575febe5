import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { AccountKind } from '../domain/engine/types.js';
import { type CommitListeners, NOBODY } from './commit-listeners.js';
import type { AccountRecord, CommittedBatch } from './core.types.js';

/** About 260 bytes each. */
const REMEMBERED_MAX = 100_000;

const COLUMNS = 'account_id, kind, name, owner, kyc_level, frozen, created_at';

interface AccountRow {
  account_id: string;
  kind: AccountKind;
  name: string;
  owner: string | null;
  kyc_level: number;
  frozen: boolean;
  created_at: Date;
}

/**
 * Accounts as they are stored. Of an account only the KYC level and whether it is frozen ever change, and commits tell
 * of it: so what was read is remembered for as long as this process is told of all commits and none says otherwise.
 */
export class AccountRecords {
  private readonly remembered = new LRUCache<number, AccountRecord>({ max: REMEMBERED_MAX });
  /** The watch in which they were read; in another one commits may have been missed. */
  private watch: string | null = null;
  /** Moves on with each commit that changes accounts: what was read across one is not remembered. */
  private commitsOfChanges = 0;

  constructor(
    private readonly pool: Pool,
    listeners: CommitListeners,
    /** A name for the time through which this process is told of every commit; null while it is not. */
    private readonly currentWatch: () => string | null,
  ) {
    const forget = ({ changedAccountIds }: CommittedBatch): void => {
      if (changedAccountIds.length === 0) return;
      this.commitsOfChanges++;
      for (const accountId of changedAccountIds) this.remembered.delete(accountId);
    };
    listeners.add(forget, NOBODY);
  }

  async find(accountId: number): Promise<AccountRecord | undefined> {
    this.forgetOtherWatches();
    const known = this.remembered.get(accountId);
    if (known !== undefined) return known;
    const [record] = await this.read('account_id = $1', accountId);
    return record;
  }

  /** Oldest first. */
  async ofOwner(owner: string): Promise<readonly AccountRecord[]> {
    this.forgetOtherWatches();
    return this.read('owner = $1', owner);
  }

  private async read(condition: string, value: unknown): Promise<AccountRecord[]> {
    const { watch, commitsOfChanges } = this;
    const { rows } = await this.pool.query<AccountRow>(
      `SELECT ${COLUMNS} FROM accounts WHERE ${condition} ORDER BY account_id`,
      [value],
    );
    const records = rows.map(recordOf);
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

function recordOf(row: AccountRow): AccountRecord {
  return {
    accountId: Number(row.account_id),
    kind: row.kind,
    name: row.name,
    owner: row.owner,
    kycLevel: row.kyc_level,
    frozen: row.frozen,
    createdAtMs: row.created_at.getTime(),
  };
}
