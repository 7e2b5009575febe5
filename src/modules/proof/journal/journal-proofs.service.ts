import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import {
  consistencyProof,
  inclusionProof,
  leafAt,
  publicRows,
  sizeOf,
} from '../../../core/proof/journal-tree.js';
import { JournalHeads } from '../../../core/proof/journal-heads.js';
import { JournalKeys } from '../../../core/proof/journal-keys.js';
import { base64Of } from '../../../domain/proof/bytes.js';
import { hashOfLeaf, leafBytes } from '../../../domain/proof/statement.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { NOT_FOUND, TEMPORARILY_UNAVAILABLE, VALIDATION_FAILED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, encodeCursor, type Page, pageOf } from '../../../kit/http/pagination.js';
import type {
  ConsistencyProofDto,
  ConsistencyQueryDto,
  InclusionProofDto,
  InclusionQueryDto,
  JournalHeadDto,
  JournalKeyDto,
  JournalKeysDto,
  ListHeadsQueryDto,
} from './journal-proof.dto.js';
import type { ListPublicRowsQueryDto, PublicRowDto } from './public-journal.dto.js';

/** Of packed rows, which are a tenth of what is answered. */
const PAGE_BYTES_MAX = 100_000;

/** What the service signs of its journal, and what proves that it never said otherwise. */
@Injectable()
export class JournalProofs {
  constructor(
    private readonly heads: JournalHeads,
    private readonly keys: JournalKeys,
    private readonly audit: AuditLog,
    @InjectDataSource() private readonly database: DataSource,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** Throws `not_found` before the first commit, and `temporarily_unavailable` until its head is signed. */
  async head(): Promise<JournalHeadDto> {
    return (await this.heads.newest()) ?? this.refuseUnsigned();
  }

  /** The oldest first. Throws `invalid_cursor`. */
  async list({ from, limit, cursor }: ListHeadsQueryDto): Promise<Page<JournalHeadDto>> {
    const [after] = decodeCursor(cursor, ['integer']) ?? [0];
    const heads = await this.heads.from(Math.max(from, after + 1), limit + 1);
    return pageOf(
      heads,
      limit,
      ({ tree_size }) => [tree_size],
      (head) => head,
    );
  }

  /** In the order of the journal, from its first row on. Throws `invalid_cursor`. */
  async publicRows({ from, limit, cursor }: ListPublicRowsQueryDto): Promise<Page<PublicRowDto>> {
    const [after] = decodeCursor(cursor, ['integer']) ?? [0];
    const begin = Math.max(from, after + 1);
    const [rows, size] = await Promise.all([
      publicRows(this.pool, begin, { limit, bytesMax: PAGE_BYTES_MAX }),
      sizeOf(this.pool),
    ]);
    const last = rows.at(-1)?.leaf.height;
    // PublicRowDto lists what the domain has as read-only.
    const data = rows as PublicRowDto[];
    return { data, next_cursor: last !== undefined && last < size ? encodeCursor([last]) : null };
  }

  async listKeys(): Promise<JournalKeysDto> {
    return { data: await this.keys.list() };
  }

  /** Makes a new key, to which the one before hands over. */
  rotate(): Promise<JournalKeyDto> {
    return this.database.transaction(async (manager) => {
      const key = await this.keys.rotate(manager);
      await this.audit.record(manager, {
        target: { type: 'journal_key', id: key.key_id },
        details: { previous_key_id: key.previous_key_id },
      });
      return key;
    });
  }

  /** Throws `validation_failed` for sizes that no tree has had, and as `head`. */
  async consistency({ first, second }: ConsistencyQueryDto): Promise<ConsistencyProofDto> {
    const size = await this.sizeOfTree(second, 'second');
    if (first > size) throw notThere('first', size);
    return { first, second: size, proof: await consistencyProof(this.pool, first, size) };
  }

  /** Throws `validation_failed` for rows and sizes that the tree does not have, and as `head`. */
  async inclusion({ height, tree_size }: InclusionQueryDto): Promise<InclusionProofDto> {
    const size = await this.sizeOfTree(tree_size, 'tree_size');
    if (height > size) throw notThere('height', size);
    const leaf = leafBytes((await leafAt(this.pool, height))!);
    return {
      height,
      tree_size: size,
      leaf: base64Of(leaf),
      leaf_hash: hashOfLeaf(leaf),
      proof: await inclusionProof(this.pool, height, size),
    };
  }

  private async sizeOfTree(asked: number | undefined, field: string): Promise<number> {
    const size = await sizeOf(this.pool);
    if ((asked ?? size) > size) throw notThere(field, size);
    return size === 0 ? this.refuseUnsigned() : (asked ?? size);
  }

  private async refuseUnsigned(): Promise<never> {
    if (await this.heads.isJournalEmpty()) throw new ApiError(NOT_FOUND, 'Nothing has been committed yet.');
    throw new ApiError(TEMPORARILY_UNAVAILABLE, 'The first head is being signed; try again in a moment.', {
      headers: { 'Retry-After': '1' },
    });
  }
}

function notThere(field: string, size: number): ApiError {
  return new ApiError(VALIDATION_FAILED, `Ask for at most ${size}: the tree has no more leaves yet.`, {
    details: [{ field, message: `must not be greater than ${size}` }],
  });
}
