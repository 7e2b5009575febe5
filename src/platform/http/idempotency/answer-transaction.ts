import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { IdempotencyKeys, type Claim } from './idempotency-keys.js';

/** A request that came with an `Idempotency-Key`, while its handler runs. */
export interface RunningRequest {
  readonly claim: Claim;
  /** With which the answer goes out: Nest sets it before the handler is called. */
  readonly status: number;
  /** Whether the answer was committed together with what the handler did. */
  recorded: boolean;
}

/** The request that is being handled, where it came with a key. */
export const runningRequest = new AsyncLocalStorage<RunningRequest>();

/**
 * Transactions that know that their result is the answer: where the request came with an
 * `Idempotency-Key`, the answer is recorded in the transaction itself. So an `@Idempotent()` route that
 * changes nothing outside of it happens once per key, whenever the process may die.
 */
@Injectable()
export class AnswerTransaction {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly keys: IdempotencyKeys,
  ) {}

  /** Whether the running request came with a key, so that its answer needs such a transaction of its own. */
  get isNeeded(): boolean {
    return runningRequest.getStore() !== undefined;
  }

  /**
   * Runs `work` in a transaction (READ COMMITTED) and commits its result as the answer's body: hand it out as
   * it is, and run no more than one in a request. Rejects as `work` does, and with `idempotency_in_progress`
   * (409), all undone, where a repeat has taken this request's place.
   */
  async run<Answer>(work: (manager: EntityManager) => Promise<Answer>): Promise<Answer> {
    const running = runningRequest.getStore();
    if (running === undefined) return this.dataSource.transaction(work);
    const answer = await this.dataSource.transaction(async (manager) => {
      const body = await work(manager);
      await this.keys.record(
        running.claim,
        { status: running.status, body },
        async (statement, parameters) => {
          const [, count] = await manager.query<[unknown, number]>(statement, parameters);
          return count;
        },
      );
      return body;
    });
    running.recorded = true;
    return answer;
  }
}
