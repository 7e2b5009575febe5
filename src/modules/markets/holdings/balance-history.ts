import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { Pool } from 'pg';
import { monotonicMs } from '../../../core/command-clock.js';
import { CoreService } from '../../../core/core.service.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import { NOBODY } from '../../../core/commit-listeners.js';
import { Followers } from '../../../core/followers/followers.js';
import { entriesOf, transfersBetween } from '../../../core/tables/ledger-transfers.js';
import { type Amount, amount } from '../../../domain/money/amount.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';

/** A stretch of the ledger sequence, at whose end balances are marked: what a look-up may have to read through. */
export const STRETCH = 262_144;
/** How many stretches a reader waits for before it is refused and must retry. */
const STRETCHES_PER_READ_MAX = 4;
/** How soon a stretch is marked that could not be. */
const RETRY_MS = 1_000;
export const MARKS_CURSOR = 'balance_marks';

/**
 * The marks of the stretches between two ends of stretches. Every transfer tells the balances after it, so the last one of
 * a stretch is all that counts; the greatest pair is found without sorting the others.
 */
export const marksBetween = (after: string, until: string): string => `
  SELECT account_id, asset, ((transfer_id - 1) / ${STRETCH} + 1) * ${STRETCH} AS sequence,
    (max(ARRAY[transfer_id, balance]))[2] AS balance
  FROM (${transfersBetween({ after, until })}) AS transfers
  CROSS JOIN LATERAL (
    SELECT debit_account_id AS account_id, debit_balance_after AS balance
    UNION ALL SELECT credit_account_id, credit_balance_after
  ) AS sides
  GROUP BY account_id, asset, sequence ORDER BY account_id, asset, sequence`;

/**
 * Marks the balances that the next stretch changed and moves the cursor on, in one statement: the cursor's
 * row lock makes two of them take turns.
 */
const MARK = `
  WITH cursor AS (
    SELECT sequence FROM journal_cursors
    WHERE name = '${MARKS_CURSOR}' AND sequence + ${STRETCH} <= $1 FOR UPDATE
  ), marked AS (
    INSERT INTO balance_marks (account_id, asset, sequence, balance)
    ${marksBetween('(SELECT sequence FROM cursor)', `(SELECT sequence FROM cursor) + ${STRETCH}`)}
  )
  UPDATE journal_cursors SET sequence = cursor.sequence + ${STRETCH} FROM cursor
  WHERE name = '${MARKS_CURSOR}' RETURNING journal_cursors.sequence`;

/** For each asset the nearest mark before the moment, overruled by the last transfer between the two. */
const BALANCES_AT = `
  SELECT wanted.asset, coalesce(latest.balance, mark.balance, 0)::text AS balance
  FROM unnest($2::text[]) AS wanted (asset)
  LEFT JOIN LATERAL (
    SELECT CASE WHEN debit_account_id = account_id THEN debit_balance_after ELSE credit_balance_after END AS balance
    FROM (${entriesOf('= $1', { after: '$3::int8', until: '$4::int8' }, { order: 'DESC', limit: '1' }, 'wanted.asset')}) AS entry
  ) AS latest ON true
  LEFT JOIN LATERAL (
    SELECT balance FROM balance_marks
    WHERE account_id = $1 AND asset = wanted.asset AND sequence <= $3
    ORDER BY sequence DESC LIMIT 1
  ) AS mark ON latest.balance IS NULL`;

/** What accounts had at any past moment, in a time that does not grow with their history. */
@Injectable()
export class BalanceHistory implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private unsubscribe: () => void = () => undefined;
  /** Up to where balances are marked, as far as this process knows. */
  private markedUpTo = 0;
  private running: Promise<void> | null = null;
  private readonly loop = new BackgroundLoop(
    { name: 'BalanceHistory', everyMs: RETRY_MS, isFirstLater: true },
    () => this.markNext(),
  );
  /** Where stretches ended that are not marked yet, and when. */
  private ends: { readonly sequence: number; readonly atMs: number }[] = [];
  private lastEnd = 0;

  constructor(
    private readonly core: CoreService,
    @Inject(PG_POOL) private readonly pool: Pool,
    followers: Followers,
  ) {
    // Only past moments wait for it, which readers have it marked up to.
    followers.add({ name: 'balances', lagMs: () => this.lagMs, holdsWriter: false });
  }

  private get lagMs(): number {
    const [oldest] = this.ends;
    return oldest === undefined ? 0 : monotonicMs() - oldest.atMs;
  }

  onModuleInit(): void {
    this.unsubscribe = this.core.onCommitted((batch) => this.note(batch), NOBODY);
  }

  onApplicationBootstrap(): Promise<void> {
    return this.loop.begin();
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    await this.loop.end();
    await Promise.allSettled([this.running]);
  }

  /**
   * What the account had of each asset, available and held together, once everything up to the sequence was
   * done; zero where it had never had any. Throws `temporarily_unavailable` while much is to be marked.
   */
  async balancesAt(
    accountId: number,
    assets: readonly string[],
    sequence: number,
  ): Promise<ReadonlyMap<string, Amount>> {
    await this.markUpTo(sequence);
    const { rows } = await this.pool.query<{ asset: string; balance: string }>(BALANCES_AT, [
      accountId,
      assets,
      sequence - (sequence % STRETCH),
      sequence,
    ]);
    return new Map(rows.map((row) => [row.asset, amount(BigInt(row.balance))]));
  }

  private note({ lastSequence }: CommittedBatch): void {
    const end = lastSequence - (lastSequence % STRETCH);
    if (end === this.lastEnd) return;
    this.lastEnd = end;
    this.ends.push({ sequence: end, atMs: monotonicMs() });
    this.loop.request();
  }

  /** One stretch; answers whether another one is over already. */
  private async markNext(): Promise<boolean> {
    if (this.ends.length > 0) await this.step(this.lastEnd);
    return this.ends.length > 0;
  }

  private async markUpTo(sequence: number): Promise<void> {
    for (let step = 0; sequence - this.markedUpTo >= STRETCH; step++) {
      if (step === STRETCHES_PER_READ_MAX) {
        throw new ApiError(
          TEMPORARILY_UNAVAILABLE,
          'Balances of the past are being prepared. Try again in a few seconds.',
          { headers: { 'Retry-After': '2' } },
        );
      }
      await this.step(sequence);
    }
  }

  /** Marks the next stretch that is over by the sequence, or waits for the one that is being marked. */
  private step(sequence: number): Promise<void> {
    this.running ??= this.mark(sequence).finally(() => {
      this.running = null;
    });
    return this.running;
  }

  private async mark(sequence: number): Promise<void> {
    await this.core.projected();
    const { rows } = await this.pool.query<{ sequence: string }>(MARK, [sequence]);
    this.markedUpTo = rows[0] === undefined ? await this.cursor() : Number(rows[0].sequence);
    this.ends = this.ends.filter((end) => end.sequence > this.markedUpTo);
  }

  private async cursor(): Promise<number> {
    const { rows } = await this.pool.query<{ sequence: string }>(
      `INSERT INTO journal_cursors (name, sequence) VALUES ('${MARKS_CURSOR}', 0)
       ON CONFLICT (name) DO UPDATE SET sequence = journal_cursors.sequence RETURNING sequence`,
    );
    return Number(rows[0]!.sequence);
  }
}
