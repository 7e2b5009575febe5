/** The keys of a service, for whoever checks what they have signed. */
import { type JournalKey, knownKeysOf, type KnownKeys } from '../../../src/domain/proof/journal-head.js';
import { messageOf } from './verified.js';

/** Of the answer of GET /journal/keys; otherwise why these are none. */
export function knownKeys(keys: unknown): KnownKeys | string {
  try {
    return knownKeysOf((keys as { readonly data: readonly JournalKey[] }).data);
  } catch (error) {
    return `these are no keys of a service: ${messageOf(error)}`;
  }
}
