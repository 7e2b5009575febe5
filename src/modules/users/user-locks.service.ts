import { StoredFields } from '../../kit/fields/stored-fields.js';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, In, type EntityManager } from 'typeorm';
import { AuditLog } from '../../kit/audit/audit-log.js';
import { FORBIDDEN } from '../../kit/http/error-codes.js';
import { ApiError } from '../../kit/http/errors.js';
import { personOf, type Principal } from '../../kit/security/principal.js';
import { WithdrawalGate } from './withdrawal-gate.js';
import { UserCredentials } from './user-credentials.js';
import { toUserDto, type UserDto } from './user.dto.js';
import { principalKeyOf, UserEntity, UserStatus } from './user.entity.js';
import { userNotFound } from './user-access.js';
import { requireAnotherOperator } from './user-management.service.js';
import { UsersService } from './users.service.js';

/** Users who may not act for a while. Their orders stay, and their money stays where it is. */
@Injectable()
export class UserLocks {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly users: UsersService,
    private readonly credentials: UserCredentials,
    private readonly gate: WithdrawalGate,
    private readonly audit: AuditLog,
    private readonly fields: StoredFields,
  ) {}

  /**
   * Locks a user: sessions, grants and the tokens of the user's clients end for good, clients and API keys
   * work no more until the user is unlocked, and no money of theirs leaves. Of a locked user it changes
   * nothing. Throws `not_found` (404), `forbidden` (403) for oneself, `conflict` (409) for the last operator.
   */
  async lock(principal: Principal, username: string, reason: string): Promise<UserDto> {
    const user = await this.find(username);
    const { userId } = user;
    if (personOf(principal) === principalKeyOf(user))
      throw new ApiError(FORBIDDEN, 'Nobody locks themselves. Ask another operator.');
    const locked = await this.dataSource.transaction(async (manager) => {
      await requireAnotherOperator(manager, userId);
      return this.setStatus(manager, user, UserStatus.locked, reason);
    });
    await this.credentials.suspend(userId);
    await this.gate.waitUntilClear();
    return this.show(locked);
  }

  /**
   * Lets a locked user act again, by a new log-in. Of an active user it changes nothing. Throws `not_found`
   * (404).
   */
  async unlock(username: string, reason: string | null): Promise<UserDto> {
    const user = await this.find(username);
    // Requests in progress during the lock may have left a session; none becomes valid again.
    if (user.userStatus === UserStatus.locked) await this.credentials.suspend(user.userId);
    const unlocked = await this.dataSource.transaction((manager) =>
      this.setStatus(manager, user, UserStatus.active, reason),
    );
    return this.show(unlocked);
  }

  private async show(user: UserEntity): Promise<UserDto> {
    const [shown] = await this.fields.shownWith('users', [toUserDto(user)], ({ id }) => `${id}`, 'operators');
    return shown!;
  }

  private async find(username: string): Promise<UserEntity> {
    const user = await this.users.findByUsername(username);
    if (user === null || user.userStatus === UserStatus.closed) throw userNotFound();
    return user;
  }

  /** Of a user who is not closed at this very moment. */
  private async setStatus(
    manager: EntityManager,
    { userId, username }: UserEntity,
    userStatus: typeof UserStatus.active | typeof UserStatus.locked,
    reason: string | null,
  ): Promise<UserEntity> {
    const isOpen = { userId, userStatus: In([UserStatus.active, UserStatus.locked]) };
    const { affected } = await manager.update(UserEntity, isOpen, { userStatus });
    if (affected === 0) throw userNotFound();
    await this.audit.record(manager, { target: { type: 'user', id: username }, details: { reason } });
    return manager.findOneByOrFail(UserEntity, { userId });
  }
}
