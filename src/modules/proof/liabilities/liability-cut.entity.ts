import { Entity, Index } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import type { AssetShown, LiabilityTotal } from './liability-report.js';

export const RUN_KINDS = ['daily', 'on_demand'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

export const RUN_STATUSES = ['pending', 'running', 'done', 'failed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** A cut that is to be taken, and how far it is. At most one of a kind is open. */
@Entity('liability_runs')
@Index('liability_runs_open', ['kind'], { unique: true, where: `status IN ('pending', 'running')` })
@Index('liability_runs_daily', ['cutAt'], { unique: true, where: `kind = 'daily'` })
@Index('liability_runs_created', ['createdAt'])
export class LiabilityRunEntity {
  @key.identity() readonly cutId: string;
  @column.text({ oneOf: RUN_KINDS }) kind: RunKind;
  @column.text({ default: 'pending', oneOf: RUN_STATUSES }) status: RunStatus;
  /** The midnight of a daily cut; null for one of the moment in which it is taken. */
  @column.msTime({ nullable: true }) cutAt: Date | null;
  /** Up to where the ledger counts; null where `cutAt` is. */
  @column.bigint({ nullable: true }) cutSequence: string | null;
  /** The person (see `personOf`); null for a daily one. */
  @column.text({ nullable: true }) requestedBy: string | null;
  @column.bigint({ default: 0 }) accountsDone: string;
  /** Null before they are counted. */
  @column.bigint({ nullable: true }) accountsTotal: string | null;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
  @column.msTime({ nullable: true }) startedAt: Date | null;
  @column.msTime({ nullable: true }) finishedAt: Date | null;
}

/** A published cut. It never changes, and is kept for ever. */
@Entity('liability_cuts')
@Index('liability_cuts_as_of', ['asOf', 'cutId'])
export class LiabilityCutEntity {
  /** That of its run. */
  @key.bigint() cutId: string;
  @column.msTime() asOf: Date;
  /** Everything up to this place of the ledger counts, and nothing after it. */
  @column.bigint() sequence: string;
  @column.text() rootHash: string;
  @column.json() totals: readonly LiabilityTotal[];
  @column.json() assetsShown: readonly AssetShown[];
  @column.text() keyId: string;
  @column.text() signature: string;
}

/** Some hundred leaves of a cut, packed (see `leaf-packing.ts`), and the root over them. */
@Entity('liability_chunks')
@Index('liability_chunks_created', ['createdAt'])
export class LiabilityChunkEntity {
  @key.bigint() cutId: string;
  /** From 0, in the order of the leaves. */
  @key.integer() chunk: number;
  /** From which all salts of the cut follow: the same in all its chunks, so that it is deleted with them. */
  @column.bytes() secret: Buffer;
  /** Of its first leaf, the lowest. */
  @column.bytes() firstSalt: Buffer;
  @column.bytes() hash: Buffer;
  /** RFC 8785 JSON. */
  @column.text() sums: string;
  @column.bytes() leaves: Buffer;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
}
