import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { AccountKind } from '../domain/engine/types.js';
import type { AccountRecord } from './core.types.js';
import type { Sequencer } from './sequencer.js';

const REMEMBERED_MAX = 10_000;

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
 * Accounts as they are stored. Of an account only the KYC level and whether it is frozen ever change, and only the
 * leader changes them: so the leader remembers what it has read for as long as its term lasts and no commit says otherwise.
 */
export class AccountRecords {
  private readonly remembered = new LRUCache<number, AccountRecord>({ max: REMEMBERED_MAX });
  /** The term in which they were read; in another one nobody told this process what had changed. */
  private epoch = 0;
  /** Moves on with each commit that changes accounts: what was read across one is not remembered. */
  private commitsOfChanges = 0;

  constructor(
    private readonly pool: Pool,
    private readonly sequencer: Sequencer,
  ) {
    sequencer.onCommitted(({ changedAccountIds }) => {
      if (changedAccountIds.length === 0) return;
      this.commitsOfChanges++;
      for (const accountId of changedAccountIds) this.remembered.delete(accountId);
    });
  }

  async find(accountId: number): Promise<AccountRecord | undefined> {
    this.forgetOtherTerms();
    const known = this.remembered.get(accountId);
    if (known !== undefined) return known;
    const [record] = await this.read('account_id = $1', accountId);
    return record;
  }

  /** Oldest first. */
  async ofOwner(owner: string): Promise<readonly AccountRecord[]> {
    this.forgetOtherTerms();
    return this.read('owner = $1', owner);
  }

  private async read(condition: string, value: unknown): Promise<AccountRecord[]> {
    const { epoch, commitsOfChanges } = this;
    const { rows } = await this.pool.query<AccountRow>(
      `SELECT ${COLUMNS} FROM accounts WHERE ${condition} ORDER BY account_id`,
      [value],
    );
    const records = rows.map(recordOf);
    if (epoch === this.leadingEpoch() && commitsOfChanges === this.commitsOfChanges) {
      for (const record of records) this.remembered.set(record.accountId, record);
    }
    return records;
  }

  private forgetOtherTerms(): void {
    const epoch = this.leadingEpoch();
    if (epoch !== null && epoch === this.epoch) return;
    this.remembered.clear();
    this.epoch = epoch ?? 0;
  }

  /** Null while another process may lead. */
  private leadingEpoch(): number | null {
    const { currentTerm } = this.sequencer;
    return currentTerm?.isFresh() === true ? currentTerm.epoch : null;
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
