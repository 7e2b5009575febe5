import pg from 'pg';
import { asksForPrimary, databaseHosts } from '../config/database-hosts.js';
import { NoPrimary, type Primary, PrimaryHosts } from './primary-hosts.js';

/** SQLSTATE of a write to a server that became read-only or a standby. */
const READ_ONLY = '25006';
/** Parameters that PostgreSQL, from 14 on, reports when a connection begins and whenever they change. */
const REPORTED = ['in_hot_standby', 'default_transaction_read_only'];

/**
 * Every connection of the service, pooled or not, is one of these. If its address names several servers, it connects to
 * the writable one, and closes when another one is promoted; its holder reconnects, as after any lost connection.
 *
 * A connection lost in use fails the current query. Between two queries, and before the first, no other listener
 * exists, and the `error` event would end the process: so this class listens.
 */
export class PrimaryClient extends pg.Client {
  private readonly hosts: PrimaryHosts | null;
  private readonly readOnly = new Set<string>();
  private isConnected = false;
  private isOver = false;

  constructor(config: pg.ClientConfig = {}) {
    const { connectionString: url = '' } = config;
    const hosts = databaseHosts(url) ?? [];
    const isOne = hosts.length < 2;
    super(isOne ? config : { ...config, connectionString: hosts[0]!.url });
    this.hosts = asksForPrimary(url) ? PrimaryHosts.of(url, hosts) : null;
    this.on('error', () => undefined);
    this.connection.on('errorMessage', ({ code }: { code?: string }) => {
      // The query gets its error first.
      if (code === READ_ONLY) setImmediate(() => this.cut('the server takes no writes any more'));
    });
    this.connection.on('parameterStatus', this.noteStatus);
  }

  override connect(): Promise<void>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<void> | undefined {
    const connected = this.hosts === null ? super.connect() : this.connectToPrimary(this.hosts);
    if (callback === undefined) return connected;
    // Outside the promise, which would swallow what the callback throws. pg passes null, though its types do not say
    // so.
    connected.then(
      () => process.nextTick(callback, null),
      (error: unknown) => process.nextTick(callback, error),
    );
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    this.isOver = true;
    if (callback === undefined) return super.end();
    super.end(callback);
    return undefined;
  }

  /**
   * Closes the connection at once, as if it were lost; the current query fails, even if its answer has just arrived.
   */
  cut(reason: string): void {
    this.connection.emit('error', new Error(`Connection terminated: ${reason}`));
    this.connection.stream.destroy();
  }

  private async connectToPrimary(hosts: PrimaryHosts): Promise<void> {
    const primary = await hosts.primary();
    if (this.isOver) throw new Error('Connection terminated');
    const { host, port } = new pg.Client({ connectionString: primary.host.url });
    this.host = host;
    this.port = port;
    hosts.follow(this, primary);
    this.once('end', () => {
      hosts.unfollow(this);
      if (!this.isOver) hosts.doubt(primary);
    });
    try {
      await super.connect();
      this.requireWritable(primary);
      this.isConnected = true;
    } catch (error) {
      hosts.unfollow(this);
      hosts.doubt(primary);
      throw error;
    }
  }

  private requireWritable({ host }: Primary): void {
    if (this.readOnly.size === 0) return;
    void this.end();
    throw new NoPrimary(`${host.name} takes no writes any more`, '08001');
  }

  private readonly noteStatus = (status: { parameterName: string; parameterValue: string }): void => {
    const { parameterName: name, parameterValue: value } = status;
    if (this.hosts === null || !REPORTED.includes(name)) return;
    if (value === 'on') this.readOnly.add(name);
    else this.readOnly.delete(name);
    if (value === 'on' && this.isConnected) this.cut('the server takes no writes any more');
  };
}

/** Spread it into the options of a TypeORM data source. */
export function typeOrmServer(url: string): { url: string; extra: Record<string, unknown> } {
  return {
    // TypeORM parses the address only for the database's name, and cannot parse one with several servers.
    url: databaseHosts(url)?.[0]?.url ?? url,
    extra: { connectionString: url, Client: PrimaryClient },
  };
}
