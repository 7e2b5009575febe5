/** What all checks share: they answer what is wrong, and never throw for what JSON may contain. */
import { type JournalKey, keysOf, type KnownKeys } from '../../../src/domain/proof/journal-head.js';

/** What it says is wrong, or what was proven. */
export type Verified<Proven> =
  ({ readonly ok: true } & Proven) | { readonly ok: false; readonly reason: string };

export function knownKeys(keys: unknown): KnownKeys | string {
  try {
    return keysOf((keys as { readonly data: readonly JournalKey[] }).data);
  } catch (error) {
    return `these are no keys of a service: ${messageOf(error)}`;
  }
}

/** What a check says of JSON that may have any form. */
export function orFault(check: () => string | null): string | null {
  try {
    return check();
  } catch (error) {
    return messageOf(error);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function failed(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason };
}
