import type { EntityManager, EntityTarget, ObjectLiteral } from 'typeorm';
import type { PurgedRows } from '../../jobs/purges.js';
import { KEY_KEPT_HOURS } from '../../repeated-requests.js';
import { requireSameRequest } from './repeat-errors.js';

export interface KeyedRow {
  /** A digest of who sent which `Idempotency-Key`, see `requestHashOf`; null without one, and a day later. */
  requestHash: string | null;
}

/** A request that makes a row. */
export interface RowRequest {
  /** Null without a key. */
  readonly requestHash: string | null;
  /** What is asked for: the same for the same request. */
  readonly fingerprint: string;
  /** Another digest of the key, in rows of an older version. */
  readonly formerHash?: string | null;
}

export interface KeyedTable<Row> {
  readonly table: string;
  /** Its primary key. */
  readonly key: string;
  /** The column that says when a row was made. */
  readonly madeAt: string;
  /** The fingerprint of the request that made a row. */
  readonly fingerprintOf: (row: Row) => string;
}

/**
 * Requests whose repeats are answered from the row that the first one made, for what goes on after its request: payouts,
 * transfers, proposals, accounts. The key is a column of that row, with a unique index, so it is claimed, kept and given
 * back in the row's own transactions: of two requests at once only one inserts a row, a crash leaves both or neither, and
 * where the core refuses the money, the key is free again with the row's deletion.
 */
export class KeyedRows<Row extends KeyedRow & ObjectLiteral> {
  /** Forgets keys. */
  readonly purge: PurgedRows;

  constructor(
    private readonly entity: EntityTarget<Row>,
    private readonly of: KeyedTable<Row>,
  ) {
    const { table, key, madeAt } = of;
    const over = `request_hash IS NOT NULL AND ${isOver(madeAt)}`;
    this.purge = { table, key: [key], over, orderBy: madeAt, clears: 'request_hash' };
  }

  /** The row of an earlier request with this key. Throws `idempotency_key_reused` (422). */
  async find(
    manager: EntityManager,
    { requestHash, fingerprint, formerHash }: RowRequest,
  ): Promise<Row | null> {
    if (requestHash === null) return null;
    const row = await manager
      .createQueryBuilder(this.entity, 'made')
      .where('made.request_hash IN (:requestHash, :formerHash)', {
        requestHash,
        formerHash: formerHash ?? null,
      })
      .andWhere(`NOT (${isOver(`made.${this.of.madeAt}`)})`)
      .getOne();
    if (row !== null) requireSameRequest(this.of.fingerprintOf(row), fingerprint);
    return row;
  }

  /** Before a row is inserted: its key may be that of an old row, which the purge has not come to yet. */
  async free(manager: EntityManager, { requestHash }: Pick<RowRequest, 'requestHash'>): Promise<void> {
    if (requestHash === null) return;
    const { table, madeAt } = this.of;
    await manager.query(
      `UPDATE ${table} SET request_hash = NULL WHERE request_hash = $1 AND ${isOver(madeAt)}`,
      [requestHash],
    );
  }
}

function isOver(madeAt: string): string {
  return `${madeAt} <= now() - make_interval(hours => ${KEY_KEPT_HOURS})`;
}
