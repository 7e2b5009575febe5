import { Inject, Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import type { CommittedBatch } from '../../../core/core.types.js';
import { NOBODY } from '../../../core/commit-listeners.js';
import { IdleWork } from '../../../core/idle-work.js';
import { type Amount, amount } from '../../../domain/money/amount.js';
import { PG_POOL } from '../../../platform/database/pg-pool.js';
import { ApiError } from '../../../platform/http/errors.js';

/** A stretch of the ledger sequence, at whose end balances are marked: what a look-up may have to read through. */
const STRETCH = 65_536;
/** How many stretches a reader waits for before it is refused and must retry. */
const STRETCHES_PER_READ_MAX = 10;
/** How many stretches may wait while the writer is busy. */
const STRETCHES_BEHIND_MAX = 30;
export const MARKS_CURSOR = 'balance_marks';

/**
 * The marks of the stretches between two ends of stretches. Every transfer tells the balances after it, so the last one of
 * a stretch is all that counts.
 */
export const marksBetween = (after: string, until: string): string => `
  WITH entries AS (
    SELECT account_id, asset, ((transfer_id - 1) / ${STRETCH} + 1) * ${STRETCH} AS sequence, transfer_id, balance
    FROM transfers
    CROSS JOIN LATERAL (
      VALUES (debit_account_id, debit_balance_after), (credit_account_id, credit_balance_after)
    ) AS sides (account_id, balance)
    WHERE transfer_id > ${after} AND transfer_id <= ${until}
  )
  SELECT DISTINCT ON (account_id, asset, sequence) account_id, asset, sequence, balance
  FROM entries ORDER BY account_id, asset, sequence, transfer_id DESC`;

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
  WITH later AS (
    SELECT debit_account_id AS account_id, asset, transfer_id, debit_balance_after AS balance
    FROM transfers WHERE debit_account_id = $1 AND transfer_id > $3 AND transfer_id <= $4
    UNION ALL
    SELECT credit_account_id, asset, transfer_id, credit_balance_after
    FROM transfers WHERE credit_account_id = $1 AND transfer_id > $3 AND transfer_id <= $4
  ), latest AS (
    SELECT DISTINCT ON (asset) asset, balance FROM later ORDER BY asset, transfer_id DESC
  )
  SELECT wanted.asset, coalesce(latest.balance, mark.balance, 0)::text AS balance
  FROM unnest($2::text[]) AS wanted (asset)
  LEFT JOIN latest USING (asset)
  LEFT JOIN LATERAL (
    SELECT balance FROM balance_marks
    WHERE account_id = $1 AND asset = wanted.asset AND sequence <= $3
    ORDER BY sequence DESC LIMIT 1
  ) AS mark ON latest.asset IS NULL`;

/** What accounts had at any past moment, in a time that does not grow with their history. */
@Injectable()
export class BalanceHistory implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(BalanceHistory.name);
  private unsubscribe: () => void = () => undefined;
  /** Up to where balances are marked, as far as this process knows. */
  private markedUpTo = 0;
  private running: Promise<void> | null = null;
  private readonly idleWork: IdleWork;
  private lastSequence = 0;

  constructor(
    private readonly core: CoreService,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {
    this.idleWork = new IdleWork(core, () => this.stepInBackground());
  }

  onModuleInit(): void {
    const note = ({ lastSequence }: CommittedBatch): void => {
      this.lastSequence = lastSequence;
      const behind = lastSequence - this.markedUpTo;
      if (behind >= STRETCH) this.idleWork.request();
      if (behind >= STRETCH * STRETCHES_BEHIND_MAX && this.running === null) void this.stepInBackground();
    };
    this.unsubscribe = this.core.onCommitted(note, NOBODY);
  }

  async onModuleDestroy(): Promise<void> {
    this.unsubscribe();
    this.idleWork.stop();
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

  /** One stretch; answers whether another one is over already. */
  private async stepInBackground(): Promise<boolean> {
    try {
      await this.step(this.lastSequence);
    } catch (error) {
      this.logger.warn({ err: error, msg: 'balances will be marked later' });
      return false;
    }
    return this.lastSequence - this.markedUpTo >= STRETCH;
  }

  private async markUpTo(sequence: number): Promise<void> {
    for (let step = 0; sequence - this.markedUpTo >= STRETCH; step++) {
      if (step === STRETCHES_PER_READ_MAX) {
        throw new ApiError(
          'temporarily_unavailable',
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
  }

  private async cursor(): Promise<number> {
    const { rows } = await this.pool.query<{ sequence: string }>(
      `INSERT INTO journal_cursors (name, sequence) VALUES ('${MARKS_CURSOR}', 0)
       ON CONFLICT (name) DO UPDATE SET sequence = journal_cursors.sequence RETURNING sequence`,
    );
    return Number(rows[0]!.sequence);
  }
}
