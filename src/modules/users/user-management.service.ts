import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Not, Repository, type EntityManager } from 'typeorm';
import type { AuditTarget } from '../../kit/audit/audit-entry.js';
import { AuditLog } from '../../kit/audit/audit-log.js';
import { CoreService } from '../../core/core.service.js';
import type { Command } from '../../domain/engine/commands.js';
import type { Proposable } from '../../kit/approvals/proposed.js';
import { CONFIG, type Config } from '../../kit/config/config.js';
import { Filters } from '../../kit/filters/filters.js';
import type { FieldChanges } from '../../domain/fields.js';
import { StoredFields } from '../../kit/fields/stored-fields.js';
import { CONFLICT } from '../../kit/http/error-codes.js';
import { ApiError } from '../../kit/http/errors.js';
import { isInPerson, personOf, type Principal } from '../../kit/security/principal.js';
import { grants, type ScopeRequirement } from '../../kit/security/scope.js';
import { Texts } from '../../kit/words/texts.js';
import { requireStepUp } from '../../kit/security/step-up.js';
import { beforeAddressChanges } from './email-addresses.js';
import { UserErasure } from './erasure/user-erasure.service.js';
import { changedBy, PasswordChanges, type ChangeOrigin } from './password-changes.service.js';
import { recordReset } from './password-resets.js';
import { WithdrawalGate } from './withdrawal-gate.js';
import { UserAccounts } from './user-accounts.js';
import { isAnyOperator, NO_OPERATOR } from './operator-standing.js';
import {
  CHANGES_USERS,
  loginRequired,
  readerOf,
  requireRecentLogIn,
  requireRolesOf,
  SEES_USERS,
  userNotFound,
  writerOf,
} from './user-access.js';
import { makeOperator, UserApprovals } from './user-approvals.service.js';
import { UserCredentials } from './user-credentials.js';
import { toUserDto, UpdateUserDto, type UserDto } from './user.dto.js';
import { principalKeyOf, UserEntity, UserStatus } from './user.entity.js';
import { canonicalUsername } from './username.js';
import { requireLanguage } from './user-language.js';
import { UsersService } from './users.service.js';

/**
 * What becomes of users: by themselves, in a session, or by operators. To everyone else they do not exist,
 * and a closed user exists for nobody.
 *
 * Every method throws `not_found` (404) for a user that the caller cannot see, and the first three throw
 * `forbidden` (403) where a client or an API key of the user asks.
 */
@Injectable()
export class UserManagementService {
  constructor(
    @InjectRepository(UserEntity) private readonly repository: Repository<UserEntity>,
    private readonly users: UsersService,
    private readonly passwords: PasswordChanges,
    private readonly credentials: UserCredentials,
    private readonly core: CoreService,
    private readonly gate: WithdrawalGate,
    private readonly approvals: UserApprovals,
    @Inject(CONFIG) private readonly config: Config,
    private readonly audit: AuditLog,
    private readonly erasure: UserErasure,
    private readonly accounts: UserAccounts,
    private readonly filters: Filters,
    private readonly fields: StoredFields,
    private readonly texts: Texts,
  ) {}

  async get(principal: Principal, username: string): Promise<UserDto> {
    return this.show(principal, await this.findFor(principal, username, SEES_USERS));
  }

  /**
   * Changes what `change` says. A new password ends all sessions of the user but the caller's; that of another
   * operator is a proposal with `FOUR_EYES`. Throws `validation_failed` (400) for another username and for a language that there
   * is not, `step_up_required` (403) for another mail address of oneself, what filters refuse with, and as
   * `PasswordChanges.hashOfNew` and `replace`.
   */
  async update(
    principal: Principal,
    username: string,
    wanted: UpdateUserDto,
    origin: ChangeOrigin,
  ): Promise<Proposable<UserDto>> {
    const user = await this.findFor(principal, username, CHANGES_USERS);
    requireSameName(user, wanted.username);
    requireLanguage(this.texts, wanted.language);
    const isOfProfile = Object.keys(fieldsOf(user, wanted)).length > 0;
    const change = isOfProfile
      ? await this.filters.pass('profiles', wanted, { username: user.username }, UpdateUserDto)
      : wanted;
    const fields = fieldsOf(user, change);
    const isOwn = personOf(principal) === principalKeyOf(user);
    if (!isOwn) requireRolesOf(principal, user);
    // Whoever has stolen a session must not get the mails that reset the password.
    if (isOwn && fields.email !== undefined) requireStepUp(principal);
    const passwordHash = await this.passwords.hashOfNew(principal, user, change.password, origin);
    if (passwordHash === undefined) {
      const written = await this.write(principal, user, fields, change.fields);
      return { body: await this.show(principal, written), replayed: false };
    }
    if (!isOwn && isAnyOperator(user) && this.config.fourEyes) {
      const [declared] = Object.keys(change.fields ?? {});
      if (declared !== undefined) throw alone(declared);
      return this.approvals.proposeReset(principal, user, { passwordHash, fields });
    }
    await this.passwords.replace(
      user,
      { ...fields, passwordHash },
      {
        keptToken: origin.presentedToken,
        first: async (manager) => {
          await beforeAddressChanges(manager, user, fields, { inPerson: isOwn && isInPerson(principal) });
          if (!isOwn) await recordReset(manager, user, personOf(principal));
        },
      },
    );
    const written = await this.write(principal, user, {}, change.fields);
    return { body: await this.show(principal, written), replayed: false };
  }

  /**
   * Closes a user: nobody logs in by that name again, its personal fields are erased, all its credentials end
   * and its open orders are cancelled. Its account, history and money stay where they are, payouts and transfers that
   * wait too; `UserErasure` then erases what the modules have of it. Throws `conflict` (409) for the last operator, for
   * oneself `step_up_required` (403), and `account_not_empty` (409) while anything is left, and what `CoreService.submit`
   * throws.
   */
  async close(principal: Principal, username: string): Promise<void> {
    const user = await this.findFor(principal, username, CHANGES_USERS);
    const { userId } = user;
    const isOwn = personOf(principal) === principalKeyOf(user);
    if (!isOwn) requireRolesOf(principal, user);
    if (isOwn) requireRecentLogIn(principal);
    const { manager: database } = this.repository;
    await database.transaction((manager) => requireAnotherOperator(manager, userId));
    // An operator may close whom the law or the house wants closed, and answers for what is left.
    if (isOwn) await this.accounts.requireEmpty(principalKeyOf(user));
    // Nobody could cancel them afterwards. Done first, so that a user with remaining orders is not closed.
    await this.cancelOrders(userId);
    await database.transaction(async (manager) => {
      await requireAnotherOperator(manager, userId);
      await manager.update(UserEntity, { userId }, { ...CLOSED, closedAt: new Date() });
      await this.fields.erase(manager, 'users', [userId]);
      await this.audit.record(manager, { target: targetOf(user) });
    });
    await this.credentials.endAll(userId);
    // And again, for what was placed meanwhile.
    await this.cancelOrders(userId);
    await this.gate.waitUntilClear();
    this.erasure.request();
  }

  /** Lets an active user hold the scope `admin`, from the next log-in on; with `FOUR_EYES` a proposal. */
  async makeOperator(principal: Principal, username: string): Promise<Proposable<UserDto>> {
    const user = await this.users.findByUsername(username);
    if (user?.userStatus !== UserStatus.active) throw userNotFound();
    if (this.config.fourEyes) return this.approvals.proposeOperator(principal, user);
    await this.repository.manager.transaction(async (manager) => {
      await makeOperator(manager, user.userId);
      await this.audit.record(manager, { target: targetOf(user) });
    });
    return done(user);
  }

  private async cancelOrders(userId: string): Promise<void> {
    const accounts = await this.core.accountsOf(principalKeyOf({ userId }));
    const commands = accounts.map(({ accountId }): Command => ({
      type: 'cancel_all_orders',
      accountId,
      marketId: null,
    }));
    if (commands.length > 0) await this.core.submit({ commands });
  }

  /** For the user in person, and for operators who meet the requirement. */
  private async findFor(
    principal: Principal,
    username: string,
    requirement: ScopeRequirement,
  ): Promise<UserEntity> {
    const user = await this.users.findByUsername(username);
    if (user === null || user.userStatus === UserStatus.closed) throw userNotFound();
    if (grants(principal.scopes, requirement)) return user;
    if (principal.accountOwner !== principalKeyOf(user)) throw userNotFound();
    if (!isInPerson(principal)) throw loginRequired();
    return user;
  }

  private async show(principal: Principal, user: UserEntity): Promise<UserDto> {
    const [shown] = await this.fields.shownWith('users', [toUserDto(user)], fieldsIdOf, readerOf(principal));
    return shown!;
  }

  private write(
    principal: Principal,
    user: UserEntity,
    fields: Partial<UserEntity>,
    declared: FieldChanges | undefined,
  ): Promise<UserEntity> {
    const isOpen = { userId: user.userId, userStatus: Not(UserStatus.closed) };
    return this.repository.manager.transaction(async (manager) => {
      const isChanged = Object.keys(fields).length > 0;
      const isOwn = personOf(principal) === principalKeyOf(user);
      if (isChanged) {
        await beforeAddressChanges(manager, user, fields, { inPerson: isOwn && isInPerson(principal) });
        await manager.update(UserEntity, isOpen, fields);
      }
      const written = await manager.findOneBy(UserEntity, isOpen);
      if (written === null) throw userNotFound();
      await this.fields.change(manager, 'users', user.userId, declared, writerOf(principal));
      // Only an operator's change of another user is an audited act.
      if ((isChanged || declared !== undefined) && !isOwn) {
        const changed = [...changedBy(fields), ...Object.keys(declared ?? {})];
        await this.audit.record(manager, { target: targetOf(user), details: { changed } });
      }
      return written;
    });
  }
}

const fieldsIdOf = ({ id }: UserDto): string => `${id}`;

function done(user: UserEntity): Proposable<UserDto> {
  return { body: toUserDto(user), replayed: false };
}

const CLOSED: Partial<UserEntity> = {
  userStatus: UserStatus.closed,
  ...NO_OPERATOR,
  firstName: null,
  lastName: null,
  email: null,
  phone: null,
  language: null,
  passwordHash: null,
};

/** The fields that a change names, the address only where it is another; one that is null counts as left out. */
function fieldsOf(
  user: UserEntity,
  { firstName, lastName, email, phone, language }: UpdateUserDto,
): Partial<UserEntity> {
  const other = email === user.email ? undefined : email;
  const named = Object.entries({ firstName, lastName, email: other, phone, language });
  return Object.fromEntries(named.filter(([, value]) => value != null));
}

/** A proposal keeps what the service knows of the user alone. */
function alone(field: string): ApiError {
  return ApiError.validation([
    { field, message: `${field} must be changed apart from the password of an operator` },
  ]);
}

function targetOf({ username }: UserEntity): AuditTarget {
  return { type: 'user', id: username };
}

function requireSameName(user: UserEntity, username?: string | null): void {
  if (username == null || canonicalUsername(username) === canonicalUsername(user.username)) return;
  throw ApiError.validation([{ field: 'username', message: 'username never changes' }]);
}

/** Holds the rows of all operators, in one order, so that of the last two that go at the same time one stays. */
export async function requireAnotherOperator(manager: EntityManager, userId: string): Promise<void> {
  const operators = await manager.query<{ readonly user_id: string }[]>(
    'SELECT user_id FROM users WHERE is_operator AND user_status = $1 ORDER BY user_id FOR UPDATE',
    [UserStatus.active],
  );
  if (operators.length === 1 && operators[0]?.user_id === userId) {
    throw new ApiError(CONFLICT, 'This is the last operator; make another one first.');
  }
}
