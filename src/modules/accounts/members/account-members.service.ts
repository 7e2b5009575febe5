import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import type { AuditTarget } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { lockUntilCommit } from '../../../kit/database/advisory-locks.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import { isInPerson, type Principal } from '../../../kit/security/principal.js';
import { requireStepUp } from '../../../kit/security/step-up.js';
import { AccountMemberEntity } from '../access/account-member.entity.js';
import { AccountAccessService, accountNotFound } from '../access/account-access.service.js';
import { MemberRoles } from '../access/member-roles.js';
import { loginRequired } from '../../users/user-access.js';
import { canonicalUsername } from '../../users/username.js';
import { NOT_FOUND, CONFLICT } from '../../../kit/http/error-codes.js';
import {
  type AccountMemberDto,
  type AccountMembersDto,
  type InviteMemberDto,
  toAccountMemberDto,
} from './account-member.dto.js';
import { ACCOUNT_IDS } from '../ids.js';

const MEMBERS_PER_ACCOUNT_MAX = 50;
const INVITATION_LASTS_MS = 7 * 24 * 60 * 60_000;

/** The condition of rows that count, for the alias `m`: an invitation that has expired is none. */
export const STANDS = '(m.member IS NOT NULL OR m.expires_at > now())';

/**
 * Whom owners let into their accounts. Every method throws `forbidden` (403) for what is no session and for members of
 * the account, and `account_not_found` (404) for what is no trading account of the caller's.
 */
@Injectable()
export class AccountMembers {
  constructor(
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly roles: MemberRoles,
    private readonly answers: AnswerTransaction,
    private readonly audit: AuditLog,
    @InjectRepository(AccountMemberEntity) private readonly members: Repository<AccountMemberEntity>,
  ) {}

  /**
   * Invites a user, or one who may come to be, invites again, or changes the role of a member, which counts at once.
   * Throws `step_up_required` (403), `validation_failed` (400) for oneself, and `conflict` (409) at the limit.
   */
  async invite(
    principal: Principal,
    account: string,
    { username, role }: InviteMemberDto,
  ): Promise<AccountMemberDto> {
    const accountId = await this.ownedAccount(principal, account);
    requireStepUp(principal);
    const invitee = canonicalUsername(username);
    if (invitee === canonicalUsername(principal.id)) {
      throw ApiError.validation([{ field: 'username', message: 'username must be that of somebody else' }]);
    }
    const changed = new Set<string>();
    const answer = await this.answers.run(async (manager) => {
      await lockUntilCommit(manager, `account_members:${accountId}`);
      await requireRoom(manager, accountId, invitee);
      const row = await this.write(manager, accountId, invitee, role, principal.accountOwner);
      if (row.member !== null) changed.add(row.member);
      await this.audit.record(manager, { target: targetOf(accountId), details: { username: invitee, role } });
      return toAccountMemberDto(row);
    });
    for (const member of changed) this.roles.forgetAllOf(member);
    return answer;
  }

  async list(principal: Principal, account: string): Promise<AccountMembersDto> {
    const accountId = await this.ownedAccount(principal, account);
    const rows = await this.members
      .createQueryBuilder('m')
      .where(`m.account_id = :accountId AND ${STANDS}`, { accountId })
      .orderBy('m.username')
      .getMany();
    return { data: rows.map(toAccountMemberDto) };
  }

  /** The member is refused from then on, and so is who accepts the invitation. Throws `not_found` (404). */
  async end(principal: Principal, account: string, username: string): Promise<void> {
    const accountId = await this.ownedAccount(principal, account);
    const invitee = canonicalUsername(username);
    const member = await this.members.manager.transaction(async (manager) => {
      const ended = await deleteMember(manager, accountId, invitee);
      if (ended === undefined) throw new ApiError(NOT_FOUND, 'There is no such member of this account.');
      await this.audit.record(manager, { target: targetOf(accountId), details: { username: invitee } });
      return ended.member;
    });
    if (member !== null) this.roles.forgetAllOf(member);
  }

  private async ownedAccount(principal: Principal, text: string): Promise<number> {
    if (!isInPerson(principal)) throw loginRequired();
    const accountId = await this.access.accountIdOf(principal, text, 'manage');
    // Wallets belong to their owner as a whole, and so do their rules.
    if ((await this.core.account(accountId))?.kind !== 'trading') throw accountNotFound();
    return accountId;
  }

  /** What was accepted stays so; an invitation begins anew. */
  private async write(
    manager: EntityManager,
    accountId: number,
    username: string,
    role: AccountMemberEntity['role'],
    owner: string,
  ): Promise<AccountMemberEntity> {
    await manager.query(
      `INSERT INTO account_members AS m (account_id, username, role, owner, expires_at)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (account_id, username) DO UPDATE SET role = excluded.role,
         invited_at = CASE WHEN m.member IS NULL THEN excluded.invited_at ELSE m.invited_at END,
         expires_at = CASE WHEN m.member IS NULL THEN excluded.expires_at ELSE m.expires_at END`,
      [accountId, username, role, owner, new Date(Date.now() + INVITATION_LASTS_MS)],
    );
    return manager.findOneByOrFail(AccountMemberEntity, { accountId: String(accountId), username });
  }
}

async function requireRoom(manager: EntityManager, accountId: number, invitee: string): Promise<void> {
  const others = await manager
    .createQueryBuilder(AccountMemberEntity, 'm')
    .where(`m.account_id = :accountId AND m.username <> :invitee AND ${STANDS}`, { accountId, invitee })
    .getCount();
  if (others < MEMBERS_PER_ACCOUNT_MAX) return;
  throw new ApiError(
    CONFLICT,
    `The account has ${MEMBERS_PER_ACCOUNT_MAX} members and invitations, which is the most. End one first.`,
  );
}

/** Undefined where there is none. */
export async function deleteMember(
  manager: EntityManager,
  accountId: number,
  username: string,
): Promise<{ readonly member: string | null } | undefined> {
  const [rows] = await manager.query<[{ member: string | null }[], number]>(
    'DELETE FROM account_members m WHERE account_id = $1 AND username = $2 RETURNING member',
    [accountId, username],
  );
  return rows[0];
}

export function targetOf(accountId: number): AuditTarget {
  return { type: 'account', id: ACCOUNT_IDS.format(accountId) };
}
