/** Codes for who has lost the authenticator app: each is good once. */
import { randomBytes } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { digestOf } from '../secrets/secrets.js';
import { RecoveryCodeEntity } from './recovery-code.entity.js';

const CODES = 10;
/** 80 bits: nobody finds one by trying, nor from its digest. */
const CODE_BYTES = 10;

/** Gives the user new codes instead of all that are left. */
export async function renewRecoveryCodes(manager: EntityManager, userId: string): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await manager.delete(RecoveryCodeEntity, { userId });
  await manager.insert(
    RecoveryCodeEntity,
    codes.map((code) => ({ codeHash: codeHashOf(code), userId })),
  );
  return codes;
}

/** Whether it was one of the user's, which it is no more. */
export async function spendRecoveryCode(
  manager: EntityManager,
  userId: string,
  code: string,
): Promise<boolean> {
  const { affected } = await manager.delete(RecoveryCodeEntity, { userId, codeHash: codeHashOf(code) });
  return affected === 1;
}

/** Such as `1f0c-92ab-…`, in groups that are easy to copy by hand. */
function newCode(): string {
  return randomBytes(CODE_BYTES)
    .toString('hex')
    .replaceAll(/....(?=.)/g, '$&-');
}

/** However it was typed: in capitals, with spaces, without dashes. */
function codeHashOf(code: string): string {
  return digestOf(code.toLowerCase().replaceAll(/[^0-9a-f]/g, ''));
}
