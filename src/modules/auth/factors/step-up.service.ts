import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { type EntityManager, Repository } from 'typeorm';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Principal, ProvedBy } from '../../../kit/security/principal.js';
import { PasswordLogin } from '../../users/password-login.js';
import { loginRequired } from '../../users/user-access.js';
import { UserEntity } from '../../users/user.entity.js';
import { CredentialAuthenticator } from '../credentials/credential-authenticator.js';
import { sessionKeyOf } from '../credentials/credential-store.js';
import { ownerIdOf } from '../owned/owned-credentials.js';
import { SessionEntity } from '../tokens/session.entity.js';
import type { ChallengeUse } from '../passkeys/passkey-challenges.js';
import { PasskeyProofs } from '../passkeys/passkey-proofs.js';
import { SecondFactors } from './second-factors.js';
import type { StepUpDto } from './step-up.dto.js';

type User = Pick<UserEntity, 'userId' | 'username'>;

/** Proofs of users, within their sessions, that they are there. */
@Injectable()
export class StepUps {
  constructor(
    @InjectRepository(SessionEntity) private readonly sessions: Repository<SessionEntity>,
    private readonly factors: SecondFactors,
    private readonly passkeys: PasskeyProofs,
    private readonly passwords: PasswordLogin,
    private readonly authenticator: CredentialAuthenticator,
    private readonly audit: AuditLog,
  ) {}

  /**
   * What a browser needs to have a passkey of the caller sign, for `prove`. Throws `forbidden` (403) for what is no
   * session, and `conflict` (409) without a passkey.
   */
  ask(principal: Principal): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return this.passkeys.ask({ ...useOf(principal), userId: ownerIdOf(principal) });
  }

  /**
   * Takes any second factor of who has one, and the password of others. Throws `forbidden` (403) for what is no session;
   * rejects as `SecondFactors.verify` and `PasswordLogin.verify`, and with `conflict` (409) where the user has neither.
   */
  async prove(principal: Principal, body: StepUpDto, addressBucket: string): Promise<void> {
    const userId = ownerIdOf(principal);
    const user = { userId, username: principal.id };
    const provedBy = (await this.factors.isEnrolled(userId))
      ? await this.byFactor(user, principal, body)
      : await this.byPassword(user, body.password, addressBucket);
    await this.sessions.manager.transaction(async (manager) => {
      await this.note(manager, principal, provedBy);
      await this.audit.record(manager, {
        target: { type: 'user', id: user.username },
        details: { proved_by: provedBy },
      });
    });
    this.announce(principal);
  }

  /** Writes down that the user of the session was there just now. `announce` has to follow the commit. */
  async note(manager: EntityManager, { sessionId }: Principal, provedBy: ProvedBy): Promise<void> {
    if (sessionId === undefined) throw loginRequired();
    const { affected } = await manager.update(
      SessionEntity,
      { sessionId },
      { provedAt: new Date(), provedBy },
    );
    if (affected === 0) throw loginRequired();
  }

  announce({ sessionId }: Principal): void {
    if (sessionId !== undefined) this.authenticator.forgetAllOf(sessionKeyOf(sessionId));
  }

  private byFactor(user: User, principal: Principal, { code, passkey }: StepUpDto): Promise<ProvedBy> {
    if (principal.sessionId === undefined) throw loginRequired();
    const at = { sessionId: principal.sessionId };
    return passkey === undefined
      ? this.factors.verify(user, code, at)
      : this.factors.verifyPasskey(user, passkey, useOf(principal), at);
  }

  private async byPassword(
    { userId, username }: User,
    password: string | undefined,
    addressBucket: string,
  ): Promise<ProvedBy> {
    const { passwordHash } = await this.sessions.manager.findOneByOrFail(UserEntity, { userId });
    if (passwordHash === null)
      throw new ApiError(
        CONFLICT,
        'You have no password here: log in again as you did, which proves it, too.',
      );
    if (password === undefined) {
      throw ApiError.validation([
        { field: 'password', message: 'password must be sent: you have no second factor' },
      ]);
    }
    await this.passwords.verify(username, password, addressBucket);
    return 'password';
  }
}

/** A challenge that only this session may answer. */
function useOf({ sessionId }: Principal): Omit<ChallengeUse, 'userId'> {
  return { purpose: 'step_up', askedBy: sessionId ?? null };
}
