import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { NO_OPERATOR } from './operator-standing.js';
import { PasswordHasher } from './password-hasher.js';
import { UserAccounts } from './user-accounts.js';
import { principalKeyOf, UserEntity } from './user.entity.js';
import { canonicalUsername, USERNAME_PATTERN } from './username.js';

export interface NewUser {
  readonly username: string;
  /** In plain text; only its argon2id hash is stored. */
  readonly password: string;
  readonly isOperator: boolean;
}

/** The people who may log in. Every one of them has a trading account. */
@Injectable()
export class UsersService {
  private readonly logger = new Logger(UsersService.name);

  constructor(
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly passwords: PasswordHasher,
    private readonly accounts: UserAccounts,
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

  private async insert({ username, password, isOperator }: NewUser): Promise<UserEntity> {
    const passwordHash = await this.passwords.hash(password);
    return this.users.save(this.users.create({ username, passwordHash, ...NO_OPERATOR, isOperator }));
  }
}
