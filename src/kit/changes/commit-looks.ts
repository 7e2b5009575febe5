import type { Pool } from 'pg';

export interface LookedAt {
  /** Of the prepared statement. */
  readonly name: string;
  /** A table of what transactions have changed, with their numbers in `made_by`, by which it is indexed. */
  readonly table: string;
  /** What is told of each change. */
  readonly columns: string;
  /** So many changes at most are told of. */
  readonly limit: number;
}

export interface Look<Change> {
  /** Whether it goes on from the look before: all that was committed since is in `changes`. */
  readonly goesOn: boolean;
  readonly changes: readonly Change[];
}

interface LookRow<Change> {
  readonly snapshot: string;
  readonly server: string;
  readonly changes: readonly Change[] | null;
}

/**
 * Tells what was committed since the last look, however long its transaction took: one that was made and is not in the
 * snapshot of that look has been committed since.
 */
export class CommitLooks<Change> {
  /** Null before the first look, and after one that failed: then there is nothing to go on from. */
  private last: Omit<LookRow<Change>, 'changes'> | null = null;
  private readonly statement: { readonly name: string; readonly text: string };

  constructor(
    private readonly pool: Pick<Pool, 'query'>,
    { name, table, columns, limit }: LookedAt,
  ) {
    this.statement = {
      name,
      text: `
        SELECT pg_current_snapshot()::text AS snapshot, pg_postmaster_start_time()::text AS server,
          CASE WHEN $1::text IS NOT NULL THEN (
            SELECT json_agg(change) FROM (
              SELECT ${columns} FROM ${table}
              WHERE made_by >= pg_snapshot_xmin($1::pg_snapshot)::text::bigint
                AND NOT pg_visible_in_snapshot(made_by::text::xid8, $1::pg_snapshot)
              LIMIT ${limit}
            ) AS change
          ) END AS changes`,
    };
  }

  /** One after the other. Rejects as the pool does, and then the next one goes on from nothing. */
  async next(): Promise<Look<Change>> {
    const before = this.last;
    this.last = null;
    const { rows } = await this.pool.query<LookRow<Change>>({
      ...this.statement,
      values: [before?.snapshot ?? null],
    });
    const { snapshot, server, changes } = rows[0]!;
    this.last = { snapshot, server };
    // Numbers of transactions tell nothing of those of another server, such as one that has taken over.
    return { goesOn: server === before?.server, changes: changes ?? [] };
  }

  /** What the last look told was not taken up. */
  forget(): void {
    this.last = null;
  }
}
