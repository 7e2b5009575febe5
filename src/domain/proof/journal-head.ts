/** Where the journal stands, signed by the service, and the keys that sign it. */
import { bytesOf, hexOf, utf8 } from './bytes.js';
import { canonicalJson } from './canonical-json.js';
import { isSignedBy, sha256 } from './crypto.js';

export interface JournalHead {
  /** Rows of the journal that the head covers, and leaves of the tree. */
  readonly height: number;
  readonly tree_size: number;
  /** The last sequence of the last row. */
  readonly sequence: number;
  /** Over the leaves, as RFC 9162 has it. */
  readonly root_hash: string;
  /** The last row's hash in the chain of rows. */
  readonly chain_hash: string;
  /** Of the whole state after the last row. */
  readonly state_hash: string;
  /** Of all books and markets' figures after the last row: what anyone gets who replays the public part. */
  readonly public_state_hash: string;
  /** When the last row was committed. */
  readonly time: string;
  readonly key_id: string;
}

export interface SignedJournalHead extends JournalHead {
  /** Ed25519 in base64, over the head as RFC 8785 JSON without this member. */
  readonly signature: string;
}

/** What a key says of its follower; the first key has none before it. */
export interface KeyStatement {
  readonly key_id: string;
  /** 32 bytes in base64. */
  readonly public_key: string;
  readonly activated_at: string;
  readonly previous_key_id: string | null;
}

export interface JournalKey extends KeyStatement {
  /** By the previous key over the statement as RFC 8785 JSON; null for the first one. */
  readonly handover_signature: string | null;
  /** By the key itself over the same. */
  readonly own_signature: string;
}

export function headBytes(head: JournalHead): Uint8Array {
  return utf8(canonicalJson({ ...contentOf(head), key_id: head.key_id }));
}

export function keyBytes({ key_id, public_key, activated_at, previous_key_id }: KeyStatement): Uint8Array {
  return utf8(canonicalJson({ key_id, public_key, activated_at, previous_key_id }));
}

/** A key's id follows from the key, so that nobody can give one id to two keys. */
export function keyIdOf(publicKey: Uint8Array): string {
  return hexOf(sha256(publicKey)).slice(0, 32);
}

/** The keys by their ids, once each is known to follow from the first. */
export type KnownKeys = ReadonlyMap<string, JournalKey>;

/**
 * Why these are not keys of which each was handed over to by the one before it; otherwise the keys by id. Who trusts
 * the first one may trust all.
 */
export function knownKeysOf(keys: readonly JournalKey[]): KnownKeys | string {
  const known = new Map<string, JournalKey>();
  let previous: JournalKey | null = null;
  for (const key of keys) {
    const fault = faultOfKey(key, previous);
    if (fault !== null) return `key ${key.key_id}: ${fault}`;
    known.set(key.key_id, key);
    previous = key;
  }
  return known.size === 0 ? 'there is no key' : known;
}

function faultOfKey(key: JournalKey, previous: JournalKey | null): string | null {
  const publicKey = bytesOf(key.public_key);
  if (keyIdOf(publicKey) !== key.key_id) return 'its id does not follow from the key';
  if (key.previous_key_id !== (previous?.key_id ?? null)) return 'it does not follow the key before it';
  if (!isSignedBy(publicKey, keyBytes(key), bytesOf(key.own_signature))) return 'it has not signed itself';
  if (previous === null) return null;
  if (key.handover_signature === null) return 'the key before it has not signed it';
  return isSignedBy(bytesOf(previous.public_key), keyBytes(key), bytesOf(key.handover_signature))
    ? null
    : 'the key before it has not signed it';
}

/** Why a head is not one that these keys have signed; null where it is. */
export function faultOfHead(head: SignedJournalHead, keys: KnownKeys): string | null {
  const key = keys.get(head.key_id);
  if (key === undefined) return `the head names the key ${head.key_id}, which is none of the service`;
  if (!isSignedBy(bytesOf(key.public_key), headBytes(head), bytesOf(head.signature)))
    return 'the signature of the head is not of its key';
  return head.height === head.tree_size ? null : 'the head has another height than its tree';
}

/**
 * Whether two signed heads cannot both be true: the same number of rows with different content. With both signatures
 * that is a proof against whoever signed, by itself.
 */
export function contradicts(one: JournalHead, other: JournalHead): boolean {
  if (one.height !== other.height) return false;
  return canonicalJson(contentOf(one)) !== canonicalJson(contentOf(other));
}

/** A head without who signed it: a later key may sign the same. */
function contentOf({
  height,
  tree_size,
  sequence,
  root_hash,
  chain_hash,
  state_hash,
  public_state_hash,
  time,
}: JournalHead) {
  return { height, tree_size, sequence, root_hash, chain_hash, state_hash, public_state_hash, time };
}
