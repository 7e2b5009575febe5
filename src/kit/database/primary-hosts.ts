/**
 * Finds the primary among the servers of `DATABASE_URL`. After a promotion the old primary may come back and still
 * accept writes. The timeline, which every promotion increments, distinguishes them.
 */
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DatabaseHost } from '../config/database-hosts.js';

/** A server that does not answer in this time counts as down. */
const ANSWER_MS_MAX = 2_000;
/** After one server says that it is writable, the others have this long to report a later timeline. */
const OTHERS_MS_MAX = 300;
/** How often to check for a promotion, while connections are open. */
const LOOK_EVERY_MS = 2_000;
/** SQLSTATE of class 08: no connection; a retry may succeed. */
const NO_CONNECTION = '08001';

export interface Primary {
  readonly host: DatabaseHost;
  readonly timeline: number;
}

/** A server's state; `timeline` is null if it takes no writes. */
interface Standing {
  readonly host: DatabaseHost;
  readonly timeline: number | null;
  readonly says: string;
  readonly code: string;
}

/** A connection to the primary, which must be cut when another server becomes primary. */
interface Follower {
  cut(reason: string): void;
}

/** No server takes writes now. The message names servers, never passwords. */
export class NoPrimary extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/** The servers of one address, shared by all connections of the process to it. */
export class PrimaryHosts {
  private static readonly ofUrl = new Map<string, PrimaryHosts>();

  private known: Primary | null = null;
  private searching: Promise<Primary> | null = null;
  private timelineSeen = 0;
  private readonly followers = new Map<Follower, Primary>();
  private lookout: NodeJS.Timeout | undefined;

  private constructor(private readonly hosts: readonly DatabaseHost[]) {}

  /** `hosts` are those of the address. */
  static of(url: string, hosts: readonly DatabaseHost[]): PrimaryHosts {
    let found = PrimaryHosts.ofUrl.get(url);
    if (found === undefined) PrimaryHosts.ofUrl.set(url, (found = new PrimaryHosts(hosts)));
    return found;
  }

  /**
   * The last known primary, or else the one found now.
   * @throws NoPrimary
   */
  primary(): Promise<Primary> {
    return this.known === null ? this.search() : Promise.resolve(this.known);
  }

  /** Call it after a failed or lost connection: the next caller searches again. */
  doubt(primary: Primary): void {
    if (this.known === primary) this.known = null;
  }

  /** From now on the connection is cut when another server is promoted. */
  follow(follower: Follower, primary: Primary): void {
    this.followers.set(follower, primary);
    this.lookout ??= setInterval(() => void this.search().catch(() => undefined), LOOK_EVERY_MS).unref();
  }

  unfollow(follower: Follower): void {
    this.followers.delete(follower);
    if (this.followers.size > 0) return;
    clearInterval(this.lookout);
    this.lookout = undefined;
  }

  private search(): Promise<Primary> {
    this.searching ??= this.find().finally(() => (this.searching = null));
    return this.searching;
  }

  private async find(): Promise<Primary> {
    const standings = await this.askAll();
    const [first] = standings
      .filter((standing) => (standing.timeline ?? 0) >= Math.max(1, this.timelineSeen))
      .sort((one, other) => other.timeline! - one.timeline! || this.rank(one) - this.rank(other));
    if (first === undefined) throw this.noPrimary(standings);
    return this.settle(first.host, first.timeline!);
  }

  private async askAll(): Promise<readonly Standing[]> {
    const standings: Standing[] = [];
    await new Promise<void>((resolve) => {
      for (const host of this.hosts) {
        void ask(host).then((standing) => {
          standings.push(standing);
          if (standings.length === this.hosts.length) resolve();
          else if (standing.timeline !== null) setTimeout(resolve, OTHERS_MS_MAX);
        });
      }
    });
    return [...standings];
  }

  /** On the same timeline the current server wins, then the order of the address. */
  private rank({ host }: Standing): number {
    return host === this.known?.host ? -1 : this.hosts.indexOf(host);
  }

  private settle(host: DatabaseHost, timeline: number): Primary {
    if (this.known?.host === host && this.known.timeline === timeline) return this.known;
    if (timeline > this.timelineSeen && this.timelineSeen > 0)
      new Logger('Database').warn(
        `${host.name} was promoted and takes the writes now (timeline ${timeline})`,
      );
    this.timelineSeen = timeline;
    const primary = { host, timeline };
    this.known = primary;
    for (const [follower, old] of this.followers) {
      if (old.timeline < timeline) follower.cut(`${host.name} was promoted in place of ${old.host.name}`);
    }
    return primary;
  }

  private noPrimary(standings: readonly Standing[]): NoPrimary {
    const says = standings.map((standing) =>
      standing.timeline === null
        ? `${standing.host.name} ${standing.says}`
        : `${standing.host.name} is on timeline ${standing.timeline}, before the promotion to ${this.timelineSeen}`,
    );
    // A wrong password or name is reported first: the other errors may pass by themselves.
    const code = standings.find((standing) => /^(28|3D)/.test(standing.code))?.code ?? NO_CONNECTION;
    return new NoPrimary(`no server takes writes: ${says.sort().join(', ')}`, code);
  }
}

async function ask(host: DatabaseHost): Promise<Standing> {
  const client = new pg.Client({
    connectionString: host.url,
    application_name: 'tradepost-lookout',
    connectionTimeoutMillis: ANSWER_MS_MAX,
    query_timeout: ANSWER_MS_MAX,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ standby: boolean; read_only: boolean; wal: string | null }>(
      `SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS read_only,
         CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_walfile_name(pg_current_wal_lsn()) END AS wal`,
    );
    const { standby, read_only, wal } = rows[0]!;
    const says = standby ? 'is a standby' : 'is read-only';
    // A WAL segment's name begins with its timeline, in eight hexadecimal digits.
    const timeline = standby || read_only ? null : Number.parseInt(wal!.slice(0, 8), 16);
    return { host, timeline, says, code: '' };
  } catch (error) {
    const { message, code = '' } = error as { message: string; code?: string };
    return { host, timeline: null, says: `cannot be asked (${message || code})`, code };
  } finally {
    // A frozen server never confirms the end.
    client.end().catch(() => undefined);
    setTimeout(() => client.connection.stream.destroy(), ANSWER_MS_MAX).unref();
  }
}
