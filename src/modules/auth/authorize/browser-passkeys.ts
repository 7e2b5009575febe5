import { Injectable } from '@nestjs/common';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { UserEntity } from '../../users/user.entity.js';
import type { ChallengeUse } from '../passkeys/passkey-challenges.js';
import { PasskeyLogin } from '../passkeys/passkey-login.js';
import { PasskeyProofs } from '../passkeys/passkey-proofs.js';
import { type PresentedResponse, RelyingParty } from '../passkeys/relying-party.js';
import { SecondFactors } from '../factors/second-factors.js';
import { digestOf } from '../secrets/secrets.js';
import type { BrowserSession } from './browser-sessions.js';

/** Passkeys on the log-in pages: alone, or as the second factor of a user whose password has come. */
@Injectable()
export class BrowserPasskeys {
  constructor(
    private readonly party: RelyingParty,
    private readonly proofs: PasskeyProofs,
    private readonly login: PasskeyLogin,
    private readonly factors: SecondFactors,
  ) {}

  /** Whether browsers can use any at this address. */
  get areOffered(): boolean {
    return this.party.hasHostName;
  }

  /** What the browser needs to have a passkey sign: one of the awaited user, or any. */
  ask(session: BrowserSession, awaited: UserEntity | null): Promise<PublicKeyCredentialRequestOptionsJSON> {
    return this.proofs.ask({ ...useOf(session), userId: awaited?.userId ?? null });
  }

  /**
   * The user whose passkey has signed for this browser: the awaited one, or any. Rejects as `SecondFactors.verifyPasskey`
   * and `PasskeyLogin.verify`.
   */
  async verify(
    session: BrowserSession,
    awaited: UserEntity | null,
    response: string,
    addressBucket: string,
  ): Promise<UserEntity> {
    const use = useOf(session);
    if (awaited === null) return this.login.verify(parsed(response), use.askedBy, addressBucket);
    await this.factors.verifyPasskey(awaited, parsed(response), use, { addressBucket });
    return awaited;
  }
}

/** A challenge that only this browser may answer. */
function useOf({ secret }: BrowserSession): Omit<ChallengeUse, 'userId'> {
  return { purpose: 'log_in', askedBy: digestOf(secret) };
}

/** Empty, and so refused, for a text that is no object. */
function parsed(response: string): PresentedResponse {
  try {
    const value: unknown = JSON.parse(response);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
