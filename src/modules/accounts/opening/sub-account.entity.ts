import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import { KeyedRows, type KeyedRow } from '../../../kit/http/idempotency/keyed-rows.js';
import { fingerprintOf } from '../../../kit/repeated-requests.js';

/** An account that its owner makes: the intent, whose id is the key of the core's command. */
@Entity('sub_accounts')
@Index('sub_accounts_owner', ['owner'])
@Index('sub_accounts_request', ['requestHash'], { unique: true, where: 'request_hash IS NOT NULL' })
export class SubAccountEntity implements KeyedRow {
  @key.identity('BY DEFAULT') subAccountId: string;
  /** See `Principal.accountOwner`. */
  @column.text() owner: string;
  @column.text() name: string;
  /** See `KeyedRow`. */
  @column.text({ nullable: true }) requestHash: string | null;
  @column.time({ default: NOW }) readonly createdAt: Date;
}

/** Sub-accounts by the `Idempotency-Key` of their request. */
export const KEYED_SUB_ACCOUNTS = new KeyedRows(SubAccountEntity, {
  table: 'sub_accounts',
  key: 'sub_account_id',
  madeAt: 'created_at',
  fingerprintOf: subAccountFingerprint,
});

/** Also that of the core's command, which keeps it for good: never change it. */
export function subAccountFingerprint({ owner, name }: Pick<SubAccountEntity, 'owner' | 'name'>): string {
  return fingerprintOf('COMMAND', 'create_account', { owner, name });
}
