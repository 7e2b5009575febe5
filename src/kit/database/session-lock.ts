import { type LockKey, tryLockSession } from './advisory-locks.js';
import { PrimaryClient } from './primary-client.js';
import { leaseSession } from './session-lease.js';

export interface SessionLockOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly key: LockKey;
}

/**
 * A right that one process holds at a time: an advisory lock on its own connection. It becomes free at once if the
 * process dies, and after some seconds if it freezes. A process that loses the connection may go on for a moment while
 * the next one has the lock, so work under it must be idempotent.
 */
export class SessionLock {
  private client: PrimaryClient | undefined;
  private isHeld = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: SessionLockOptions) {}

  /** Resolves when the lock that was taken last is lost or released. */
  get lost(): Promise<void> {
    return this.ended;
  }

  /**
   * Whether this process holds the lock, newly or still. It does not wait for the lock; it keeps a connection for the
   * next attempt until `release`.
   */
  async take(): Promise<boolean> {
    if (this.isHeld) return true;
    const client = this.client ?? this.open();
    try {
      if (client !== this.client) {
        await client.connect();
        this.client = client;
      }
      if (!(await tryLockSession(client, this.options.key))) return false;
      await leaseSession(client);
    } catch (error) {
      this.forget(client);
      await client.end().catch(() => undefined);
      throw error;
    }
    // The lock may have been lost already.
    this.isHeld = this.client === client;
    return this.isHeld;
  }

  /** Releases the lock and closes the connection. */
  async release(): Promise<void> {
    const { client } = this;
    if (client === undefined) return;
    this.forget(client);
    await client.end().catch(() => undefined);
  }

  private open(): PrimaryClient {
    const { url, applicationName } = this.options;
    const client = new PrimaryClient({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
      keepAlive: true,
    });
    this.ended = new Promise((resolve) => {
      client.once('end', () => {
        this.forget(client);
        resolve();
      });
    });
    return client;
  }

  private forget(client: PrimaryClient): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.isHeld = false;
  }
}
