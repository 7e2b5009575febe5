import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';

/** An account that its owner makes: the intent, whose id is the key of the core's command. */
@Entity('sub_accounts')
@Index('sub_accounts_owner', ['owner'])
export class SubAccountEntity {
  @key.identity('BY DEFAULT') subAccountId: string;
  /** See `Principal.accountOwner`. */
  @column.text() owner: string;
  @column.text() name: string;
  /** Of the request's principal and `Idempotency-Key`; null without one. */
  @column.text({ nullable: true }) requestHash: string | null;
  @column.time({ default: NOW }) readonly createdAt: Date;
}
