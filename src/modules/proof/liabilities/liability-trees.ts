import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { hexOf } from '../../../domain/proof/bytes.js';
import { leafSaltOf } from '../../../domain/proof/liability-proof.js';
import type { LiabilityPart } from '../../../domain/proof/liability-proof.js';
import {
  nodeOf,
  type SumNode,
  sumPathOf,
  sumRootOf,
  sumsJson,
  sumsOf,
} from '../../../domain/proof/sum-tree.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { nodeOfLeaf, shownLeaf, unpackLeaves } from './leaf-packing.js';
import type { LiabilityCutEntity } from './liability-cut.entity.js';

/** Cuts of which the upper part of the tree is kept in memory: less than a megabyte for a million accounts. */
const KEPT_MAX = 4;

interface UpperTree {
  readonly secret: Buffer;
  readonly roots: readonly SumNode[];
  readonly firstSalts: readonly Buffer[];
}

interface ChunkHead {
  readonly secret: Buffer;
  readonly first_salt: Buffer;
  readonly hash: Buffer;
  readonly sums: string;
}

/** Paths in the trees of cuts: a stored chunk is hashed again, and what is above chunks is remembered. */
@Injectable()
export class LiabilityTrees {
  /** In the order of their last use. */
  private readonly kept = new Map<string, UpperTree>();

  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * The part of an account in a cut, with its path: `absent` where the account had nothing, null where the leaves are
   * deleted.
   */
  async partOf(
    cut: LiabilityCutEntity,
    accountId: number,
    part: number,
  ): Promise<LiabilityPart | 'absent' | null> {
    const tree = await this.upperTree(cut);
    if (tree === null) return null;
    const salt = leafSaltOf(tree.secret, accountId, part);
    const chunk = tree.firstSalts.findLastIndex((first) => Buffer.compare(first, salt) <= 0);
    if (chunk < 0) return 'absent';
    const leaves = await this.leavesOf(cut.cutId, chunk);
    if (leaves === null) return null;
    const index = leaves.findIndex((leaf) => leaf.accountId === accountId && leaf.part === part);
    if (index < 0) return 'absent';
    const nodes = leaves.map((leaf) => nodeOfLeaf(leafSaltOf(tree.secret, leaf.accountId, leaf.part), leaf));
    const path = [...sumPathOf(nodes, index), ...sumPathOf(tree.roots, chunk)];
    return {
      leaf: shownLeaf(leaves[index]!),
      salt: hexOf(salt),
      path: path.map(({ node, side }) => ({ hash: hexOf(node.hash), sums: sumsJson(node.sums), side })),
    };
  }

  private async leavesOf(cutId: string, chunk: number): Promise<ReturnType<typeof unpackLeaves> | null> {
    const { rows } = await this.pool.query<{ leaves: Buffer }>(
      'SELECT leaves FROM liability_chunks WHERE cut_id = $1 AND chunk = $2',
      [cutId, chunk],
    );
    return rows[0] === undefined ? null : unpackLeaves(rows[0].leaves);
  }

  /** Null where chunks are deleted, or some of them. */
  private async upperTree({ cutId, rootHash }: LiabilityCutEntity): Promise<UpperTree | null> {
    const tree = this.kept.get(cutId) ?? (await this.readUpperTree(cutId, rootHash));
    if (tree === null) return null;
    this.kept.delete(cutId);
    this.kept.set(cutId, tree);
    for (const [oldest] of this.kept) {
      if (this.kept.size <= KEPT_MAX) break;
      this.kept.delete(oldest);
    }
    return tree;
  }

  private async readUpperTree(cutId: string, rootHash: string): Promise<UpperTree | null> {
    const { rows } = await this.pool.query<ChunkHead>(
      'SELECT secret, first_salt, hash, sums FROM liability_chunks WHERE cut_id = $1 ORDER BY chunk',
      [cutId],
    );
    const roots = rows.map(({ hash, sums }) => nodeOf(hash, sumsOf(JSON.parse(sums))));
    const root = sumRootOf(roots);
    if (root === null || hexOf(root.hash) !== rootHash) return null;
    return { secret: rows[0]!.secret, roots, firstSalts: rows.map(({ first_salt }) => first_salt) };
  }
}
