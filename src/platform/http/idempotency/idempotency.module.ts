import { Global, Module } from '@nestjs/common';
import { AnswerTransaction } from './answer-transaction.js';
import { IdempotencyKeys } from './idempotency-keys.js';

/** What `@Idempotent()` routes of every module stand on; needs the database. */
@Global()
@Module({
  providers: [IdempotencyKeys, AnswerTransaction],
  exports: [IdempotencyKeys, AnswerTransaction],
})
export class IdempotencyModule {}
