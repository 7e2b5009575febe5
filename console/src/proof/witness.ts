/** What this browser has seen of the journal, so that the service cannot tell it another story later. */
import { TradepostError, type TradepostClient } from '@tradepost/client';
import type { components } from '@tradepost/client';
import { verifyConsistency, verifyHeads } from '@tradepost/verify';

export type Head = components['schemas']['JournalHeadDto'];
export type Keys = components['schemas']['JournalKeysDto'];

interface Seen {
  readonly firstKeyId: string;
  readonly head: Head;
}

/** How the newest head was found. */
export interface Look {
  readonly head: Head;
  readonly keys: Keys;
  /** Why it is not proven; null where it is. */
  readonly fault: 'other key' | { readonly reason: string } | null;
  /** The height of the head that it was proven to go on from; null for the first one. */
  readonly from: number | null;
}

const PLACE = 'tradepost.witness';

/** The keys of the service; null where they do not begin with the one that this browser saw first. */
export async function knownKeys(client: TradepostClient): Promise<Keys | null> {
  const keys = await client.get('/journal/keys');
  return isOtherKey(keys) ? null : keys;
}

/** Checks the newest head against the last one that was seen, and keeps it where it is proven. */
export async function look(client: TradepostClient, signal: AbortSignal): Promise<Look> {
  const [head, keys] = await Promise.all([
    client.get('/journal/head', { signal }),
    client.get('/journal/keys', { signal }),
  ]);
  if (isOtherKey(keys)) return { head, keys, fault: 'other key', from: null };
  const seen = lastSeen();
  const result =
    seen === null ? verifyHeads([head], keys) : await compare(client, seen.head, { head, keys, signal });
  if (!result.ok) return { head, keys, fault: result, from: null };
  localStorage.setItem(PLACE, JSON.stringify({ firstKeyId: firstKeyOf(keys), head } satisfies Seen));
  return { head, keys, fault: null, from: seen?.head.height ?? null };
}

async function compare(
  client: TradepostClient,
  before: Head,
  { head, keys, signal }: { readonly head: Head; readonly keys: Keys; readonly signal: AbortSignal },
): Promise<ReturnType<typeof verifyHeads>> {
  if (head.tree_size < before.tree_size)
    return {
      ok: false,
      reason: `the journal has fewer rows than it had: ${head.height} and not ${before.height}`,
    };
  try {
    const query = { first: before.tree_size, second: head.tree_size };
    const proof = await client.get('/journal/proofs/consistency', { params: { query }, signal });
    return verifyConsistency(before, head, proof, keys);
  } catch (error) {
    if (!(error instanceof TradepostError) || error.status >= 500) throw error;
    return { ok: false, reason: `the service gives no proof: ${error.message}` };
  }
}

function firstKeyOf({ data }: Keys): string {
  return data[0]?.key_id ?? '';
}

/** A service that has another first key could sign another story with it. */
function isOtherKey(keys: Keys): boolean {
  const seen = lastSeen();
  return seen !== null && seen.firstKeyId !== firstKeyOf(keys);
}

function lastSeen(): Seen | null {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? 'null') as Seen | null;
  } catch {
    return null;
  }
}
