import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { CoreService } from '../../../core/core.service.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { lockUntilCommit } from '../../../kit/database/advisory-locks.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { isInPerson, type Principal } from '../../../kit/security/principal.js';
import { AccountMemberEntity } from '../access/account-member.entity.js';
import { MemberRoles } from '../access/member-roles.js';
import { loginRequired } from '../../users/user-access.js';
import { UserStatus } from '../../users/user.entity.js';
import { canonicalUsername } from '../../users/username.js';
import { CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { type InvitationDto, type InvitationRow, toInvitationDto } from './account-member.dto.js';
import { deleteMember, targetOf } from './account-members.service.js';
import { ACCOUNT_IDS } from '../ids.js';

const MEMBERSHIPS_PER_USER_MAX = 100;

type FoundRow = Omit<InvitationRow, 'name'>;

/**
 * What users are on accounts of others, as they see it. Every method throws `forbidden` (403) for what is no session.
 */
@Injectable()
export class Memberships {
  constructor(
    private readonly core: CoreService,
    private readonly roles: MemberRoles,
    private readonly audit: AuditLog,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** Those that may be accepted now, in the order of the accounts. Throws `invalid_cursor` (400). */
  async invitations(principal: Principal, { limit, cursor }: PageQueryDto): Promise<Page<InvitationDto>> {
    const username = ownName(principal);
    const [after] = decodeCursor(cursor, ['integer']) ?? [0];
    const rows = await this.dataSource.query<FoundRow[]>(
      `SELECT m.account_id AS "accountId", m.role, m.invited_at AS "invitedAt", m.expires_at AS "expiresAt",
              owner.username AS "ownerName"
         FROM account_members m
         JOIN users owner ON owner.user_id = substring(m.owner FROM '^user:([0-9]{1,18})$')::bigint
        WHERE m.username = $1 AND m.member IS NULL AND m.expires_at > now() AND m.account_id > $2
          AND owner.user_status = $3
        ORDER BY m.account_id LIMIT $4`,
      [username, after, UserStatus.active, limit + 1],
    );
    const named = await Promise.all(
      rows.map(async (row) => ({
        ...row,
        name: (await this.core.account(Number(row.accountId)))?.name ?? '',
      })),
    );
    return pageOf(named, limit, ({ accountId }) => [Number(accountId)], toInvitationDto);
  }

  /**
   * From then on the user has the role. Of what was accepted before it changes nothing. Throws `not_found` (404) without
   * an invitation that stands, and `conflict` (409) at the limit.
   */
  async accept(principal: Principal, account: string): Promise<void> {
    const username = ownName(principal);
    const accountId = accountIn(account);
    const { accountOwner: member } = principal;
    await this.dataSource.transaction(async (manager) => {
      // Those of one user take turns, so that each counts those before it.
      await lockUntilCommit(manager, `account_memberships:${member}`);
      await requireRoom(manager, member);
      const [, accepted] = await manager.query<[unknown, number]>(
        `UPDATE account_members SET member = $3, accepted_at = now()
         WHERE account_id = $1 AND username = $2 AND member IS NULL AND expires_at > now()`,
        [accountId, username, member],
      );
      if (accepted > 0) return this.audit.record(manager, { target: targetOf(accountId) });
      if (!(await manager.existsBy(AccountMemberEntity, { accountId: String(accountId), member }))) {
        throw invitationNotFound();
      }
      this.audit.markRepeat();
    });
    this.roles.forgetAllOf(member);
  }

  /** Declines an invitation, or ends one's membership. Throws `not_found` (404). */
  async leave(principal: Principal, account: string): Promise<void> {
    const username = ownName(principal);
    const accountId = accountIn(account);
    await this.dataSource.transaction(async (manager) => {
      if ((await deleteMember(manager, accountId, username)) === undefined) throw invitationNotFound();
      await this.audit.record(manager, { target: targetOf(accountId) });
    });
    this.roles.forgetAllOf(principal.accountOwner);
  }
}

function ownName(principal: Principal): string {
  if (!isInPerson(principal)) throw loginRequired();
  return canonicalUsername(principal.id);
}

function accountIn(text: string): number {
  const accountId = ACCOUNT_IDS.parse(text);
  if (accountId === undefined) throw invitationNotFound();
  return accountId;
}

async function requireRoom(manager: EntityManager, member: string): Promise<void> {
  if ((await manager.countBy(AccountMemberEntity, { member })) < MEMBERSHIPS_PER_USER_MAX) return;
  throw new ApiError(
    CONFLICT,
    `You are a member of ${MEMBERSHIPS_PER_USER_MAX} accounts, which is the most. Leave one first.`,
  );
}

function invitationNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such invitation or membership. See GET /accounts/invitations.');
}
