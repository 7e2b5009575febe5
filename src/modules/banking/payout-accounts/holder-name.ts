import { bankText } from '../bank-rails/bank-text.js';
import type { HolderNameCheck } from './payout-account.dto.js';

/**
 * Whether the account holder is the person of the KYC record: every word of one name is in the other, in banks'
 * spelling and any order, so that one side may lack a second given name. `unchecked` if there is no KYC record.
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
