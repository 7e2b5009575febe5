import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hexOf } from './bytes.js';
import {
  consistencyRanges,
  inclusionPath,
  inclusionRanges,
  isConsistent,
  leafHash,
  type LeafRange,
  rootByInclusion,
  rootOf,
  rootOfLeaves,
  subtreesOf,
  TreeEnd,
} from './merkle-tree.js';

/** The definition of RFC 9162, 2.1.1, word for word. */
function merkleTreeHash(leaves: readonly Uint8Array[]): Buffer {
  const sha256 = (...parts: Uint8Array[]): Buffer => {
    const hash = createHash('sha256');
    for (const part of parts) hash.update(part);
    return hash.digest();
  };
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return sha256(Uint8Array.of(0), leaves[0]!);
  const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  return sha256(
    Uint8Array.of(1),
    merkleTreeHash(leaves.slice(0, split)),
    merkleTreeHash(leaves.slice(split)),
  );
}

/** A tree that grew leaf by leaf, of which the complete subtrees are kept as a table would. */
class GrownTree {
  private readonly kept = new Map<string, Uint8Array>();
  private readonly end = new TreeEnd(0, []);
  readonly roots: string[] = [];

  constructor(contents: readonly Uint8Array[]) {
    for (const content of contents) {
      for (const { level, index, hash } of this.end.append(leafHash(content)))
        this.kept.set(`${level}/${index}`, hash);
      this.roots.push(hexOf(this.end.root));
    }
  }

  hashesOf(ranges: readonly LeafRange[]): Uint8Array[] {
    return ranges.map((range) =>
      rootOf(subtreesOf(range).map(({ level, index }) => this.kept.get(`${level}/${index}`)!)),
    );
  }
}

const contentsOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, place) => Uint8Array.of(place % 256, place >> 8));

/** The inputs and roots that implementations of Certificate Transparency test with. */
const KNOWN_LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((hex) => Buffer.from(hex, 'hex'));
const KNOWN_ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

describe('the tree of RFC 9162', () => {
  it('has the roots that Certificate Transparency knows', () => {
    expect(new GrownTree(KNOWN_LEAVES).roots).toEqual(KNOWN_ROOTS);
  });

  it('has the same root by growth, by its leaves and by definition', () => {
    const contents = contentsOf(130);
    const { roots } = new GrownTree(contents);
    for (let size = 1; size <= contents.length; size++) {
      const expected = merkleTreeHash(contents.slice(0, size)).toString('hex');
      expect(roots[size - 1]).toBe(expected);
      expect(hexOf(rootOfLeaves(contents.slice(0, size).map((content) => leafHash(content))))).toBe(expected);
    }
  });

  it('proves each leaf in each tree, and no other leaf or place', () => {
    const contents = contentsOf(70);
    const tree = new GrownTree(contents);
    const leaves = contents.map((content) => leafHash(content));
    for (let size = 1; size <= contents.length; size++)
      for (let index = 0; index < size; index++) {
        const path = tree.hashesOf(inclusionRanges(index, size));
        expect(path).toEqual(inclusionPath(leaves.slice(0, size), index));
        expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
        expect(hexOf(rootByInclusion(leaves[index]!, index, size, path)!)).toBe(tree.roots[size - 1]);
        const other = rootByInclusion(leaves[(index + 1) % leaves.length]!, index, size, path);
        expect(other === null ? null : hexOf(other)).not.toBe(tree.roots[size - 1]);
        if (size > 1) {
          const elsewhere = rootByInclusion(leaves[index]!, (index + 1) % size, size, path);
          expect(elsewhere === null ? null : hexOf(elsewhere)).not.toBe(tree.roots[size - 1]);
        }
      }
  });

  it('proves that each tree begins with each smaller one', () => {
    const tree = new GrownTree(contentsOf(66));
    const at = (size: number): { size: number; root: Uint8Array } => ({
      size,
      root: Buffer.from(tree.roots[size - 1]!, 'hex'),
    });
    for (let second = 1; second <= 66; second++)
      for (let first = 1; first <= second; first++) {
        const path = tree.hashesOf(consistencyRanges(first, second));
        expect(isConsistent(at(first), at(second), path)).toBe(true);
        if (first < second) {
          const forged = { size: first, root: leafHash(Uint8Array.of(9)) };
          expect(isConsistent(forged, at(second), path)).toBe(false);
          expect(isConsistent(at(first), { ...at(second), root: forged.root }, path)).toBe(false);
          expect(isConsistent(at(first), at(second), path.slice(1))).toBe(false);
          expect(isConsistent(at(first), at(second), [...path, forged.root])).toBe(false);
        }
      }
  });

  it('takes a changed path for no proof', () => {
    const contents = contentsOf(200);
    const tree = new GrownTree(contents);
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 200 }).chain((size) =>
          fc.record({
            size: fc.constant(size),
            index: fc.nat(size - 1),
            bit: fc.nat(255),
            place: fc.nat(7),
          }),
        ),
        ({ size, index, bit, place }) => {
          const path = tree.hashesOf(inclusionRanges(index, size)).map((hash) => Uint8Array.from(hash));
          const changed = path[place % path.length]!;
          changed[bit >> 3]! ^= 1 << (bit & 7);
          const root = rootByInclusion(leafHash(contents[index]!), index, size, path);
          expect(root === null ? null : hexOf(root)).not.toBe(tree.roots[size - 1]);
        },
      ),
    );
  });
});
