/**
 * Which of the servers that `DATABASE_URL` names is the primary. After a promotion that is another one, and the old
 * one may come back and believe that it still is: the timeline, which every promotion counts up, tells them apart.
 */
import { Logger } from '@nestjs/common';
import pg from 'pg';
import type { DatabaseHost } from '../config/database-hosts.js';

/** A server that does not say in this time what it is counts as gone. */
const ANSWER_MS_MAX = 2_000;
/** Once one takes writes, the others have this long to say that they were promoted after it. */
const OTHERS_MS_MAX = 300;
/** How often it is looked whether another server was promoted, while connections are open. */
const LOOK_EVERY_MS = 2_000;
/** SQLSTATE of class 08: there is no connection, and a next try may have more luck. */
const NO_CONNECTION = '08001';

export interface Primary {
  readonly host: DatabaseHost;
  readonly timeline: number;
}

/** What a server says of itself; `timeline` is null where it takes no writes. */
interface Standing {
  readonly host: DatabaseHost;
  readonly timeline: number | null;
  readonly says: string;
  readonly code: string;
}

/** A connection to the primary, which ends when another server takes its place. */
interface Follower {
  cut(reason: string): void;
}

/** No server takes writes at the moment. Its message names servers, never passwords. */
export class NoPrimary extends Error {
  constructor(
    message: string,
    readonly code: string,
  ) {
    super(message);
  }
}

/** The servers of one address, for all connections of the process to it. */
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
   * The last known one, or else the one that is found now.
   * @throws NoPrimary
   */
  primary(): Promise<Primary> {
    return this.known === null ? this.search() : Promise.resolve(this.known);
  }

  /** It could not be connected to, or ended a connection: the next one asks anew. */
  doubt(primary: Primary): void {
    if (this.known === primary) this.known = null;
  }

  /** From now on the connection is cut when another server was promoted. */
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

  /** Of two on one timeline the one in use stays, then the order of the address decides. */
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
    // A wrong password or name comes before what may pass by itself.
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
    // A segment of the log is named by its timeline first, in eight hexadecimal digits.
    const timeline = standby || read_only ? null : Number.parseInt(wal!.slice(0, 8), 16);
    return { host, timeline, says, code: '' };
  } catch (error) {
    const { message, code = '' } = error as { message: string; code?: string };
    return { host, timeline: null, says: `cannot be asked (${message || code})`, code };
  } finally {
    // A frozen server says no goodbye.
    client.end().catch(() => undefined);
    setTimeout(() => client.connection.stream.destroy(), ANSWER_MS_MAX).unref();
  }
}
