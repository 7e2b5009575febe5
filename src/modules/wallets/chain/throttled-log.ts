import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ChainMoved, ChainUnavailable } from '../chains/chain-connector.js';

const SAID_AGAIN_AFTER_MS = 10 * 60_000;
const REMEMBERED_MAX = 1_000;

type Details = Readonly<Record<string, string | number>>;

/** A log for frequent retries: the same message is logged again only after a while. */
export class ThrottledLog {
  private readonly logger = new Logger('Chain');
  private readonly said = new LRUCache<string, true>({ max: REMEMBERED_MAX, ttl: SAID_AGAIN_AFTER_MS });

  warn(details: Details, msg: string): void {
    if (this.isNew(details, msg)) this.logger.warn({ ...details, msg });
  }

  error(details: Details, msg: string, error?: unknown): void {
    const cause = error instanceof Error ? error.message : '';
    if (this.isNew(details, msg + cause))
      this.logger.error({ ...details, ...(error !== undefined && { err: error }), msg });
  }

  /**
   * Runs one of several independent tasks: its error is logged and does not stop the others. An error of the chain
   * itself affects all of them, so it is rethrown.
   */
  async unlessChainFails(which: Details, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (isChainFailure(error)) throw error;
      this.error(which, 'a piece of work on a chain failed; trying again later', error);
    }
  }

  private isNew(details: Details, message: string): boolean {
    const key = JSON.stringify([details, message]);
    if (this.said.has(key)) return false;
    this.said.set(key, true);
    return true;
  }
}

/** Whether it may be different the next time, without anybody having done anything. */
export function isChainFailure(error: unknown): boolean {
  return error instanceof ChainUnavailable || error instanceof ChainMoved;
}
