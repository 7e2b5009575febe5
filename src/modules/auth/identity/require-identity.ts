import { isStorableText } from '../../../kit/storable-text.js';
import { IdentityRefused, type ProvedIdentity } from './identity-provider.js';

const NAMED_LENGTH_MAX = 255;

/** Throws an IdentityRefused for what cannot be kept as it is: cut short, it might be somebody else. */
export function requireIdentity(identity: ProvedIdentity): ProvedIdentity {
  const { issuer, subject, sessionId } = identity;
  const isKept = [issuer, subject, ...(sessionId === null ? [] : [sessionId])].every(
    (text) => text !== '' && text.length <= NAMED_LENGTH_MAX && isStorableText(text),
  );
  if (!isKept) throw new IdentityRefused('The provider names you in a way that cannot be kept.');
  return identity;
}
