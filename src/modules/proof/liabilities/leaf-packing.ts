/** Leaves as they are stored: one line each, deflated. Their hashes follow from them and from the secret of the cut. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { LEAF_PARTS, leafNodeOf, type LiabilityLeaf } from '../../../domain/proof/liability-proof.js';
import { type SumNode, type Sums, sumsJson } from '../../../domain/proof/sum-tree.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** How many leaves a chunk has. A power of two, so that a chunk is a subtree. */
export const LEAVES_PER_CHUNK = 512;
/** Far above what a chunk takes: 512 leaves of some hundred assets each. */
const UNPACKED_BYTES_MAX = 16 * 1024 * 1024;

export interface StoredLeaf {
  readonly accountId: number;
  readonly part: number;
  readonly balances: Sums;
}

export function packLeaves(leaves: readonly StoredLeaf[]): Buffer {
  const lines = leaves.map(
    ({ accountId, part, balances }) =>
      `${accountId} ${part}${[...balances].map(([asset, units]) => ` ${asset} ${units}`).join('')}`,
  );
  // Digits hardly pack better with more effort.
  return deflateRawSync(lines.join('\n'), { level: 1 });
}

export function unpackLeaves(packed: Uint8Array): StoredLeaf[] {
  const text = inflateRawSync(packed, { maxOutputLength: UNPACKED_BYTES_MAX }).toString('utf8');
  return text.split('\n').map((line) => {
    const [accountId, part, ...amounts] = line.split(' ');
    return { accountId: Number(accountId), part: Number(part), balances: balancesOf(amounts) };
  });
}

/** Of a list of assets, each with its units. */
export function balancesOf(words: readonly string[]): Sums {
  const balances = new Map<string, bigint>();
  for (let place = 0; place + 1 < words.length; place += 2)
    balances.set(words[place]!, BigInt(words[place + 1]!));
  return balances;
}

export function nodeOfLeaf(salt: Uint8Array, leaf: StoredLeaf): SumNode {
  return leafNodeOf(salt, namesOf(leaf), leaf.balances);
}

export function shownLeaf(leaf: StoredLeaf): LiabilityLeaf {
  return { ...namesOf(leaf), balances: sumsJson(leaf.balances) };
}

function namesOf({ accountId, part }: StoredLeaf): Omit<LiabilityLeaf, 'balances'> {
  return { account_id: ACCOUNT_IDS.format(accountId), part, parts: LEAF_PARTS };
}
