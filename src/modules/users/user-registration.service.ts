import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { QueryFailedError, Repository, type EntityManager } from 'typeorm';
import { AuditLog } from '../../kit/audit/audit-log.js';
import { Filters } from '../../kit/filters/filters.js';
import { StoredFields } from '../../kit/fields/stored-fields.js';
import { RATE_LIMITED } from '../../kit/http/error-codes.js';
import { USERNAME_TAKEN } from './errors.js';
import { ApiError } from '../../kit/http/errors.js';
import { AnswerTransaction } from '../../kit/http/idempotency/answer-transaction.js';
import { RateLimits } from '../../kit/rate-limit/rate-limits.js';
import { isInPerson, personOf, type Principal } from '../../kit/security/principal.js';
import { Texts } from '../../kit/words/texts.js';
import { PasswordHasher } from './password-hasher.js';
import { PasswordPolicy } from './password-policy.js';
import { changesUsers, loginRequired, readerOf, writerOf } from './user-access.js';
import { NO_OPERATOR } from './operator-standing.js';
import { CreateUserDto, toUserDto, type UserDto } from './user.dto.js';
import { UserEntity, UserStatus, userIdOf } from './user.entity.js';
import { canonicalUsername } from './username.js';
import { requireLanguage } from './user-language.js';
import { UsersService } from './users.service.js';

/** How many users somebody who is no operator may make, together with all whom these make. */
const CREATIONS_MAX = 20;
const CREATIONS_WINDOW_S = 3_600;

/** How users come to be: made by others, who are remembered. */
@Injectable()
export class UserRegistrationService {
  constructor(
    @InjectRepository(UserEntity) private readonly repository: Repository<UserEntity>,
    private readonly users: UsersService,
    private readonly passwords: PasswordHasher,
    private readonly policy: PasswordPolicy,
    private readonly limits: RateLimits,
    private readonly answerTransaction: AnswerTransaction,
    private readonly audit: AuditLog,
    private readonly filters: Filters,
    private readonly fields: StoredFields,
    private readonly texts: Texts,
  ) {}

  /**
   * Makes all the users, or none, and answers what `answerOf` makes of them, in their order.
   *
   * Throws `forbidden` (403) for who is neither a logged-in user nor an operator, `validation_failed` (400)
   * for a name that comes twice and as `PasswordPolicy`, what filters refuse with, `username_taken` (409), and `rate_limited` (429) once somebody who is no
   * operator has made too many or while too many passwords are being hashed.
   */
  async register<Answer>(
    principal: Principal,
    wanted: readonly CreateUserDto[],
    answerOf: (users: readonly UserDto[]) => Answer,
  ): Promise<Answer> {
    if (!changesUsers(principal) && !isInPerson(principal)) throw loginRequired();
    requireDistinct(wanted);
    for (const { language, password } of wanted) {
      requireLanguage(this.texts, language);
      this.policy.require(password, 'password');
    }
    const newUsers = await Promise.all(
      wanted.map(async (user) =>
        this.filters.pass('profiles', user, { username: user.username }, CreateUserDto),
      ),
    );
    const rootId = await this.rootOf(principal);
    // Checked before the expensive hashing, so that refused requests stay cheap.
    await this.requireQuota(this.repository.manager, rootId, newUsers.length);
    await requireFree(this.repository.manager, newUsers);
    const users = await this.prepare(principal, rootId, newUsers);
    const answer = await this.answerTransaction.run(async (manager) => {
      await lockRoot(manager, rootId);
      await this.requireQuota(manager, rootId, newUsers.length);
      await insert(manager, users);
      for (const [index, { userId }] of users.entries())
        await this.fields.change(manager, 'users', userId, newUsers[index]!.fields, writerOf(principal));
      for (const { username } of users) {
        await this.audit.record(manager, { target: { type: 'user', id: username } });
      }
      const answers = users.map(toUserDto);
      return answerOf(
        await this.fields.shownWith('users', answers, ({ id }) => `${id}`, readerOf(principal), manager),
      );
    });
    await Promise.all(users.map((user) => this.users.openAccount(user)));
    return answer;
  }

  /** Hashes sequentially, so that creating many users leaves capacity for log-ins. */
  private async prepare(
    principal: Principal,
    rootId: string | null,
    newUsers: readonly CreateUserDto[],
  ): Promise<UserEntity[]> {
    const users: UserEntity[] = [];
    for (const { username, password, firstName, lastName, email, phone, language } of newUsers) {
      users.push(
        this.repository.create({
          username,
          passwordHash: await this.passwords.hash(password),
          firstName: firstName ?? null,
          lastName: lastName ?? null,
          email: email ?? null,
          phone: phone ?? null,
          language: language ?? null,
          userStatus: UserStatus.active,
          ...NO_OPERATOR,
          createdBy: personOf(principal),
          creationRootId: rootId,
        }),
      );
    }
    return users;
  }

  /**
   * The user whose budget counts the new users: the first of a chain of users who created each other; null for none.
   */
  private async rootOf(principal: Principal): Promise<string | null> {
    const userId = userIdOf(principal.key);
    if (userId === undefined || changesUsers(principal)) return null;
    const creator = await this.users.find(userId);
    return creator?.creationRootId ?? userId;
  }

  private async requireQuota(manager: EntityManager, rootId: string | null, count: number): Promise<void> {
    if (rootId === null || !this.limits.enabled) return;
    const [row] = await manager.query<[{ readonly made: number; readonly wait_s: number | null }]>(
      `SELECT count(*)::int AS made,
              ceil(extract(epoch FROM min(created_at) - now()) + $2)::int AS wait_s
         FROM users WHERE creation_root_id = $1::bigint AND created_at > now() - make_interval(secs => $2)`,
      [rootId, CREATIONS_WINDOW_S],
    );
    if (row.made + count <= CREATIONS_MAX) return;
    throw new ApiError(
      RATE_LIMITED,
      `You may make ${CREATIONS_MAX} users in an hour, together with those whom they make; wait and try again.`,
      {
        headers: { 'Retry-After': String(Math.max(1, row.wait_s ?? CREATIONS_WINDOW_S)) },
      },
    );
  }
}

function requireDistinct(newUsers: readonly CreateUserDto[]): void {
  const seen = new Set<string>();
  const repeated = newUsers.flatMap(({ username }, index) => {
    if (!seen.has(canonicalUsername(username))) {
      seen.add(canonicalUsername(username));
      return [];
    }
    return [{ field: `${index}.username`, message: `${username} comes more than once` }];
  });
  if (repeated.length > 0) throw ApiError.validation(repeated);
}

async function requireFree(manager: EntityManager, newUsers: readonly CreateUserDto[]): Promise<void> {
  const taken = await manager.query<{ readonly username: string }[]>(
    'SELECT username FROM users WHERE lower(username) = ANY($1) LIMIT 1',
    [newUsers.map(({ username }) => canonicalUsername(username))],
  );
  if (taken[0] !== undefined) throw usernameTaken(taken[0].username);
}

/** Serializes requests that share a budget, so that they cannot exceed it together. */
async function lockRoot(manager: EntityManager, rootId: string | null): Promise<void> {
  if (rootId === null) return;
  await manager.findOne(UserEntity, {
    select: { userId: true },
    where: { userId: rootId },
    lock: { mode: 'for_no_key_update' },
  });
}

/** In the order of their names: two requests with the same names wait for each other, never in a circle. */
async function insert(manager: EntityManager, users: readonly UserEntity[]): Promise<void> {
  const byName = [...users].sort((a, b) =>
    canonicalUsername(a.username) < canonicalUsername(b.username) ? -1 : 1,
  );
  try {
    await manager.insert(UserEntity, byName);
  } catch (error) {
    if (isTaken(error)) throw usernameTaken();
    throw error;
  }
}

function isTaken(error: unknown): boolean {
  if (!(error instanceof QueryFailedError)) return false;
  const { constraint } = error.driverError as { readonly constraint?: string };
  return constraint === 'users_username';
}

function usernameTaken(username?: string): ApiError {
  const which = username === undefined ? 'A user name of these' : `The user name ${username}`;
  return new ApiError(USERNAME_TAKEN, `${which} was given before; choose another one.`);
}
