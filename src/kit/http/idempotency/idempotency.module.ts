import { Module } from '@nestjs/common';
import { Purges } from '../../jobs/purges.js';
import { AnswerTransaction } from './answer-transaction.js';
import { IdempotencyKeys, OLD_IDEMPOTENCY_KEYS } from './idempotency-keys.js';

/** Idempotency for `@Idempotent()` routes of every module; needs the database. */
@Module({
  providers: [IdempotencyKeys, AnswerTransaction],
  exports: [IdempotencyKeys, AnswerTransaction],
})
export class IdempotencyModule {
  constructor(purges: Purges) {
    purges.add(OLD_IDEMPOTENCY_KEYS);
  }
}
