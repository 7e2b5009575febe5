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

/** Checks the newest head against the last one that was seen, and keeps it where it is proven. */
export async function look(client: TradepostClient, signal: AbortSignal): Promise<Look> {
  const [head, keys] = await Promise.all([
    client.get('/journal/head', { signal }),
    client.get('/journal/keys', { signal }),
  ]);
  const seen = lastSeen();
  const firstKeyId = keys.data[0]?.key_id ?? '';
  if (seen !== null && seen.firstKeyId !== firstKeyId) return { head, keys, fault: 'other key', from: null };
  const result =
    seen === null ? verifyHeads([head], keys) : await compare(client, seen.head, { head, keys, signal });
  if (!result.ok) return { head, keys, fault: result, from: null };
  localStorage.setItem(PLACE, JSON.stringify({ firstKeyId, head } satisfies Seen));
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

function lastSeen(): Seen | null {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? 'null') as Seen | null;
  } catch {
    return null;
  }
}
