import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, LessThan, Repository } from 'typeorm';
import { Settings } from '../../../kit/config/settings.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { principalKeyOf } from '../../users/user.entity.js';
import { UsersService } from '../../users/users.service.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { sessionKeyOf } from '../credentials/credential-store.js';
import { IdentitySessionEntity } from '../tokens/identity-session.entity.js';
import { SESSION_LENGTHS } from '../tokens/session-lengths.js';
import { deleteSessions } from '../tokens/session-rows.js';
import { IdentityProviders } from './identity-providers.js';
import { IdentityRefused, type ProvedIdentity } from './identity-provider.js';
import { IdentityUsers } from './identity-users.js';
import { RenewalSecrets } from './renewal-secrets.js';

/** Longer than any provider is waited for. */
const RENEWING_MS_MAX = 30_000;
const LOOK_EVERY_MS = 100;

/**
 * Asks a provider again about a session that it began, before the session gets new tokens: what it says no more of groups,
 * roles and the user is gone with that.
 */
@Injectable()
export class IdentityRenewals {
  private readonly logger = new Logger(IdentityRenewals.name);

  constructor(
    @InjectRepository(IdentitySessionEntity) private readonly sessions: Repository<IdentitySessionEntity>,
    private readonly providers: IdentityProviders,
    private readonly identities: IdentityUsers,
    private readonly users: UsersService,
    private readonly secrets: RenewalSecrets,
    private readonly authenticator: CredentialAuthenticator,
    private readonly audit: AuditLog,
    private readonly settings: Settings,
  ) {}

  /**
   * Whether the session goes on; where it does not, it has ended with all that came from it. A session of no provider goes on,
   * and one that was asked about less than `withinMs` ago. Throws `temporarily_unavailable` (503) where the provider does
   * not answer: then nothing has changed.
   */
  async renew(sessionId: string, withinMs = 0): Promise<boolean> {
    const askedAt = new Date();
    const session = await this.sessions.findOneBy({ sessionId });
    if (session === null) return true;
    const ageMs = askedAt.getTime() - session.verifiedAt.getTime();
    if (ageMs < withinMs) return true;
    const provider = this.providers.find(session.provider);
    if (provider?.renew === undefined || session.sealedRenewal === null)
      return (provider !== undefined && ageMs < this.vouchedForMs) || this.end(session, 'not_renewed');
    const claimed = await this.claim(session, askedAt);
    if (claimed === null) return (await this.sessions.findOneBy({ sessionId })) !== null;
    try {
      const renewal = await this.secrets.open(claimed.sealedRenewal!, claimed.identitySessionId);
      const identity = await provider.renew(renewal);
      if (identity.issuer !== session.issuer || identity.subject !== session.subject)
        throw new IdentityRefused('The provider answered for somebody else.');
      await this.identities.keep(session.userId, identity);
      await this.note(claimed, identity);
      return true;
    } catch (error) {
      if (error instanceof IdentityRefused) return this.end(session, 'refused');
      await this.sessions.update({ identitySessionId: session.identitySessionId }, { renewingUntil: null });
      this.logger.warn({ msg: 'an identity provider does not work', provider: provider.name, err: error });
      throw new ApiError(
        TEMPORARILY_UNAVAILABLE,
        `${provider.label} does not answer just now; try again in a moment.`,
        {
          headers: { 'Retry-After': '5' },
        },
      );
    }
  }

  /** For how long a provider has vouched that cannot be asked again: as long as an access token is good. */
  private get vouchedForMs(): number {
    return this.settings.get(SESSION_LENGTHS).accessTokenSeconds * 1_000;
  }

  /**
   * The row, for one process and request at a time: of a refresh token that is used twice providers end all. Null where
   * another one has asked meanwhile, or the session has ended. Throws `temporarily_unavailable` (503).
   */
  private async claim(
    { identitySessionId }: IdentitySessionEntity,
    askedAt: Date,
  ): Promise<IdentitySessionEntity | null> {
    const giveUpAtMs = performance.now() + RENEWING_MS_MAX;
    for (;;) {
      const now = new Date();
      const renewingUntil = new Date(now.getTime() + RENEWING_MS_MAX);
      for (const free of [IsNull(), LessThan(now)]) {
        const { affected } = await this.sessions.update(
          { identitySessionId, renewingUntil: free },
          { renewingUntil },
        );
        if (affected === 1) return this.sessions.findOneBy({ identitySessionId });
      }
      await delay(LOOK_EVERY_MS);
      const session = await this.sessions.findOneBy({ identitySessionId });
      if (session === null || session.verifiedAt > askedAt) return null;
      if (performance.now() > giveUpAtMs)
        throw new ApiError(
          TEMPORARILY_UNAVAILABLE,
          'Another request renews this session; try again in a moment.',
        );
    }
  }

  private async note(
    { identitySessionId }: IdentitySessionEntity,
    { renewal }: ProvedIdentity,
  ): Promise<void> {
    const sealedRenewal = renewal === null ? null : await this.secrets.seal(renewal, identitySessionId);
    await this.sessions.update(
      { identitySessionId },
      { sealedRenewal, verifiedAt: new Date(), renewingUntil: null },
    );
  }

  private async end({ sessionId, userId, issuer }: IdentitySessionEntity, why: string): Promise<false> {
    const user = await this.users.find(userId);
    await this.sessions.manager.transaction(async (manager) => {
      await deleteSessions(manager, [sessionId!]);
      await this.audit.record(
        manager,
        {
          target: { type: 'user', id: user!.username },
          details: { sessions: [sessionId], issuer, identity: why },
        },
        { person: principalKeyOf(user!), credential: `identity:${user!.username}` },
      );
    });
    this.authenticator.forgetAllOf(sessionKeyOf(sessionId!));
    return false;
  }
}
