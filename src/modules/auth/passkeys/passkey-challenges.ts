import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { digestOf } from '../secrets/secrets.js';
import { type ChallengePurpose, PasskeyChallengeEntity } from './passkey-challenge.entity.js';

const CHALLENGE_BYTES = 32;
const LIFETIME_MS = 5 * 60_000;

/** What a challenge is good for: it is taken by the same alone. */
export interface ChallengeUse {
  readonly purpose: ChallengePurpose;
  /** Whose passkey has to sign; null for anybody's. */
  readonly userId: string | null;
  /** The session, or a digest of the browser, that asks; null for who has neither yet. */
  readonly askedBy: string | null;
}

/** What passkeys sign, each once and within minutes, so that nobody can send again what they signed. */
@Injectable()
export class PasskeyChallenges {
  constructor(
    @InjectRepository(PasskeyChallengeEntity)
    private readonly challenges: Repository<PasskeyChallengeEntity>,
  ) {}

  async issue(use: ChallengeUse): Promise<Uint8Array<ArrayBuffer>> {
    const challenge = new Uint8Array(randomBytes(CHALLENGE_BYTES));
    await this.challenges.insert({
      challengeHash: digestOf(Buffer.from(challenge).toString('base64url')),
      ...use,
      expiresAt: new Date(Date.now() + LIFETIME_MS),
    });
    return challenge;
  }

  /** Whether it was issued for this use, and not taken yet; of several at once one takes it. `challenge` is in base64url. */
  async take(challenge: unknown, { purpose, userId, askedBy }: ChallengeUse): Promise<boolean> {
    if (typeof challenge !== 'string') return false;
    const [, count] = await this.challenges.query<[unknown, number]>(
      `DELETE FROM passkey_challenges
        WHERE challenge_hash = $1 AND purpose = $2 AND user_id IS NOT DISTINCT FROM $3
          AND asked_by IS NOT DISTINCT FROM $4 AND expires_at > $5`,
      [digestOf(challenge), purpose, userId, askedBy, new Date()],
    );
    return count === 1;
  }
}
