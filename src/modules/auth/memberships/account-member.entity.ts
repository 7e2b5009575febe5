import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import type { MemberRole } from '../../core-access/account-roles.js';

/**
 * Somebody whom the owner of an account has let in, or invited. An invitation goes to a username, whether there is such
 * a user or not.
 */
@Entity('account_members')
@Check('account_members_role_check', `role IN ('viewer', 'trader', 'treasurer')`)
@Check('account_members_accepted', '(member IS NULL) = (accepted_at IS NULL)')
@Index('account_members_member', ['member'], { where: 'member IS NOT NULL' })
@Index('account_members_owner', ['owner'])
@Index('account_members_invitee', ['username'], { where: 'member IS NULL' })
@Index('account_members_invited', ['expiresAt'], { where: 'member IS NULL' })
export class AccountMemberEntity {
  @PrimaryColumn({ name: 'account_id', type: 'bigint', primaryKeyConstraintName: 'account_members_pkey' })
  accountId: string;

  /** In its canonical form, see `canonicalUsername`. Usernames never change hands. */
  @PrimaryColumn({ name: 'username', type: 'text', primaryKeyConstraintName: 'account_members_pkey' })
  username: string;

  @Column({ name: 'role', type: 'text' })
  role: MemberRole;

  /** Whose account it is: see `Principal.accountOwner`. */
  @Column({ name: 'owner', type: 'text' })
  owner: string;

  /** The key of the member among all principals; null until the invitation is accepted. */
  @Column({ name: 'member', type: 'text', nullable: true })
  member: string | null;

  @Column({ name: 'invited_at', type: 'timestamptz', default: () => 'now()' })
  readonly invitedAt: Date;

  /** Until when the invitation may be accepted. */
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;

  @Column({ name: 'accepted_at', type: 'timestamptz', nullable: true })
  acceptedAt: Date | null;
}

/** Nobody accepted them in time. */
export const OLD_INVITATIONS: PurgedRows = {
  table: 'account_members',
  key: ['account_id', 'username'],
  over: 'member IS NULL AND expires_at < now()',
  orderBy: 'expires_at',
};
