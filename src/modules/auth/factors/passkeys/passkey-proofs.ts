import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import { Repository } from 'typeorm';
import { CONFLICT } from '../../../../kit/http/error-codes.js';
import { ApiError } from '../../../../kit/http/errors.js';
import { PasskeyChallenges, type ChallengeUse } from './passkey-challenges.js';
import { PasskeyEntity } from './passkey.entity.js';
import { type Assertion, type PresentedResponse, RelyingParty, userHandleOf } from './relying-party.js';

/** WebAuthn allows ids of up to 1,023 bytes. */
const CREDENTIAL_ID = /^[A-Za-z0-9_-]{1,1364}$/;

/** Whether a passkey has signed, and which one the response names, if there is such. */
export type PasskeyProof =
  | { readonly isProved: true; readonly passkey: PasskeyEntity }
  | {
      readonly isProved: false;
      readonly passkey: PasskeyEntity | null;
      /** `sign_count`: it signed, but counts less than before, so there may be a copy of it. */
      readonly reason: 'response' | 'sign_count';
    };

/** What passkeys sign, to log in and to prove that their users are there. */
@Injectable()
export class PasskeyProofs {
  constructor(
    @InjectRepository(PasskeyEntity) private readonly passkeys: Repository<PasskeyEntity>,
    private readonly challenges: PasskeyChallenges,
    private readonly party: RelyingParty,
  ) {}

  /**
   * What a browser needs to have a passkey sign: one of the user's, or any, which tells nobody who has one. Throws
   * `conflict` (409) for a user without one.
   */
  async ask(use: ChallengeUse): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const { userId } = use;
    const present = userId === null ? [] : await this.passkeys.findBy({ userId });
    if (userId !== null && present.length === 0) throw new ApiError(CONFLICT, 'You have no passkey.');
    return this.party.requestOptions(present, await this.challenges.issue(use));
  }

  /** Takes a response once. Never rejects for what is in it. */
  async check(response: PresentedResponse, use: ChallengeUse): Promise<PasskeyProof> {
    const passkey = await this.named(response, use);
    if (passkey === null) return { isProved: false, passkey, reason: 'response' };
    const take = (challenge: string): Promise<boolean> => this.challenges.take(challenge, use);
    const assertion = await this.party.verifyAssertion(response, passkey, take);
    if (assertion === undefined) return { isProved: false, passkey, reason: 'response' };
    return (await this.noteUse(passkey, assertion))
      ? { isProved: true, passkey }
      : { isProved: false, passkey, reason: 'sign_count' };
  }

  /** The passkey that a response says it is of, if the user has it, or anybody where all may answer. */
  private async named(
    { id, response }: PresentedResponse,
    { userId }: ChallengeUse,
  ): Promise<PasskeyEntity | null> {
    if (typeof id !== 'string' || !CREDENTIAL_ID.test(id)) return null;
    const credentialId = Buffer.from(id, 'base64url');
    const passkey = await this.passkeys.findOneBy({ credentialId, ...(userId !== null && { userId }) });
    if (passkey === null) return null;
    const { userHandle } = (response ?? {}) as { readonly userHandle?: unknown };
    // Without a user to begin with, the response has to name the passkey's own (WebAuthn, 7.2).
    const isOwn = userHandle === userHandleOf(passkey.userId) || (userId !== null && userHandle == null);
    return isOwn ? passkey : null;
  }

  /** Writes the use down; of a passkey that counts, only if it counts on. False, too, if it was removed meanwhile. */
  private async noteUse({ passkeyId }: PasskeyEntity, assertion: Assertion): Promise<boolean> {
    const [, count] = await this.passkeys.query<[unknown, number]>(
      `UPDATE passkeys SET sign_count = $2, is_backed_up = $3, last_used_at = $4
        WHERE passkey_id = $1 AND (sign_count < $2 OR sign_count = 0 AND $2 = 0)`,
      [passkeyId, assertion.newCounter, assertion.credentialBackedUp, new Date()],
    );
    return count === 1;
  }
}
