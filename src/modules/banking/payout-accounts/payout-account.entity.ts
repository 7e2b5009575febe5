import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';

/** A bank account that an owner's money may be paid to. What would tell whose and which it is, is sealed. */
@Entity('payout_accounts')
@Index('payout_accounts_owner', ['owner', 'payoutAccountId'], { where: `status = 'active'` })
@Index('payout_accounts_all', ['owner'])
@Index('payout_accounts_fingerprint', ['owner', 'fingerprint'], { unique: true, where: `status = 'active'` })
export class PayoutAccountEntity {
  @key.identity('BY DEFAULT') payoutAccountId: string;
  /** See `Principal.accountOwner`. */
  @column.text() owner: string;
  @column.text({ oneOf: ['iban', 'ach'] }) type: 'iban' | 'ach';
  @column.text() currency: string;
  @column.text() last4: string;
  @column.text({ nullable: true }) bic: string | null;
  /** By which the same account is known again, see `Fingerprints`. */
  @column.bytes() fingerprint: Buffer;
  /** A `Payee` as JSON, sealed. */
  @column.bytes() sealedPayee: Buffer;
  @column.text({ default: 'active', oneOf: ['active', 'deleted'] }) status: 'active' | 'deleted';
  @column.msTime({ default: NOW }) readonly createdAt: Date;
  @column.msTime({ nullable: true }) deletedAt: Date | null;
}
