import { TradepostModule } from '../../module/tradepost-module.js';
import { AnswerTransaction } from './answer-transaction.js';
import { IdempotencyKeys, OLD_IDEMPOTENCY_KEYS } from './idempotency-keys.js';

/** Idempotency for `@Idempotent()` routes of every module; needs the database. */
@TradepostModule({
  name: 'idempotency',
  purges: [OLD_IDEMPOTENCY_KEYS],
  providers: [IdempotencyKeys, AnswerTransaction],
  exports: [IdempotencyKeys, AnswerTransaction],
})
export class IdempotencyModule {}
