import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAmount, UNITS_PER_ONE } from '../money/amount.js';
import { hexOf } from './bytes.js';
import { canonicalJson } from './canonical-json.js';
import {
  addSums,
  areEqualSums,
  nodeOf,
  parentOf,
  type SumNode,
  type Sums,
  sumPathOf,
  sumRootByPath,
  sumRootOf,
  sumsJson,
  sumsOf,
  sumsText,
  SumTree,
} from './sum-tree.js';

const sumsArbitrary: fc.Arbitrary<Sums> = fc
  .dictionary(fc.constantFrom('BTC', 'ETH', 'USD', 'EUR'), fc.bigInt(1n, 10n ** 38n))
  .map((amounts) => new Map(Object.entries(amounts)));
const nodeArbitrary: fc.Arbitrary<SumNode> = fc
  .tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), sumsArbitrary)
  .map(([hash, sums]) => nodeOf(hash, sums));
const nodesArbitrary = fc.array(nodeArbitrary, { minLength: 1, maxLength: 40 });

/** By recursion, as RFC 9162 splits a tree, and by another JSON. */
function treeByDefinition(nodes: readonly SumNode[]): { hash: Buffer; sums: Map<string, bigint> } {
  if (nodes.length === 1) return { hash: Buffer.from(nodes[0]!.hash), sums: new Map(nodes[0]!.sums) };
  const split = 2 ** Math.ceil(Math.log2(nodes.length) - 1);
  const left = treeByDefinition(nodes.slice(0, split));
  const right = treeByDefinition(nodes.slice(split));
  const json = (sums: Map<string, bigint>): string =>
    canonicalJson(Object.fromEntries([...sums].map(([asset, units]) => [asset, formatAmount(units)])));
  const hash = createHash('sha256')
    .update(Buffer.from([1]))
    .update(left.hash)
    .update(json(left.sums))
    .update(right.hash)
    .update(json(right.sums))
    .digest();
  const sums = new Map(left.sums);
  for (const [asset, units] of right.sums) sums.set(asset, (sums.get(asset) ?? 0n) + units);
  return { hash, sums };
}

describe('a Merkle sum tree', () => {
  it('is the one that its definition says', () => {
    fc.assert(
      fc.property(nodesArbitrary, (nodes) => {
        const root = sumRootOf(nodes)!;
        const defined = treeByDefinition(nodes);
        expect(hexOf(root.hash)).toBe(defined.hash.toString('hex'));
        expect(areEqualSums(root.sums, defined.sums)).toBe(true);
      }),
    );
  });

  it('has sums that are those of all its leaves', () => {
    fc.assert(
      fc.property(nodesArbitrary, (nodes) => {
        const all = nodes.reduce<Sums>((sums, node) => addSums(sums, node.sums), new Map());
        expect(areEqualSums(sumRootOf(nodes)!.sums, all)).toBe(true);
      }),
    );
  });

  it('leads from each leaf to its root', () => {
    fc.assert(
      fc.property(nodesArbitrary, (nodes) => {
        const root = hexOf(sumRootOf(nodes)!.hash);
        for (const [index, node] of nodes.entries()) {
          const path = sumPathOf(nodes, index);
          expect(hexOf(sumRootByPath(node, path).hash)).toBe(root);
        }
      }),
    );
  });

  it('is the same where complete chunks are put together first', () => {
    fc.assert(
      fc.property(nodesArbitrary, fc.constantFrom(1, 2, 4, 8), (nodes, size) => {
        const chunks: SumNode[][] = [];
        for (let from = 0; from < nodes.length; from += size) chunks.push(nodes.slice(from, from + size));
        const roots = chunks.map((chunk) => sumRootOf(chunk)!);
        expect(hexOf(sumRootOf(roots)!.hash)).toBe(hexOf(sumRootOf(nodes)!.hash));
        for (const [index, node] of nodes.entries()) {
          const chunk = Math.floor(index / size);
          const path = [...sumPathOf(chunks[chunk]!, index % size), ...sumPathOf(roots, chunk)];
          expect(path.map((step) => hexOf(step.node.hash))).toEqual(
            sumPathOf(nodes, index).map((step) => hexOf(step.node.hash)),
          );
          expect(hexOf(sumRootByPath(node, path).hash)).toBe(hexOf(sumRootOf(nodes)!.hash));
        }
      }),
    );
  });

  it('has another root with another order, so that sides count', () => {
    const [one, other] = [
      nodeOf(new Uint8Array(32), sumsOf({ USD: '1' })),
      nodeOf(new Uint8Array(32).fill(1), sumsOf({ USD: '2' })),
    ];
    expect(hexOf(parentOf(one, other).hash)).not.toBe(hexOf(parentOf(other, one).hash));
  });

  it('never pairs a node with itself', () => {
    const [a, b, c] = [1, 2, 3].map((value) =>
      nodeOf(new Uint8Array(32).fill(value), sumsOf({ USD: `${value}` })),
    );
    expect(hexOf(sumRootOf([a!, b!, c!])!.hash)).not.toBe(hexOf(sumRootOf([a!, b!, c!, c!])!.hash));
    expect(sumsJson(sumRootOf([a!, b!, c!])!.sums)).toEqual({ USD: '6' });
  });

  it('has no root and no path without leaves', () => {
    expect(new SumTree().root()).toBeNull();
    expect(() => sumPathOf([], 0)).toThrow(RangeError);
  });
});

describe('sums', () => {
  it('are RFC 8785 JSON and read back as they were', () => {
    fc.assert(
      fc.property(sumsArbitrary, (sums) => {
        const text = sumsText(sums);
        expect(text).toBe(canonicalJson(sumsJson(sums)));
        expect(areEqualSums(sumsOf(JSON.parse(text)), sums)).toBe(true);
      }),
    );
  });

  it('are exact at both ends', () => {
    expect(sumsOf({ USD: '0.000000000000000001' }).get('USD')).toBe(1n);
    expect(sumsOf({ USD: `${10n ** 29n}` }).get('USD')).toBe(10n ** 29n * UNITS_PER_ONE);
  });

  it.each([
    ['-1'],
    ['0'],
    ['0.0'],
    ['1.0'],
    ['1.50'],
    ['01'],
    ['+1'],
    ['1e3'],
    ['.5'],
    ['1.'],
    [''],
    ['NaN'],
    ['1'.repeat(31)],
    ['0.0000000000000000001'],
    [1],
    [null],
    [['1']],
  ])('refuse %j', (amount) => {
    expect(() => sumsOf({ USD: amount })).toThrow(TypeError);
  });

  it.each([[null], ['USD'], [[]], [{ usd: '1' }], [{ '': '1' }], [JSON.parse('{"__proto__":"1"}')]])(
    'refuse %j for what is no object of assets',
    (value) => {
      expect(() => sumsOf(value)).toThrow(TypeError);
    },
  );
});
