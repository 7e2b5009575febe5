import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Not, Repository, type EntityManager } from 'typeorm';
import { CoreService } from '../../core/core.service.js';
import type { Command } from '../../domain/engine/commands.js';
import { ApiError } from '../../platform/http/errors.js';
import { RateLimits } from '../../platform/http/rate-limit/rate-limits.js';
import type { Principal } from '../../platform/security/principal.js';
import { PasswordHasher } from './password-hasher.js';
import { isLoggedInUser, isOperator, loginRequired } from './user-access.js';
import { UserCredentials } from './user-credentials.js';
import { PASSWORD_SHOWN, toUserDto, type UpdateUserDto, type UserDto } from './user.dto.js';
import { principalKeyOf, UserEntity, UserStatus } from './user.entity.js';
import { canonicalUsername } from './username.js';
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
    private readonly passwords: PasswordHasher,
    private readonly credentials: UserCredentials,
    private readonly limits: RateLimits,
    private readonly core: CoreService,
  ) {}

  async get(principal: Principal, username: string): Promise<UserDto> {
    return toUserDto(await this.findFor(principal, username));
  }

  /**
   * Changes what `change` says. A new password ends all sessions of the user but the one by `presentedToken`.
   * Throws `validation_failed` (400) for another username, and `rate_limited` (429) for too many passwords.
   */
  async update(
    principal: Principal,
    username: string,
    change: UpdateUserDto,
    presentedToken: string | undefined,
  ): Promise<UserDto> {
    const user = await this.findFor(principal, username);
    requireSameName(user, change.username);
    const { userId } = user;
    const passwordHash = await this.hashOfNew(principal, change.password);
    if (passwordHash === undefined) return toUserDto(await this.write(userId, fieldsOf(change)));

    // Before, so that a process that dies in between leaves no old session beside the new password; and
    // after, for who logged in with the old one meanwhile.
    await this.credentials.endSessions(userId, presentedToken);
    const updated = await this.write(userId, { ...fieldsOf(change), passwordHash });
    await this.credentials.endSessions(userId, presentedToken);
    return toUserDto(updated);
  }

  /**
   * Closes a user: nobody logs in by that name again, its personal fields are erased, all its credentials end
   * and its open orders are cancelled. Its account, history and money stay where they are. Throws `conflict`
   * (409) for the last operator, and what `CoreService.submit` throws.
   */
  async close(principal: Principal, username: string): Promise<void> {
    const { userId } = await this.findFor(principal, username);
    await this.repository.manager.transaction(async (manager) => {
      await requireAnotherOperator(manager, userId);
      // Nobody is left to cancel them afterwards. First, so that a user whose orders stay is not closed.
      await this.cancelOrders(userId);
      await manager.update(UserEntity, { userId }, CLOSED);
    });
    await this.credentials.endAll(userId);
    // And again, for what was placed meanwhile.
    await this.cancelOrders(userId);
  }

  /** Lets an active user hold the scope `admin`, from the next log-in on. */
  async makeOperator(username: string): Promise<UserDto> {
    const user = await this.users.findByUsername(username);
    if (user === null) throw userNotFound();
    const { affected } = await this.repository.update(
      { userId: user.userId, userStatus: UserStatus.active },
      { isOperator: true },
    );
    if (affected === 0) throw userNotFound();
    return toUserDto(user);
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

  private async findFor(principal: Principal, username: string): Promise<UserEntity> {
    const user = await this.users.findByUsername(username);
    if (user === null || user.userStatus === UserStatus.closed) throw userNotFound();
    if (isOperator(principal)) return user;
    if (principal.accountOwner !== principalKeyOf(user)) throw userNotFound();
    if (!isLoggedInUser(principal)) throw loginRequired();
    return user;
  }

  /** `undefined` where the password stays as it is. */
  private async hashOfNew(principal: Principal, password?: string | null): Promise<string | undefined> {
    if (password == null || password === PASSWORD_SHOWN) return undefined;
    if (!isOperator(principal)) await this.limits.consume('password_changes', principal.key);
    return this.passwords.hash(password);
  }

  private async write(userId: string, fields: Partial<UserEntity>): Promise<UserEntity> {
    const isOpen = { userId, userStatus: Not(UserStatus.closed) };
    if (Object.keys(fields).length > 0) await this.repository.update(isOpen, fields);
    const written = await this.repository.findOneBy(isOpen);
    if (written === null) throw userNotFound();
    return written;
  }
}

const CLOSED: Partial<UserEntity> = {
  userStatus: UserStatus.closed,
  isOperator: false,
  firstName: null,
  lastName: null,
  email: null,
  phone: null,
  passwordHash: null,
};

/** The fields that a change names; one that is null counts as left out. */
function fieldsOf({ firstName, lastName, email, phone }: UpdateUserDto): Partial<UserEntity> {
  const named = Object.entries({ firstName, lastName, email, phone }).filter(([, value]) => value != null);
  return Object.fromEntries(named);
}

function requireSameName(user: UserEntity, username?: string | null): void {
  if (username == null || canonicalUsername(username) === canonicalUsername(user.username)) return;
  throw ApiError.validation([{ field: 'username', message: 'username never changes' }]);
}

/** Locks all operators, in one order, so that of the last two that are closed at the same time one stays. */
async function requireAnotherOperator(manager: EntityManager, userId: string): Promise<void> {
  const operators = await manager.query<{ readonly user_id: string }[]>(
    'SELECT user_id FROM users WHERE is_operator AND user_status = $1 ORDER BY user_id FOR UPDATE',
    [UserStatus.active],
  );
  if (operators.length === 1 && operators[0]?.user_id === userId) {
    throw new ApiError('conflict', 'This is the last operator; make another one first.');
  }
}

function userNotFound(): ApiError {
  return new ApiError('not_found', 'There is no such user, or it is not you.');
}
