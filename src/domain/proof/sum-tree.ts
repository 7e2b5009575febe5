/**
 * A Merkle sum tree: each node has a hash and, per asset, the sum of what is below it. The hash of a node covers the sums
 * of both its children one by one, so that none of them can be less than what was hashed (a hash over their sum alone
 * lets the two be swapped for others). Nodes pair as in RFC 9162: a node without a neighbour goes up as it is, and is
 * never paired with itself.
 */
import { formatAmount, UNITS_PER_ONE } from '../money/amount.js';
import { canonicalJson } from './canonical-json.js';
import { sha256 } from './crypto.js';

/** Amounts in units of 10^-18 by asset. All are above zero: an asset of which there is nothing is left out. */
export type Sums = ReadonlyMap<string, bigint>;

/** The same as proofs show it: decimals as everywhere in the API. */
export type SumsJson = Readonly<Record<string, string>>;

export interface SumNode {
  readonly hash: Uint8Array;
  readonly sums: Sums;
  /** The sums as RFC 8785 JSON, as they are hashed. */
  readonly sumsText: string;
}

export type SiblingSide = 'left' | 'right';

/** A sibling on the way from a leaf to the root. */
export interface SumStep {
  readonly node: SumNode;
  /** Where the sibling stands. */
  readonly side: SiblingSide;
}

const NODE = Uint8Array.of(1);
/** Positive, without leading or trailing zeros: each amount has one text. Zero and signs are refused. */
const AMOUNT = /^(?!0$)(0|[1-9]\d{0,29})(?:\.(\d{0,17}[1-9]))?$/;
const ASSET = /^[A-Z0-9]{1,16}$/;
const DECIMALS = 18;

/** RFC 8785 JSON of sums, the assets in the order of their UTF-16 code units. */
export function sumsText(sums: Sums): string {
  const assets = [...sums.keys()];
  if (assets.length > 1) assets.sort();
  return `{${assets.map((asset) => `${JSON.stringify(asset)}:"${formatAmount(sums.get(asset)!)}"`).join(',')}}`;
}

export function sumsJson(sums: Sums): SumsJson {
  return JSON.parse(sumsText(sums)) as SumsJson;
}

/**
 * Sums from whatever a proof says.
 * @throws TypeError for all that is not the one text of positive amounts
 */
export function sumsOf(value: unknown): Sums {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new TypeError('sums are an object of amounts by asset');
  const sums = new Map<string, bigint>();
  for (const [asset, text] of Object.entries(value as Record<string, unknown>)) {
    const parts = ASSET.test(asset) && typeof text === 'string' ? AMOUNT.exec(text) : null;
    if (parts === null)
      throw new TypeError(`${canonicalJson(asset)} has no amount above zero in its one form`);
    const [, whole, fraction = ''] = parts;
    sums.set(asset, BigInt(whole!) * UNITS_PER_ONE + BigInt(fraction.padEnd(DECIMALS, '0')));
  }
  return sums;
}

export function addSums(left: Sums, right: Sums): Sums {
  const both = new Map(left);
  for (const [asset, units] of right) both.set(asset, (both.get(asset) ?? 0n) + units);
  return both;
}

export function areEqualSums(one: Sums, other: Sums): boolean {
  return one.size === other.size && [...one].every(([asset, units]) => other.get(asset) === units);
}

export function nodeOf(hash: Uint8Array, sums: Sums): SumNode {
  return { hash, sums, sumsText: sumsText(sums) };
}

/** 01 ‖ left hash ‖ left sums ‖ right hash ‖ right sums. The texts end by themselves, so this reads in one way alone. */
export function parentOf(left: SumNode, right: SumNode): SumNode {
  const hash = sha256(NODE, left.hash, left.sumsText, right.hash, right.sumsText);
  return nodeOf(hash, addSums(left.sums, right.sums));
}

/** The root over nodes of one level; null where there are none. */
export function sumRootOf(nodes: readonly SumNode[]): SumNode | null {
  const tree = new SumTree();
  for (const node of nodes) tree.append(node);
  return tree.root();
}

/** The siblings on the way from one of the nodes of a level to the root over them, the nearest first. */
export function sumPathOf(nodes: readonly SumNode[], index: number): SumStep[] {
  if (!(index >= 0 && index < nodes.length)) throw new RangeError(`there is no node ${index}`);
  const path: SumStep[] = [];
  let level = nodes;
  for (let place = index; level.length > 1; place = Math.floor(place / 2)) {
    const isRight = place % 2 === 1;
    const sibling = level[isRight ? place - 1 : place + 1];
    if (sibling !== undefined) path.push({ node: sibling, side: isRight ? 'left' : 'right' });
    level = levelAbove(level);
  }
  return path;
}

/** The root that a path leads to from a node. */
export function sumRootByPath(node: SumNode, path: readonly SumStep[]): SumNode {
  return path.reduce(
    (below, { node: sibling, side }) =>
      side === 'left' ? parentOf(sibling, below) : parentOf(below, sibling),
    node,
  );
}

/** Builds a root of nodes that come one after the other; it keeps one node for each level. */
export class SumTree {
  /** By level: the complete subtree that waits for its right neighbour. */
  private readonly waiting: (SumNode | undefined)[] = [];

  append(node: SumNode): void {
    let whole = node;
    let level = 0;
    for (let left = this.waiting[level]; left !== undefined; left = this.waiting[level]) {
      whole = parentOf(left, whole);
      this.waiting[level++] = undefined;
    }
    this.waiting[level] = whole;
  }

  /** Null while there are no nodes. */
  root(): SumNode | null {
    let root: SumNode | null = null;
    for (const left of this.waiting) {
      if (left !== undefined) root = root === null ? left : parentOf(left, root);
    }
    return root;
  }
}

function levelAbove(level: readonly SumNode[]): SumNode[] {
  const above: SumNode[] = [];
  for (let place = 0; place < level.length; place += 2) {
    const right = level[place + 1];
    above.push(right === undefined ? level[place]! : parentOf(level[place]!, right));
  }
  return above;
}
