import { ApiProperty } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import type { AccountMemberEntity } from '../access/account-member.entity.js';
import { MEMBER_ROLES, type MemberRole } from '../access/account-roles.js';
import { USERNAME_PATTERN } from '../../users/username.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { ACCOUNT_IDS } from '../ids.js';

/** The body of `POST /accounts/{account_id}/members`. */
export class InviteMemberDto {
  /**
   * Without regard to case.
   * @example "bob"
   */
  @Matches(USERNAME_PATTERN, {
    message: '$property must be 1 to 64 letters, digits, dots, dashes or underscores',
  })
  username: string;

  /**
   * A `viewer` reads; a `trader` trades, too; a `treasurer` reads, and moves money to other accounts and wallets.
   * @example "trader"
   */
  @ApiProperty({ enum: MEMBER_ROLES })
  @IsIn(MEMBER_ROLES)
  role: MemberRole;
}

/** Somebody whom the owner of an account has let in, or invited. */
export class AccountMemberDto {
  /**
   * In lower case.
   * @example "bob"
   */
  username: string;
  @ApiProperty({ enum: MEMBER_ROLES })
  role: MemberRole;
  /** `invited` until the user accepts; nobody acts by an invitation. */
  @ApiProperty({ enum: ['invited', 'active'] })
  status: 'invited' | 'active';
  /** RFC 3339, UTC. */
  invited_at: string;
  /** Until when the invitation may be accepted; null once it was. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expires_at: string | null;
  /** Null until then. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  accepted_at: string | null;
}

/** All members of an account, of whom there are at most 50. */
export class AccountMembersDto {
  /** In the order of their usernames. */
  data: AccountMemberDto[];
}

/** An invitation to an account of somebody else's. */
export class InvitationDto {
  /** @example "acc_00000000005" */
  account_id: string;
  /** What its owner calls the account. */
  name: string;
  /**
   * The username of the owner.
   * @example "alice"
   */
  owner: string;
  @ApiProperty({ enum: MEMBER_ROLES })
  role: MemberRole;
  /** RFC 3339, UTC. */
  invited_at: string;
  /** Until when it may be accepted: RFC 3339, UTC. */
  expires_at: string;
}

/** An invitation as it is read, with its owner. */
export interface InvitationRow extends Pick<
  AccountMemberEntity,
  'accountId' | 'role' | 'invitedAt' | 'expiresAt'
> {
  readonly name: string;
  readonly ownerName: string;
}

export function toAccountMemberDto(row: AccountMemberEntity): AccountMemberDto {
  const { username, role, member, invitedAt, expiresAt, acceptedAt } = row;
  return {
    username,
    role,
    status: member === null ? 'invited' : 'active',
    invited_at: invitedAt.toISOString(),
    expires_at: member === null ? expiresAt.toISOString() : null,
    accepted_at: acceptedAt?.toISOString() ?? null,
  };
}

export function toInvitationDto(row: InvitationRow): InvitationDto {
  return {
    account_id: ACCOUNT_IDS.format(Number(row.accountId)),
    name: row.name,
    owner: row.ownerName,
    ...fieldsOf(row, 'role', 'invitedAt', 'expiresAt'),
  };
}
