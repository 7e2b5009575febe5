/**
 * Exactly one process writes. It holds an advisory lock on its own connection, so that a process
 * which dies frees it at once, and it carries the epoch under which it took over; every commit is
 * fenced by that epoch, so that a process which only believes it leads can change nothing.
 */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { invariant } from '../../domain/invariant.js';
import { PrimaryClient } from '../../kit/database/primary-client.js';

/** "tradepost" in ASCII, as far as it fits: the key of the advisory lock. */
const LOCK_KEY = 0x7472_6164;

export const LEASE_MS = 10_000;

/** A new leader first loads the state, which may take longer than a lease; its session must survive that. */
const LOADING_LEASE_MS = 60_000;

/** A leader in the middle of a statement is alive, up to the time at which its server would end that statement. */
const STATEMENT_MS_MAX = 60_000;

/** A live leader that has nothing to do is heard of more often than this, since it renews its lease. */
const SILENT_MS_MAX = 3_000;

/** A server that hangs is not waited for longer when a connection to it ends. */
const GOODBYE_MS_MAX = 1_000;

/** A name for one who may lead, unlike any other's: machine and process for people, the rest for sure. */
export function newHolder(): string {
  return `${hostname()}:${process.pid}:${randomUUID()}`;
}

/** The leader's fence did not hold: another process has taken over. Nothing was written. */
export class LostLeadership extends Error {}

/** A process that leads, and the epoch under which it does. */
export interface Leader {
  readonly holder: string;
  readonly epoch: number;
}

export interface LeaderTerm {
  readonly epoch: number;
  /** Where the previous term's last commit ended. */
  readonly lastSequence: number;
  /** Hash parts as of that commit; null before the first. */
  readonly stateParts: string | null;
}

/**
 * A statement of the core is planned once, perhaps while the tables are still empty, and must find its
 * rows by index for ever after: so the plans that suit small tables only are not to be considered.
 */
const CORE_SETTINGS = [
  'plan_cache_mode=force_generic_plan',
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'jit=off',
  `statement_timeout=${STATEMENT_MS_MAX}`,
];

/**
 * What the core's connections are for: the writer holds the lock and commits, the reader looks up what batches
 * need, the projector writes the tables.
 */
export type CoreConnection = 'writer' | 'reader' | 'projector';

/**
 * The tables are written after the journal that they follow, so no order waits for their way to the disk; where a
 * crash of the server takes a window back, it takes the cursor back, too.
 */
const DURABILITY: Readonly<Record<CoreConnection, readonly string[]>> = {
  writer: ['synchronous_commit=on'],
  reader: [],
  projector: ['synchronous_commit=off'],
};

/** Makes the connections of one process; each may break at any time without further notice than its `end` event. */
export type ConnectCore = (connection: CoreConnection) => Promise<PrimaryClient>;

export function connectTo(url: string): ConnectCore {
  return (connection) => connectCore(url, connection);
}

export async function connectCore(url: string, connection: CoreConnection): Promise<PrimaryClient> {
  const client = new PrimaryClient({
    connectionString: url,
    application_name: `tradepost-${connection}`,
    keepAlive: true,
    connectionTimeoutMillis: 5_000,
    query_timeout: STATEMENT_MS_MAX,
    options: [...CORE_SETTINGS, ...DURABILITY[connection]].map((setting) => `-c ${setting}`).join(' '),
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    void disconnect(client);
    throw error;
  }
}

/** Ends a connection, and with it whatever it locks, in bounded time. */
export async function disconnect(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => undefined);
  await Promise.race([ended, delay(GOODBYE_MS_MAX, undefined, { ref: false })]);
}

/** Keeps everybody from leading until the connection ends; false where somebody leads. */
export async function tryLockLead(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
    LOCK_KEY,
  ]);
  return rows[0]!.locked;
}

/**
 * Tries to start a term on this connection. Null while another process leads; one whose lease has run
 * out although its connection lives (a frozen process, a lost network) is disconnected, and so is an
 * earlier connection of this very process, the `former` holder, which the server may believe to be alive. The lease of one whose
 * commit takes long runs out, too, but its connection is at work: it is left alone. One that was frozen
 * while its statement ran has an idle connection as soon as that statement is done.
 */
export async function tryTakeOver(
  client: pg.Client,
  holder: string,
  former: string | null = null,
): Promise<LeaderTerm | null> {
  if (!(await tryLockLead(client))) {
    await client.query(
      `SELECT pg_terminate_backend(backend_pid) FROM core_leader JOIN pg_stat_activity ON pid = backend_pid
       WHERE (holder = $2 OR lease_until < clock_timestamp() AND coalesce(
           CASE WHEN state = 'active' THEN query_start < clock_timestamp() - $3 * interval '1 millisecond'
             ELSE state_change < clock_timestamp() - $4 * interval '1 millisecond' END, true))
         AND backend_pid IN (
           SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = $1 AND granted)`,
      [LOCK_KEY, former, STATEMENT_MS_MAX, SILENT_MS_MAX],
    );
    return null;
  }
  const term = await client.query<{ epoch: string; last_sequence: string; state_parts: string | null }>(
    `UPDATE core_leader
     SET epoch = epoch + 1, backend_pid = pg_backend_pid(), holder = $1,
         lease_until = clock_timestamp() + $2 * interval '1 millisecond', backend_epoch = epoch + 1,
         backend_start = (SELECT backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid())
     RETURNING epoch, last_sequence, state_parts`,
    [holder, LOADING_LEASE_MS],
  );
  invariant(term.rows.length === 1, 'there is one row of who leads', term.rows.length);
  const { epoch, last_sequence, state_parts } = term.rows[0]!;
  return { epoch: Number(epoch), lastSequence: Number(last_sequence), stateParts: state_parts };
}

/**
 * Who leads on this database. Null where nobody has the lock, or a connection that is not the one of the row: a copy of
 * the database names the leader of the original until somebody leads on the copy. Only the process id is compared
 * where a version of before leads, or where this role may not see more of the connection.
 */
export async function findLeader(pool: pg.Pool): Promise<Leader | null> {
  const { rows } = await pool.query<{ holder: string; epoch: string }>(
    `SELECT holder, epoch FROM core_leader leader JOIN pg_stat_activity connection ON connection.pid = backend_pid
     WHERE backend_pid IN (
         SELECT pid FROM pg_locks JOIN pg_database ON oid = database
         WHERE datname = current_database() AND locktype = 'advisory' AND objid = $1 AND granted)
       AND (backend_epoch IS DISTINCT FROM epoch OR connection.backend_start IS NULL
         OR leader.backend_start = connection.backend_start)`,
    [LOCK_KEY],
  );
  const [row] = rows;
  return row === undefined ? null : { holder: row.holder, epoch: Number(row.epoch) };
}

/**
 * The installation that the database belongs to: all processes that ever led on it. A restored copy is another one. Where
 * it has none yet, it gets the one that is given; null where there is none either.
 */
export async function installationOf(pool: pg.Pool, given: string | null): Promise<string | null> {
  if (given !== null)
    await pool.query('INSERT INTO installation (installation_id) VALUES ($1) ON CONFLICT DO NOTHING', [
      given,
    ]);
  const { rows } = await pool.query<{ installation_id: string }>('SELECT installation_id FROM installation');
  return rows[0]?.installation_id ?? null;
}

/** Extends the lease where no commit did; false when another process leads by now. */
export async function renewLease(client: pg.Client, epoch: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `UPDATE core_leader SET lease_until = clock_timestamp() + $2 * interval '1 millisecond' WHERE epoch = $1`,
    [epoch, LEASE_MS],
  );
  return rowCount === 1;
}

/**
 * Whether a commit whose answer was lost became durable. Ending the term first waits until the old
 * backend has finished its transaction one way or the other, and makes sure that a statement which
 * still lies in its network buffer finds its fence closed.
 */
export async function wasCommitted(
  connect: ConnectCore,
  epoch: number,
  lastSequence: number,
): Promise<boolean> {
  const client = await connect('writer');
  try {
    await client.query('UPDATE core_leader SET epoch = epoch + 1 WHERE epoch = $1', [epoch]);
    const { rowCount } = await client.query(
      'SELECT 1 FROM journal_commits WHERE last_sequence = $2 AND epoch = $1',
      [epoch, lastSequence],
    );
    return rowCount === 1;
  } finally {
    await disconnect(client);
  }
}
