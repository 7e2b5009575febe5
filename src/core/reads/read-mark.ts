/** How far a server must be, to be read in place of the primary. */
import type { ClientBase, Pool } from 'pg';

/** The primary's position at a moment: the newest state that any caller can have seen by then. */
export interface ReadMark {
  readonly epoch: string;
  /** The projection's cursor: its commits become durable later than they can be seen, so `lsn` may not cover them. */
  readonly sequence: string;
  /** Where the write-ahead log ended on the disk, which all other commits wait for before they can be seen. */
  readonly lsn: string;
}

const MARK = `
  SELECT leader.epoch, projection.sequence, pg_current_wal_flush_lsn()::text AS lsn
  FROM core_leader leader, core_projection projection`;

/** A standby of an older primary may have gone another way from there; a later epoch than its own tells so. */
const STANDING = `
  SELECT pg_is_in_recovery() AS is_standby,
    leader.epoch >= $1 AND projection.sequence >= $2 AND pg_last_wal_replay_lsn() >= $3::pg_lsn AS has_reached
  FROM core_leader leader, core_projection projection`;

const IDENTITY = `
  SELECT system_identifier::text || '/' || current_database() AS identity FROM pg_control_system()`;

/** To be asked of the primary. */
export async function readMark(primary: Pick<Pool, 'query'>): Promise<ReadMark> {
  return (await primary.query<ReadMark>(MARK)).rows[0]!;
}

/** The same for a primary's database and its copies in standbys, and for no other. */
export async function databaseIdentityOf(client: Pick<Pool, 'query'>): Promise<string> {
  return (await client.query<{ identity: string }>(IDENTITY)).rows[0]!.identity;
}

/**
 * Whether the next read on this connection shows at least the mark.
 * @throws if the server is no standby, or does not answer in time
 */
export async function hasReached(
  client: ClientBase,
  { epoch, sequence, lsn }: ReadMark,
  answerMsMax: number,
): Promise<boolean> {
  const query = { text: STANDING, values: [epoch, sequence, lsn], query_timeout: answerMsMax };
  const { rows } = await client.query<{ is_standby: boolean; has_reached: boolean | null }>(query);
  const { is_standby, has_reached } = rows[0]!;
  if (!is_standby) throw new Error('it is no standby');
  return has_reached === true;
}
