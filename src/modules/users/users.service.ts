import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { AccountOpener } from './account-opener.js';
import { PasswordHasher } from './password-hasher.js';
import { principalKeyOf, UserEntity } from './user.entity.js';
import { USERNAME_PATTERN } from './username.js';

export interface NewUser {
  readonly username: string;
  /** In plain text; only its argon2id hash is stored. */
  readonly password: string;
  readonly isOperator: boolean;
}

/** The people who may log in. Every one of them has a trading account. */
@Injectable()
export class UsersService {
  constructor(
    @InjectRepository(UserEntity) private readonly users: Repository<UserEntity>,
    private readonly passwords: PasswordHasher,
    private readonly accounts: AccountOpener,
  ) {}

  /** Finds a user by name, without regard to case; closed ones too. */
  findByUsername(username: string): Promise<UserEntity | null> {
    if (!USERNAME_PATTERN.test(username)) return Promise.resolve(null);
    return this.users
      .createQueryBuilder('user')
      .where('lower(user.username) = lower(:username)', { username })
      .getOne();
  }

  /** Whether anyone may operate the service. */
  hasOperator(): Promise<boolean> {
    return this.users.existsBy({ isOperator: true });
  }

  /**
   * Makes the user and its account where they are missing; what is there already stays as it is. So a
   * start that was cut short is finished by the next one.
   */
  async ensure(user: NewUser): Promise<UserEntity> {
    const known = (await this.findByUsername(user.username)) ?? (await this.insert(user));
    await this.accounts.ensure(principalKeyOf(known), known.username);
    return known;
  }

  private async insert({ username, password, isOperator }: NewUser): Promise<UserEntity> {
    const passwordHash = await this.passwords.hash(password);
    return this.users.save(this.users.create({ username, passwordHash, isOperator }));
  }
}
