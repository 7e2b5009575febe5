import { PrimaryClient } from '../../../platform/database/primary-client.js';
import { leaseSession } from '../../../platform/database/session-lease.js';

/** "chai" in ASCII: the first half of the advisory lock's key; the chain's name makes the second. */
const LOCK_SPACE = 0x63686169;

/**
 * The right to work on a chain, which one process has at a time. It is held on a connection of its own, so
 * that it is free again once the process is gone, or has stood still for some seconds. It only saves work and confusion: that nothing is signed or
 * credited twice is up to the tables.
 */
export class ChainLock {
  private client: PrimaryClient | undefined;

  constructor(
    private readonly url: string,
    private readonly chain: string,
  ) {}

  /** Whether this process has it, now or still. */
  async take(): Promise<boolean> {
    if (this.client !== undefined) return true;
    const client = new PrimaryClient({
      connectionString: this.url,
      application_name: 'tradepost-chain',
      connectionTimeoutMillis: 5_000,
      query_timeout: 10_000,
      keepAlive: true,
    });
    const forget = (): void => {
      if (this.client === client) this.client = undefined;
    };
    client.on('error', forget).on('end', forget);
    try {
      await client.connect();
      const { rows } = await client.query<{ locked: boolean }>(
        'SELECT pg_try_advisory_lock($1, hashtext($2)) AS locked',
        [LOCK_SPACE, this.chain],
      );
      if (rows[0]!.locked) {
        await leaseSession(client);
        this.client = client;
        return true;
      }
    } catch (error) {
      await client.end().catch(() => undefined);
      throw error;
    }
    await client.end();
    return false;
  }

  async release(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    await client?.end().catch(() => undefined);
  }
}
