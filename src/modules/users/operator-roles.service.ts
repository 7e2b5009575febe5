import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, Not, type EntityManager } from 'typeorm';
import type { ApprovalKind } from '../../kit/approvals/approval-kind.js';
import { ApprovalType } from '../../kit/approvals/approval-type.js';
import { Approvals } from '../../kit/approvals/approvals.service.js';
import type { Proposable } from '../../kit/approvals/proposed.js';
import { ownMatter } from '../../kit/approvals/second-person.js';
import { AuditLog } from '../../kit/audit/audit-log.js';
import { CONFIG, type Config } from '../../kit/config/config.js';
import { ApiError } from '../../kit/http/errors.js';
import { personOf, type Principal } from '../../kit/security/principal.js';
import { ADMIN, ScopeCatalogue } from '../../kit/security/scope.js';
import type { UserRolesDto } from './roles.dto.js';
import { userNotFound } from './user-access.js';
import { UserCredentials } from './user-credentials.js';
import { requireAnotherOperator } from './user-management.service.js';
import { principalKeyOf, UserEntity, UserStatus } from './user.entity.js';
import { UsersService } from './users.service.js';

interface RolesPayload {
  readonly userId: string;
  /** In the order of the catalogue. */
  readonly roles: readonly string[];
}

export const OPERATOR_ROLES_CHANGE = new ApprovalType<RolesPayload>('operator_roles', { roles: [] });

/** Who is an operator, in which roles. Only `admin` gives and takes them: who gives a role could give it to a puppet. */
@Injectable()
export class OperatorRoles {
  readonly kind: ApprovalKind<RolesPayload> = {
    approved: ({ payload }, manager) => write(manager, payload),
    carryOut: ({ payload }) => this.credentials.rolesChanged(payload.userId),
  };

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly approvals: Approvals,
    private readonly users: UsersService,
    private readonly credentials: UserCredentials,
    private readonly scopes: ScopeCatalogue,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Gives a user exactly these roles; with `FOUR_EYES` a proposal. Throws `validation_failed` (400) for what is no role,
   * `not_found` (404), `related_person` (403) for oneself, `conflict` (409) for the last user with `admin`, and as
   * `Approvals.propose` does.
   */
  async set(
    principal: Principal,
    username: string,
    wanted: readonly string[],
  ): Promise<Proposable<UserRolesDto>> {
    const roles = this.read(wanted);
    const user = await this.users.findByUsername(username);
    if (user === null || user.userStatus === UserStatus.closed) throw userNotFound();
    if (personOf(principal) === principalKeyOf(user)) throw ownMatter();
    const payload = { userId: user.userId, roles };
    if (this.config.fourEyes) return this.propose(principal, user, payload);
    await this.dataSource.transaction(async (manager) => {
      await write(manager, payload);
      await this.audit.record(manager, {
        target: { type: 'user', id: user.username },
        details: { roles },
      });
    });
    await this.credentials.rolesChanged(user.userId);
    return { body: { username: user.username, roles }, replayed: false };
  }

  private propose(
    principal: Principal,
    user: UserEntity,
    payload: RolesPayload,
  ): Promise<Proposable<UserRolesDto>> {
    const { userId, username } = user;
    const { roles } = payload;
    const summary =
      roles.length === 0
        ? `Take all roles of an operator from ${username}.`
        : `Let ${username} be an operator with ${roles.join(', ')}, and with no other role.`;
    return this.approvals.propose(
      { principal, key: undefined },
      {
        kind: OPERATOR_ROLES_CHANGE,
        subject: { type: 'user', id: username },
        owner: principalKeyOf(user),
        slot: `operator_roles:${userId}`,
        summary,
        payload,
      },
    );
  }

  private read(wanted: readonly string[]): string[] {
    const { roles } = this.scopes;
    if (wanted.every((role) => roles.includes(role))) return roles.filter((role) => wanted.includes(role));
    const message = `each value in roles must be one of the following values: ${roles.join(', ')}`;
    throw ApiError.validation([{ field: 'roles', message }]);
  }
}

async function write(manager: EntityManager, { userId, roles }: RolesPayload): Promise<void> {
  const isOperator = roles.includes(ADMIN.name);
  if (!isOperator) await requireAnotherOperator(manager, userId);
  const { affected } = await manager.update(
    UserEntity,
    { userId, userStatus: Not(UserStatus.closed) },
    { isOperator, operatorRoles: roles.filter((role) => role !== ADMIN.name) },
  );
  if (affected === 0) throw userNotFound();
}
