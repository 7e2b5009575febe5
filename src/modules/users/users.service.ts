import { randomInt } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { Filters } from '../../kit/filters/filters.js';
import { NO_OPERATOR } from './operator-standing.js';
import { PasswordHasher } from './password-hasher.js';
import { UserAccounts } from './user-accounts.js';
import { principalKeyOf, UserEntity } from './user.entity.js';
import { profileWithin, UpdateUserDto } from './user.dto.js';
import { canonicalUsername, usernameLike, USERNAME_PATTERN } from './username.js';

export interface NewUser {
  readonly username: string;
  /** In plain text; only its argon2id hash is stored. */
  readonly password: string;
  readonly isOperator: boolean;
}

/** What an outside identity says of a user who is made for it. `username` is a wish. */
export type OutsideProfile = Readonly<
  Partial<Record<'username' | 'firstName' | 'lastName' | 'email', string | undefined>>
>;

/** Names that are tried, the last ones with more and more digits at random. */
const NAMES_TRIED_MAX = 8;

/** The people who may log in. Every one of them has a trading account. */
@Injectable()
export class UsersService {
  private readonly logger = new Logger(UsersService.name);

  constructor(
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly passwords: PasswordHasher,
    private readonly accounts: UserAccounts,
    private readonly filters: Filters,
  ) {}

  /** Finds a user by name, without regard to case; closed ones too. */
  findByUsername(username: string): Promise<UserEntity | null> {
    if (!USERNAME_PATTERN.test(username)) return Promise.resolve(null);
    return this.users
      .createQueryBuilder('user')
      .where('lower(user.username) = lower(:username)', { username })
      .getOne();
  }

  /** The user as it is now; null for an id that no user has. */
  find(userId: string): Promise<UserEntity | null> {
    return this.users.findOneBy({ userId });
  }

  /** Whether anyone but these may operate the service. */
  async hasOperatorBeside(usernames: readonly string[]): Promise<boolean> {
    const names = usernames.map(canonicalUsername);
    const operators = await this.users.findBy({ isOperator: true });
    return operators.some(({ username }) => !names.includes(canonicalUsername(username)));
  }

  /** Creates the user and its account unless they exist. So the next start completes an interrupted one. */
  async ensure(user: NewUser): Promise<UserEntity> {
    const known = (await this.findByUsername(user.username)) ?? (await this.insert(user));
    await this.accounts.ensure(principalKeyOf(known), known.username);
    return known;
  }

  /**
   * Opens the user's account where it is missing. It never rejects: a core that cannot do it just now is no
   * reason to refuse a user, and each log-in comes by here again.
   */
  async openAccount(user: UserEntity): Promise<void> {
    try {
      await this.accounts.ensure(principalKeyOf(user), user.username);
    } catch (error) {
      this.logger.warn({ msg: 'a user has no account yet', user_id: user.userId, err: error });
    }
  }

  /**
   * What to make a user of who logs in elsewhere: with no password, with what filters leave of the profile, and with an
   * address that is not verified here. Throws what filters refuse with.
   */
  async withoutPassword({ username, ...said }: OutsideProfile): Promise<UserEntity> {
    const wish = usernameLike(username);
    const { firstName, lastName, email } = await this.filters.pass(
      'profiles',
      profileWithin(said),
      { username: wish },
      UpdateUserDto,
    );
    return this.users.create({
      username: wish,
      passwordHash: null,
      firstName: firstName ?? null,
      lastName: lastName ?? null,
      email: email ?? null,
      ...NO_OPERATOR,
    });
  }

  /** Inserts such a user under the name that it wishes, or under one like it that nobody ever had. */
  async insertWithoutPassword(manager: EntityManager, user: UserEntity): Promise<UserEntity> {
    const wish = user.username;
    for (let tries = 0; tries < NAMES_TRIED_MAX; tries++) {
      const suffix = tries === 0 ? '' : `-${randomInt(10 ** tries, 10 ** (tries + 1))}`;
      user.username = `${wish}${suffix}`;
      const [made] = await manager.query<{ readonly user_id: string }[]>(
        `INSERT INTO users (username, first_name, last_name, email) VALUES ($1, $2, $3, $4)
         ON CONFLICT (lower(username)) DO NOTHING RETURNING user_id`,
        [user.username, user.firstName, user.lastName, user.email],
      );
      if (made !== undefined) return manager.findOneByOrFail(UserEntity, { userId: made.user_id });
    }
    throw new Error('no free user name was found');
  }

  private async insert({ username, password, isOperator }: NewUser): Promise<UserEntity> {
    const passwordHash = await this.passwords.hash(password);
    return this.users.save(this.users.create({ username, passwordHash, ...NO_OPERATOR, isOperator }));
  }
}
