import { Injectable } from '@nestjs/common';
import { generateSecret, verify } from 'otplib';
import type { EntityManager } from 'typeorm';
import { SecretBox, type SecretPlace } from '../../../kit/vault/secret-box.js';
import { TotpFactorEntity } from './totp-factor.entity.js';

/** A clock may be off by one code (RFC 6238, 5.2). */
const TOLERANCE_S = 30;
const TOKEN = /^[0-9]{6}$/;

/** Secrets of authenticator apps, and the codes that they make of them (RFC 6238). */
@Injectable()
export class TotpCodes {
  constructor(private readonly box: SecretBox) {}

  /** Gives the user a new secret, which nothing asks for until a first code was taken. Returns it in base32. */
  async begin(manager: EntityManager, userId: string): Promise<string> {
    const secret = generateSecret();
    const sealedSecret = await this.box.seal(Buffer.from(secret, 'utf8'), placeOf(userId), manager);
    await this.discard(manager, userId);
    await manager.insert(TotpFactorEntity, { userId, sealedSecret, lastTimeStep: null, enrolledAt: null });
    return secret;
  }

  /** Whether it is a code of the user's app for now, which it is no more. */
  async take(manager: EntityManager, userId: string, code: string): Promise<boolean> {
    const token = code.replaceAll(/\s/g, '');
    const factor = TOKEN.test(token) ? await manager.findOneBy(TotpFactorEntity, { userId }) : null;
    if (factor === null) return false;
    const secret = await this.box.open(factor.sealedSecret, placeOf(userId), manager);
    const found = await verify({ secret: secret.toString('utf8'), token, epochTolerance: TOLERANCE_S });
    secret.fill(0);
    if (!found.valid || !('timeStep' in found)) return false;
    // Of two that come at once one finds the step taken.
    const [, count] = await manager.query<[unknown, number]>(
      `UPDATE totp_factors SET last_time_step = $2
        WHERE user_id = $1 AND sealed_secret = $3 AND coalesce(last_time_step < $2, true)`,
      [userId, found.timeStep, factor.sealedSecret],
    );
    return count === 1;
  }

  /** Removes the user's app, if there is one. */
  async discard(manager: EntityManager, userId: string): Promise<void> {
    const factor = await manager.findOneBy(TotpFactorEntity, { userId });
    if (factor === null) return;
    await manager.delete(TotpFactorEntity, { userId });
    await this.box.discard(factor.sealedSecret, manager);
  }
}

function placeOf(userId: string): SecretPlace {
  return { table: 'totp_factors', row: userId, column: 'sealed_secret' };
}
