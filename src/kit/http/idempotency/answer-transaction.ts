import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { IdempotencyKeys, type Claim } from './idempotency-keys.js';

/** A request with an `Idempotency-Key`, while its handler runs. */
export interface RunningRequest {
  readonly claim: Claim;
  /** The response status, which Nest sets before it calls the handler. */
  readonly status: number;
  /** Whether the answer was committed together with the handler's effect. */
  recorded: boolean;
}

/** The current request, if it has a key. */
export const runningRequest = new AsyncLocalStorage<RunningRequest>();

/**
 * Runs transactions whose result is the answer: if the request has an `Idempotency-Key`, the same transaction stores
 * the answer. So an `@Idempotent()` route without outside effects runs exactly once per key, even if the process dies.
 */
@Injectable()
export class AnswerTransaction {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly keys: IdempotencyKeys,
  ) {}

  /** Whether the current request has a key, so that its answer must be stored in such a transaction. */
  get isNeeded(): boolean {
    return runningRequest.getStore() !== undefined;
  }

  /**
   * Runs `work` in a transaction (READ COMMITTED) and commits its result as the answer's body: return it unchanged, and
   * call this at most once in a request. Rejects as `work` does, and with `idempotency_in_progress` (409) and a
   * rollback if a repeat has taken over the claim.
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
