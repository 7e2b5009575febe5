import { Check, Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import type { AssetShown, LiabilityTotal } from './liability-report.js';

export const RUN_KINDS = ['daily', 'on_demand'] as const;
export type RunKind = (typeof RUN_KINDS)[number];

export const RUN_STATUSES = ['pending', 'running', 'done', 'failed'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** A cut that is to be taken, and how far it is. At most one of a kind is open. */
@Entity('liability_runs')
@Check('liability_runs_kind_check', `kind IN ('daily', 'on_demand')`)
@Check('liability_runs_status_check', `status IN ('pending', 'running', 'done', 'failed')`)
@Index('liability_runs_open', ['kind'], { unique: true, where: `status IN ('pending', 'running')` })
@Index('liability_runs_daily', ['cutAt'], { unique: true, where: `kind = 'daily'` })
@Index('liability_runs_created', ['createdAt'])
export class LiabilityRunEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'cut_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'liability_runs_pkey',
  })
  readonly cutId: string;

  @Column({ name: 'kind', type: 'text' })
  kind: RunKind;

  @Column({ name: 'status', type: 'text', default: 'pending' })
  status: RunStatus;

  /** The midnight of a daily cut; null for one of the moment in which it is taken. */
  @Column({ name: 'cut_at', type: 'timestamptz', precision: 3, nullable: true })
  cutAt: Date | null;

  /** Up to where the ledger counts; null where `cutAt` is. */
  @Column({ name: 'cut_sequence', type: 'bigint', nullable: true })
  cutSequence: string | null;

  /** The person (see `personOf`); null for a daily one. */
  @Column({ name: 'requested_by', type: 'text', nullable: true })
  requestedBy: string | null;

  @Column({ name: 'accounts_done', type: 'bigint', default: 0 })
  accountsDone: string;

  /** Null before they are counted. */
  @Column({ name: 'accounts_total', type: 'bigint', nullable: true })
  accountsTotal: string | null;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;

  @Column({ name: 'started_at', type: 'timestamptz', precision: 3, nullable: true })
  startedAt: Date | null;

  @Column({ name: 'finished_at', type: 'timestamptz', precision: 3, nullable: true })
  finishedAt: Date | null;
}

/** A published cut. It never changes, and is kept for ever. */
@Entity('liability_cuts')
@Index('liability_cuts_as_of', ['asOf', 'cutId'])
export class LiabilityCutEntity {
  /** That of its run. */
  @PrimaryColumn({ name: 'cut_id', type: 'bigint', primaryKeyConstraintName: 'liability_cuts_pkey' })
  cutId: string;

  @Column({ name: 'as_of', type: 'timestamptz', precision: 3 })
  asOf: Date;

  /** Everything up to this place of the ledger counts, and nothing after it. */
  @Column({ name: 'sequence', type: 'bigint' })
  sequence: string;

  @Column({ name: 'root_hash', type: 'text' })
  rootHash: string;

  @Column({ name: 'totals', type: 'jsonb' })
  totals: readonly LiabilityTotal[];

  @Column({ name: 'assets_shown', type: 'jsonb' })
  assetsShown: readonly AssetShown[];

  @Column({ name: 'key_id', type: 'text' })
  keyId: string;

  @Column({ name: 'signature', type: 'text' })
  signature: string;
}

/** Some hundred leaves of a cut, packed (see `leaf-packing.ts`), and the root over them. */
@Entity('liability_chunks')
@Index('liability_chunks_created', ['createdAt'])
export class LiabilityChunkEntity {
  @PrimaryColumn({ name: 'cut_id', type: 'bigint', primaryKeyConstraintName: 'liability_chunks_pkey' })
  cutId: string;

  /** From 0, in the order of the leaves. */
  @PrimaryColumn({ name: 'chunk', type: 'integer', primaryKeyConstraintName: 'liability_chunks_pkey' })
  chunk: number;

  /** From which all salts of the cut follow: the same in all its chunks, so that it is deleted with them. */
  @Column({ name: 'secret', type: 'bytea' })
  secret: Buffer;

  /** Of its first leaf, the lowest. */
  @Column({ name: 'first_salt', type: 'bytea' })
  firstSalt: Buffer;

  @Column({ name: 'hash', type: 'bytea' })
  hash: Buffer;

  /** RFC 8785 JSON. */
  @Column({ name: 'sums', type: 'text' })
  sums: string;

  @Column({ name: 'leaves', type: 'bytea' })
  leaves: Buffer;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;
}
