import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { AcceptQuote } from '../../../domain/engine/commands.js';
import type { Side } from '../../../domain/engine/types.js';
import { amount, formatAmount } from '../../../domain/money/amount.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { GroupCommit } from '../../../kit/database/group-commit.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { QUOTE_NOT_FOUND } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Principal } from '../../../kit/security/principal.js';
import { tooManyWaiting } from './quote-writer.js';
import { QUOTE_IDS } from '../ids.js';

const QUOTES_PER_STATEMENT_MAX = 500;
const WAITING_MAX = 10_000;

/** Prepared once a connection, and without a look at what became of the quotes: the core knows that itself. */
const FIND = {
  name: 'find-quoted-terms',
  text: `SELECT quote_id, account_id, market_id, side, size_lots, notional, maker_fee_rate, taker_fee_rate,
      expires_at, expires_at <= clock_timestamp() AS is_expired
    FROM quotes WHERE quote_id = ANY ($1::text[])`,
};

interface TermsRow {
  readonly quote_id: string;
  readonly account_id: string;
  readonly market_id: string;
  readonly side: Side;
  readonly size_lots: string;
  readonly notional: string;
  readonly maker_fee_rate: string | null;
  readonly taker_fee_rate: string | null;
  readonly expires_at: Date;
  readonly is_expired: boolean;
}

/** Finds what a quote binds both sides to, fast: every acceptance begins with it. */
@Injectable()
export class QuotedTermsReader {
  /** Those that are asked for at the same time are read by one statement. */
  private readonly asked = new GroupCommit<string, TermsRow | undefined>(
    { batchMax: QUOTES_PER_STATEMENT_MAX, waitingMax: WAITING_MAX, refuse: tooManyWaiting },
    (take) => this.find(take()),
  );

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly access: AccountAccessService,
  ) {}

  /**
   * The command that accepts one of the principal's quotes, whichever of its accounts it is for, on the terms
   * that were quoted, fee rates included. A foreign quote answers exactly like one that does not exist. Throws
   * `quote_not_found`, and `forbidden` (403) where the role on the account does not allow to trade.
   */
  async acceptanceOf(principal: Principal, quoteId: string): Promise<AcceptQuote> {
    const row = QUOTE_IDS.parse(quoteId) === undefined ? undefined : await this.asked.add(quoteId);
    if (row === undefined || !(await this.access.reaches(principal, Number(row.account_id), 'trade')))
      throw quoteNotFound();
    return {
      type: 'accept_quote',
      accountId: Number(row.account_id),
      quoteId,
      marketId: row.market_id,
      side: row.side,
      sizeLots: Number(row.size_lots),
      notionalBound: decimal(row.notional),
      // The clock of the database decides, which the core's own may be a little behind.
      expiresAtMs: row.is_expired ? 0 : row.expires_at.getTime(),
      feeRates:
        row.maker_fee_rate === null || row.taker_fee_rate === null
          ? null
          : { maker: decimal(row.maker_fee_rate), taker: decimal(row.taker_fee_rate) },
    };
  }

  private async find(quoteIds: readonly string[]): Promise<(TermsRow | undefined)[]> {
    const { rows } = await this.pool.query<TermsRow>({ ...FIND, values: [quoteIds] });
    const found = new Map(rows.map((row) => [row.quote_id, row]));
    return quoteIds.map((quoteId) => found.get(quoteId));
  }
}

export function quoteNotFound(): ApiError {
  return new ApiError(QUOTE_NOT_FOUND, 'There is no such quote. See GET /quotes.');
}

/** A count of 10^-18, as the driver reads it, in the canonical form. */
function decimal(units: string): string {
  return formatAmount(amount(BigInt(units)));
}
