/**
 * The Merkle tree of RFC 9162 (2.1): SHA-256, with 00 before the content of a leaf and 01 before the two hashes of a
 * node. A tree of n leaves splits at the largest power of two below n, so its complete subtrees stay as they are
 * while leaves are added: whoever keeps these can prove anything with O(log n) of them.
 */
import { sha256 } from './crypto.js';

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

/** A complete subtree: the leaves from `index` × 2^`level` on, 2^`level` of them. */
export interface Subtree {
  readonly level: number;
  readonly index: number;
}

/** Leaves from the one to before the other. */
export interface LeafRange {
  readonly begin: number;
  readonly end: number;
}

export function leafHash(...content: readonly (Uint8Array | string)[]): Uint8Array {
  return sha256(LEAF, ...content);
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(NODE, left, right);
}

/** The hash of a tree without leaves. */
export function emptyRoot(): Uint8Array {
  return sha256();
}

/** The complete subtrees that make up the leaves of a range that a tree of RFC 9162 has as one, from the left. */
export function subtreesOf({ begin, end }: LeafRange): Subtree[] {
  const subtrees: Subtree[] = [];
  let from = begin;
  while (from < end) {
    let level = 0;
    // Powers of two as products: bits of numbers end at 2^31.
    let size = 1;
    while (from % (size * 2) === 0 && from + size * 2 <= end) {
      size *= 2;
      level++;
    }
    subtrees.push({ level, index: from / size });
    from += size;
  }
  return subtrees;
}

/** The hash of a range from those of its `subtreesOf`, in their order. */
export function rootOf(hashes: readonly Uint8Array[]): Uint8Array {
  const [last, ...before] = [...hashes].reverse();
  if (last === undefined) return emptyRoot();
  return before.reduce((right, left) => nodeHash(left, right), last);
}

/** The root over the leaves' hashes; for small trees, of which nothing is kept. */
export function rootOfLeaves(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return emptyRoot();
  let level = [...leaves];
  while (level.length > 1) {
    const next: Uint8Array[] = [];
    for (let place = 0; place < level.length; place += 2) {
      const right = level[place + 1];
      next.push(right === undefined ? level[place]! : nodeHash(level[place]!, right));
    }
    level = next;
  }
  return level[0]!;
}

/** The inclusion path of a leaf, from the leaves' hashes; for small trees. */
export function inclusionPath(leaves: readonly Uint8Array[], index: number): Uint8Array[] {
  return inclusionRanges(index, leaves.length).map(({ begin, end }) =>
    rootOfLeaves(leaves.slice(begin, end)),
  );
}

/** The ranges whose hashes are the inclusion path of a leaf, the nearest to the leaf first (2.1.3.1). */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`a tree of ${size} has no leaf ${index}`);
  const path: LeafRange[] = [];
  let begin = 0;
  let end = size;
  while (end - begin > 1) {
    const middle = begin + splitOf(end - begin);
    if (index < middle) {
      path.unshift({ begin: middle, end });
      end = middle;
    } else {
      path.unshift({ begin, end: middle });
      begin = middle;
    }
  }
  return path;
}

/** The ranges whose hashes prove that the tree of `second` leaves begins with that of `first` (2.1.4.1). */
export function consistencyRanges(first: number, second: number): LeafRange[] {
  if (!(first > 0 && first <= second)) throw new RangeError(`no tree of ${second} begins with ${first}`);
  const path: LeafRange[] = [];
  let begin = 0;
  let end = second;
  // Whether what is left of the first tree is the whole of it, whose root the verifier has.
  let isWhole = true;
  while (first < end) {
    const middle = begin + splitOf(end - begin);
    if (first <= middle) {
      path.unshift({ begin: middle, end });
      end = middle;
    } else {
      path.unshift({ begin, end: middle });
      begin = middle;
      isWhole = false;
    }
  }
  if (!isWhole) path.unshift({ begin, end });
  return path;
}

/** The root that a leaf's path leads to, or null where no path to such a leaf has this length (2.1.3.2). */
export function rootByInclusion(
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
): Uint8Array | null {
  if (!isCount(index) || !isCount(size) || index >= size) return null;
  let node = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of path) {
    if (last === 0) return null;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, half(last)];
    } else hash = nodeHash(hash, sibling);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? hash : null;
}

/** Whether the path proves that the second tree begins with the first one (2.1.4.2). */
export function isConsistent(
  first: { readonly size: number; readonly root: Uint8Array },
  second: { readonly size: number; readonly root: Uint8Array },
  path: readonly Uint8Array[],
): boolean {
  if (!isCount(first.size) || !isCount(second.size) || first.size === 0 || first.size > second.size)
    return false;
  if (first.size === second.size) return path.length === 0 && areEqual(first.root, second.root);
  let node = first.size - 1;
  let last = second.size - 1;
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  // A first tree that is complete is itself where the path begins.
  const [begin, ...rest] = node === 0 ? [first.root, ...path] : path;
  if (begin === undefined) return false;
  let [old, grown] = [begin, begin];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      old = nodeHash(sibling, old);
      grown = nodeHash(sibling, grown);
      while (node % 2 === 0 && node !== 0) [node, last] = [node / 2, half(last)];
    } else grown = nodeHash(grown, sibling);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && areEqual(old, first.root) && areEqual(grown, second.root);
}

/**
 * The end of a growing tree: the roots of the complete subtrees that it is made of, and what becomes complete as leaves
 * are added.
 */
export class TreeEnd {
  private readonly roots: Uint8Array[];

  /** `roots` are those of `subtreesOf` the whole tree. */
  constructor(
    private leaves: number,
    roots: readonly Uint8Array[],
  ) {
    this.roots = [...roots];
  }

  get size(): number {
    return this.leaves;
  }

  get root(): Uint8Array {
    return rootOf(this.roots);
  }

  /** Adds a leaf; answers the subtrees that are complete now, that of the leaf alone first. */
  append(leaf: Uint8Array): (Subtree & { readonly hash: Uint8Array })[] {
    let [level, index, hash] = [0, this.leaves, leaf];
    const complete = [{ level, index, hash }];
    while (index % 2 === 1) {
      hash = nodeHash(this.roots.pop()!, hash);
      level++;
      index = half(index);
      complete.push({ level, index, hash });
    }
    this.roots.push(hash);
    this.leaves++;
    return complete;
  }
}

export function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, place) => byte === b[place]);
}

/** The largest power of two below a number of two or more. */
function splitOf(size: number): number {
  let split = 1;
  while (split * 2 < size) split *= 2;
  return split;
}

function half(value: number): number {
  return Math.floor(value / 2);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
