import { bankText } from '../../../platform/payouts/bank-text.js';
import type { HolderNameCheck } from './payout-account.dto.js';

/**
 * Whether the holder of a bank account is the person that KYC knows: every word of the one name is a word of
 * the other, as banks write them and in any order, so that a second given name may be missing on one side.
 * `unchecked` where KYC knows nobody.
 */
export function checkHolderName(holderName: string, knownName: string | null): HolderNameCheck {
  if (knownName === null) return 'unchecked';
  const holder = wordsOf(holderName);
  const known = wordsOf(knownName);
  const [fewer, more] = holder.size <= known.size ? [holder, known] : [known, holder];
  // One word alone, such as a family name, is many people's.
  const isEnough = fewer.size >= Math.min(2, more.size);
  return fewer.size > 0 && isEnough && [...fewer].every((word) => more.has(word)) ? 'match' : 'mismatch';
}

function wordsOf(name: string): Set<string> {
  const written = (bankText(name) ?? '').toUpperCase().replaceAll("'", '');
  return new Set(written.split(/[^A-Z0-9]+/).filter((word) => word !== ''));
}
