import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { noteChange } from '../../../kit/changes/changes.js';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { ScopeCatalogue } from '../../../kit/security/scope.js';
import { UserCredentials } from '../../users/user-credentials.js';
import { userLocked } from '../../users/password-login.js';
import { notifyUser } from '../../users/notices/notify-user.js';
import { principalKeyOf, UserEntity, UserStatus } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { digestOf } from '../secrets/secrets.js';
import { IdentitySessionEntity } from '../tokens/identity-session.entity.js';
import { GROUP_CHANGES } from './identity-groups.js';
import type { ProvedIdentity } from './identity-provider.js';
import { RenewalSecrets } from './renewal-secrets.js';
import { UserIdentityEntity } from './user-identity.entity.js';

/** For how long a browser may look for its second factor, and a session is kept that never begins. */
const AWAITED_MS = 5 * 60_000;

/**
 * The users of identities. Each is found by issuer and subject alone: mail addresses and names are given to others one day,
 * and some providers let anybody claim them, so that one which finds a user would be a way into the account.
 */
@Injectable()
export class IdentityUsers {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly users: UsersService,
    private readonly credentials: UserCredentials,
    private readonly secrets: RenewalSecrets,
    private readonly scopes: ScopeCatalogue,
    private readonly audit: AuditLog,
  ) {}

  /**
   * The user who is logging in, made at the first time; with the groups and roles of now, for a browser that is not logged in
   * yet. Throws `user_locked` (403).
   */
  async logIn(provider: string, identity: ProvedIdentity, browserSecret: string): Promise<UserEntity> {
    const userId = (await this.find(identity)) ?? (await this.make(provider, identity));
    await this.keep(userId, identity);
    const user = (await this.users.find(userId))!;
    if (user.userStatus === UserStatus.locked) throw userLocked();
    await this.users.openAccount(user);
    await this.remember(provider, userId, identity, browserSecret);
    return user;
  }

  /** Binds the identity to a user who asked for it. Throws `conflict` (409) where either has another one already. */
  async link(provider: string, identity: ProvedIdentity, userId: string, username: string): Promise<void> {
    const isBound = await this.database.transaction(async (manager) => {
      if (!(await bind(manager, provider, identity, userId))) return false;
      await notifyUser(manager, principalKeyOf({ userId }), 'identity_linked');
      await this.audit.record(manager, {
        target: { type: 'user', id: username },
        details: { linked_identity: provider, issuer: identity.issuer },
      });
      return true;
    });
    if (!isBound && (await this.find(identity)) !== userId)
      throw new ApiError(CONFLICT, 'This identity belongs to another user here, or you have another one.');
    await this.keep(userId, identity);
  }

  /** Writes groups and roles where they are others, in all sessions of the user; others than those of before are gone at once. */
  async keep(userId: string, { issuer, subject, ...identity }: ProvedIdentity): Promise<void> {
    const groups = [...identity.groups];
    const roles = this.scopes.roles.filter((role) => identity.roles.includes(role));
    const isOther = await this.database.transaction(async (manager) => {
      const user = await manager.findOneOrFail(UserEntity, {
        where: { userId },
        lock: { mode: 'for_no_key_update' },
      });
      const kept = await manager.findOneByOrFail(UserIdentityEntity, { issuer, subject });
      if (!isSame(kept.groups, groups)) {
        await manager.update(UserIdentityEntity, { issuer, subject }, { groups });
        await noteChange(manager, GROUP_CHANGES, principalKeyOf(user));
      }
      if (isSame(user.identityRoles, roles)) return false;
      await manager.update(UserEntity, { userId }, { identityRoles: roles });
      await this.audit.record(
        manager,
        {
          target: { type: 'user', id: user.username },
          details: { identity_roles: roles, former_identity_roles: user.identityRoles, issuer },
        },
        { person: principalKeyOf(user), credential: `identity:${user.username}` },
      );
      return true;
    });
    if (isOther) await this.credentials.rolesChanged(userId);
  }

  private async find({ issuer, subject }: ProvedIdentity): Promise<string | undefined> {
    return (await this.database.manager.findOneBy(UserIdentityEntity, { issuer, subject }))?.userId;
  }

  /** Of two first log-ins at the same moment one makes the user, and the other finds it. */
  private async make(provider: string, identity: ProvedIdentity): Promise<string> {
    const newUser = await this.users.withoutPassword(identity.profile);
    return this.database.transaction(async (manager) => {
      // No row is there to lock yet: whoever makes the same user waits here.
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `identity ${identity.issuer} ${identity.subject}`,
      ]);
      const known = await manager.findOneBy(UserIdentityEntity, {
        issuer: identity.issuer,
        subject: identity.subject,
      });
      if (known !== null) return known.userId;
      const { userId, username } = await this.users.insertWithoutPassword(manager, newUser);
      await bind(manager, provider, identity, userId);
      await this.audit.record(
        manager,
        {
          target: { type: 'user', id: username },
          details: { made_by_identity: provider, issuer: identity.issuer },
        },
        { person: principalKeyOf({ userId }), credential: `identity:${username}` },
      );
      return userId;
    });
  }

  /** For the session that begins next in this browser; see `attachIdentity`. */
  private async remember(
    provider: string,
    userId: string,
    { issuer, subject, sessionId, hasSecondFactor, renewal }: ProvedIdentity,
    browserSecret: string,
  ): Promise<void> {
    const identitySessionId = randomUUID();
    await this.database.manager.insert(IdentitySessionEntity, {
      identitySessionId,
      provider,
      issuer,
      subject,
      userId,
      browserHash: digestOf(browserSecret),
      providerSessionId: sessionId,
      hasSecondFactor,
      sealedRenewal: renewal === null ? null : await this.secrets.seal(renewal, identitySessionId),
      verifiedAt: new Date(),
      expiresAt: new Date(Date.now() + AWAITED_MS),
    });
  }
}

/** Whether neither had another one. */
async function bind(
  manager: EntityManager,
  provider: string,
  { issuer, subject }: ProvedIdentity,
  userId: string,
): Promise<boolean> {
  const bound = await manager.query<unknown[]>(
    `INSERT INTO user_identities (issuer, subject, provider, user_id, bound_at) VALUES ($1, $2, $3, $4, now())
     ON CONFLICT DO NOTHING RETURNING user_id`,
    [issuer, subject, provider, userId],
  );
  return bound.length > 0;
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((each) => others.includes(each));
}
