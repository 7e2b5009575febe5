/**
 * Proof of liabilities: that what an account has is part of what the service says it owes. The balance of an account is
 * split at random in two leaves that stand at random places of a Merkle sum tree. So a sibling in a path shows a random
 * part of what somebody has, and never a balance.
 */
import { bytesOf, hashOf, hexOf, utf8 } from './bytes.js';
import { canonicalJson } from './canonical-json.js';
import { isSignedBy, sha256 } from './crypto.js';
import type { KnownKeys } from './journal-head.js';
import {
  addSums,
  areEqualSums,
  nodeOf,
  type SiblingSide,
  type SumNode,
  type SumsJson,
  type Sums,
  sumRootByPath,
  sumsJson,
  sumsOf,
  sumsText,
} from './sum-tree.js';

/** In how many leaves a balance is split. */
export const LEAF_PARTS = 2;

/** One part of what an account has. */
export interface LiabilityLeaf {
  readonly account_id: string;
  /** From 1. */
  readonly part: number;
  readonly parts: number;
  /** Available and held together, by asset; assets of which this part has nothing are left out. */
  readonly balances: SumsJson;
}

export interface LiabilityStep {
  readonly hash: string;
  readonly sums: SumsJson;
  readonly side: SiblingSide;
}

export interface LiabilityPart {
  readonly leaf: LiabilityLeaf;
  /** 32 bytes in hexadecimal digits. */
  readonly salt: string;
  /** From the leaf to the root, the nearest first. */
  readonly path: readonly LiabilityStep[];
}

export interface LiabilityProof {
  readonly account_id: string;
  readonly parts: readonly LiabilityPart[];
  readonly root: string;
}

export interface AssetTotal {
  readonly asset: string;
  readonly amount: string;
}

/** What is published of a cut. */
export interface PublishedLiabilities {
  readonly root_hash: string;
  readonly totals: readonly AssetTotal[];
}

export interface SignedLiabilities extends PublishedLiabilities {
  readonly as_of: string;
  readonly sequence: number;
  readonly key_id: string;
  /** Ed25519 in base64, over the report as RFC 8785 JSON without this member. */
  readonly signature: string;
}

export type CheckedLiabilities =
  | { readonly ok: true; readonly balances: SumsJson }
  | { readonly ok: false; readonly reason: string };

const STEPS_MAX = 64;
const SHARE = 'tradepost share\n';
const SHARE_BYTES = 8;
/** A hash has 32 bytes. */
const SHARES_PER_HASH = 4;
const LEAF = Uint8Array.of(0);

/** Of a tree without leaves: the hash of nothing, as RFC 9162 has it. */
export function emptyLiabilitiesRoot(): Uint8Array {
  return sha256();
}

/** The salt of a leaf. It follows from the secret of the cut, and tells nothing of it. */
export function leafSaltOf(secret: Uint8Array, accountId: number, part: number): Uint8Array {
  const bytes = new Uint8Array(10);
  const view = new DataView(bytes.buffer);
  view.setBigInt64(0, BigInt(accountId));
  view.setInt16(8, part);
  return sha256(secret, bytes);
}

/**
 * What a part has of a balance: the first one 0 to 2^-64 below all of it, each share as likely; the other the rest. Both
 * must be given the assets in the same order.
 */
export function partOfBalance(secret: Uint8Array, accountId: number, balances: Sums, part: number): Sums {
  const sums = new Map<string, bigint>();
  let shares: DataView = new DataView(new ArrayBuffer(0));
  let place = 0;
  for (const [asset, units] of balances) {
    if (place % SHARES_PER_HASH === 0) {
      const digest = sha256(SHARE, secret, `\n${accountId}\n${place}`);
      shares = new DataView(digest.buffer, digest.byteOffset);
    }
    const share = shares.getBigUint64((place++ % SHARES_PER_HASH) * SHARE_BYTES);
    const first = (units * share) >> 64n;
    const own = part === 1 ? first : units - first;
    if (own > 0n) sums.set(asset, own);
  }
  return sums;
}

/** 00 ‖ salt ‖ leaf as RFC 8785 JSON. */
export function leafNodeOf(
  salt: Uint8Array,
  { account_id, part, parts }: Omit<LiabilityLeaf, 'balances'>,
  balances: Sums,
): SumNode {
  const text = sumsText(balances);
  const leaf = `{"account_id":${JSON.stringify(account_id)},"balances":${text},"part":${part},"parts":${parts}}`;
  return { hash: sha256(LEAF, salt, leaf), sums: balances, sumsText: text };
}

/** What the service signs. */
export function liabilitiesBytes(report: object): Uint8Array {
  return utf8(canonicalJson({ ...report, signature: undefined }));
}

/** Why a report is not one that these keys have signed; null where it is. */
export function faultOfLiabilities(report: SignedLiabilities, keys: KnownKeys): string | null {
  try {
    const key = keys.get(report.key_id);
    if (key === undefined) return `the report names the key ${report.key_id}, which is none of the service`;
    return isSignedBy(bytesOf(key.public_key), liabilitiesBytes(report), bytesOf(report.signature))
      ? null
      : 'the signature of the report is not of its key';
  } catch (error) {
    return `this is no report: ${messageOf(error)}`;
  }
}

/**
 * Checks a proof against what is published: whatever their members are, it says what is wrong and does not throw. Where
 * it is right, these balances are part of the totals.
 */
export function checkLiabilityProof(
  proof: LiabilityProof,
  published: PublishedLiabilities,
): CheckedLiabilities {
  try {
    const root = hashOf(published.root_hash);
    if (proof.root !== published.root_hash) return failed('the proof is of another root');
    if (proof.parts.length !== LEAF_PARTS) return failed(`a balance has ${LEAF_PARTS} parts`);
    const totals = totalsOf(published.totals);
    let balances: Sums = new Map();
    for (const [index, part] of proof.parts.entries()) {
      const { leaf } = part;
      if (leaf.account_id !== proof.account_id) return failed('a leaf is that of another account');
      if (leaf.part !== index + 1 || leaf.parts !== LEAF_PARTS)
        return failed('the parts are not those of one balance');
      const reached = rootOfPart(part);
      if (typeof reached === 'string') return failed(reached);
      if (hexOf(reached.hash) !== hexOf(root))
        return failed(`the path of part ${leaf.part} does not lead to the root`);
      if (!areEqualSums(reached.sums, totals)) return failed('the sums at the root are not the totals');
      balances = addSums(balances, sumsOf(leaf.balances));
    }
    return { ok: true, balances: sumsJson(balances) };
  } catch (error) {
    return failed(`this is no proof: ${messageOf(error)}`);
  }
}

function rootOfPart({ leaf, salt, path }: LiabilityPart): SumNode | string {
  if (path.length > STEPS_MAX) return 'the path is too long';
  if (path.some(({ side }: { readonly side: string }) => side !== 'left' && side !== 'right'))
    return 'a sibling stands left or right';
  if (typeof leaf.account_id !== 'string') return 'a leaf names its account';
  return sumRootByPath(
    leafNodeOf(hashOf(salt), leaf, sumsOf(leaf.balances)),
    path.map(({ hash, sums, side }) => ({ node: nodeOf(hashOf(hash), sumsOf(sums)), side })),
  );
}

function totalsOf(totals: readonly AssetTotal[]): Sums {
  const sums = sumsOf(Object.fromEntries(totals.map(({ asset, amount }) => [asset, amount])));
  if (sums.size !== totals.length) throw new TypeError('an asset has two totals');
  return sums;
}

function failed(reason: string): CheckedLiabilities {
  return { ok: false, reason };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
