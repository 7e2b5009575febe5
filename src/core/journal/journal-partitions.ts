/**
 * The journal's partitions: ranges of the sequence, each created before the first commit that falls into it, so that
 * archived rows are dropped as a whole and an index stays as small as its range.
 *
 * There is no default partition: adding a range would lock it exclusively, and an ordered read would have to merge all
 * partitions instead of reading one after the other.
 */
import type pg from 'pg';

/**
 * Three gigabytes a partition where every order is a commit of its own, since a sequence then takes 300 bytes; a tenth
 * of that where large commits are packed. A hundred partitions, which every plan can bear, hold a billion sequences.
 */
export const SEQUENCES_PER_PARTITION = 10_000_000;

export interface JournalPartition {
  readonly name: string;
  /** It holds the rows whose last sequence is lower. */
  readonly end: number;
}

/** The oldest first. */
export async function journalPartitions(client: Pick<pg.Pool, 'query'>): Promise<JournalPartition[]> {
  const { rows } = await client.query<{ name: string; end: string }>(
    `SELECT format('%I.%I', nspname, relname) AS name,
       substring(pg_get_expr(relpartbound, c.oid) FROM $1) AS end
     FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid JOIN pg_namespace n ON n.oid = relnamespace
     WHERE inhparent = 'journal'::regclass`,
    [String.raw`TO \('(\d+)'\)`],
  );
  return rows.map(({ name, end }) => ({ name, end: Number(end) })).sort((a, b) => a.end - b.end);
}

/**
 * Makes partitions until the next whole range after the sequence's own is there. It locks nothing that commits and
 * readers need.
 */
export async function makePartitions(
  client: Pick<pg.Pool, 'query'>,
  sequence: number,
  sequencesEach = SEQUENCES_PER_PARTITION,
): Promise<void> {
  const partitions = await journalPartitions(client);
  let begin = partitions.at(-1)!.end;
  while (begin <= sequence + sequencesEach) {
    const end = begin + sequencesEach;
    // One text of several statements is one transaction.
    await client.query(`
      CREATE TABLE journal_${begin} (LIKE journal INCLUDING ALL);
      ALTER TABLE journal ATTACH PARTITION journal_${begin} FOR VALUES FROM (${begin}) TO (${end})`);
    begin = end;
  }
}
