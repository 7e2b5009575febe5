import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type pg from 'pg';
import type { DataSource, EntityManager } from 'typeorm';
import { CodedError } from '../../kit/coded-error.js';
import type { DatabaseHost } from '../../kit/config/database-hosts.js';
import { managerOn } from '../../kit/database/manager-on.js';
import { StandbyConnections } from '../../kit/database/standby-connections.js';
import { monotonicMs } from '../clock/command-clock.js';
import { hasReached, databaseIdentityOf, type ReadMark } from './read-mark.js';

/** A standby that has not replayed so far by then is not waited for: the primary serves. */
const REPLAY_MS_MAX = 50;
const ASK_EVERY_MS = 5;
/** A standby that does not say in this time how far it is counts as gone. */
const ANSWER_MS_MAX = 250;
const PROBE_MS_MAX = 1_000;

/** A standby that is read as long as it answers and keeps up. */
export class ReadStandby {
  private readonly logger = new Logger('ReadStandby');
  private readonly connections: StandbyConnections;
  private isUsed = false;
  /** Why it is not, as it was logged last. */
  private loggedReason = '';
  private isEnded = false;

  constructor(
    private readonly host: DatabaseHost,
    private readonly dataSource: DataSource,
  ) {
    this.connections = new StandbyConnections(host);
  }

  get isServing(): boolean {
    return this.isUsed;
  }

  /**
   * Runs the work here once all that the mark says is to be seen; null where it could not be, so that the primary
   * must serve.
   * @throws CodedError as the work does
   */
  async read<Result>(
    mark: ReadMark,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<{ readonly result: Result } | null> {
    try {
      return await this.connections.use(async (client) => {
        if (await isThere(client, mark)) return { result: await work(managerOn(this.dataSource, client)) };
        // The next probe says so, where it has not caught up until then.
        this.isUsed = false;
        return null;
      });
    } catch (error) {
      if (error instanceof CodedError) throw error;
      this.leave(error);
      return null;
    }
  }

  /** Looks whether a standby that does not serve can do so by now. `identity` is that of the primary. */
  async probe(mark: ReadMark, identity: string): Promise<void> {
    try {
      await this.connections.useOnce(async (client) => {
        if ((await databaseIdentityOf(client)) !== identity) throw new Error('it is no copy of the database');
        if (!(await hasReached(client, mark, PROBE_MS_MAX))) throw new Error('it is behind');
      });
      this.serve();
    } catch (error) {
      this.log(error);
    }
  }

  async end(): Promise<void> {
    this.isEnded = true;
    this.isUsed = false;
    await this.connections.end();
  }

  private serve(): void {
    if (this.isEnded) return;
    this.isUsed = true;
    if (this.loggedReason !== '') this.logger.log(`${this.host.name} serves reads again`);
    this.loggedReason = '';
  }

  /** The first of the reads that fail together does so for all of them. */
  private leave(error: unknown): void {
    if (!this.isUsed) return;
    this.isUsed = false;
    this.connections.renew();
    this.log(error);
  }

  private log(error: unknown): void {
    const { message, code } = error as { message: string; code?: string };
    const reason = message || String(code);
    if (this.isEnded || reason === this.loggedReason) return;
    this.loggedReason = reason;
    this.logger.warn(`${this.host.name} serves no reads, the primary does: ${reason}`);
  }
}

async function isThere(client: pg.ClientBase, mark: ReadMark): Promise<boolean> {
  const deadlineMs = monotonicMs() + REPLAY_MS_MAX;
  while (!(await hasReached(client, mark, ANSWER_MS_MAX))) {
    if (monotonicMs() > deadlineMs) return false;
    await delay(ASK_EVERY_MS);
  }
  return true;
}
