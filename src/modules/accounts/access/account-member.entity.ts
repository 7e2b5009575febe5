import { Check, Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import type { MemberRole } from './account-roles.js';

/**
 * Somebody whom the owner of an account has let in, or invited. An invitation goes to a username, whether there is such
 * a user or not.
 */
@Entity('account_members')
@Check('account_members_accepted', '(member IS NULL) = (accepted_at IS NULL)')
@Index('account_members_member', ['member'], { where: 'member IS NOT NULL' })
@Index('account_members_owner', ['owner'])
@Index('account_members_invitee', ['username'], { where: 'member IS NULL' })
@Index('account_members_invited', ['expiresAt'], { where: 'member IS NULL' })
export class AccountMemberEntity {
  @key.bigint() accountId: string;
  /** In its canonical form, see `canonicalUsername`. Usernames never change hands. */
  @key.text() username: string;
  @column.text({ oneOf: ['viewer', 'trader', 'treasurer'] }) role: MemberRole;
  /** Whose account it is: see `Principal.accountOwner`. */
  @column.text() owner: string;
  /** The key of the member among all principals; null until the invitation is accepted. */
  @column.text({ nullable: true }) member: string | null;
  @column.time({ default: NOW }) readonly invitedAt: Date;
  /** Until when the invitation may be accepted. */
  @column.time() expiresAt: Date;
  @column.time({ nullable: true }) acceptedAt: Date | null;
}

/** Nobody accepted them in time. */
export const OLD_INVITATIONS: PurgedRows = {
  table: 'account_members',
  key: ['account_id', 'username'],
  over: 'member IS NULL AND expires_at < now()',
  orderBy: 'expires_at',
};
