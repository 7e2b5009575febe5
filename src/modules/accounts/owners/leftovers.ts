import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import { LIVE } from '../../../core/state/state-queries.js';
import { unitsOf } from '../../../domain/market/units.js';
import { amount, formatAmount } from '../../../domain/money/amount.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { ApiError, type FieldError } from '../../../kit/http/errors.js';
import { ACCOUNT_IDS } from '../ids.js';
import { ACCOUNT_NOT_EMPTY } from '../../users/errors.js';

const LISTED_MAX = 100;
const NAMED_MAX = 5;

interface LeftRow {
  readonly account_id: string;
  readonly kind: 'balance' | 'position' | 'orders';
  /** An asset or a market. */
  readonly name: string;
  readonly total: string;
}

/** A position on a spot market is what was traded there; the money itself is in balances. */
const LEFT = `
  WITH own AS (SELECT account_id FROM accounts WHERE owner = $1)
  SELECT account_id, 'balance' AS kind, asset AS name, available + held AS total
    FROM own JOIN balances USING (account_id) WHERE available + held <> 0
  UNION ALL
  SELECT account_id, 'position', market_id, size_lots
    FROM own JOIN positions USING (account_id) JOIN markets USING (market_id)
   WHERE kind = 'event' AND status <> 'settled' AND size_lots <> 0
  UNION ALL
  SELECT account_id, 'orders', market_id, count(*)
    FROM own JOIN orders USING (account_id) WHERE ${LIVE} GROUP BY account_id, market_id
  ORDER BY 1, 2, 3 LIMIT ${LISTED_MAX}`;

/** What the accounts of somebody hold, which would be out of reach if nobody could log in for them. */
@Injectable()
export class Leftovers {
  constructor(
    private readonly core: CoreService,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** Throws `account_not_empty` (409), with a list of what is left. */
  async requireNone(owner: string): Promise<void> {
    await this.core.projected();
    const { rows } = await this.pool.query<LeftRow>(LEFT, [owner]);
    if (rows.length === 0) return;
    const left = rows.map((row) => this.describe(row));
    const named = left.slice(0, NAMED_MAX).map(({ field, message }) => `${message} in ${field}`);
    const more = left.length > NAMED_MAX ? ', and more: see `details`' : '';
    throw new ApiError(
      ACCOUNT_NOT_EMPTY,
      `Nobody could reach what is left: ${named.join(', ')}${more}. Cancel the orders, close the positions and take the money out first, or ask the operators.`,
      { details: left },
    );
  }

  private describe({ account_id: accountId, kind, name, total }: LeftRow): FieldError {
    const field = ACCOUNT_IDS.format(Number(accountId));
    switch (kind) {
      case 'balance':
        return { field, message: `${formatAmount(amount(BigInt(total)))} ${name}` };
      case 'position': {
        const { definition } = this.core.market(name)!;
        return {
          field,
          message: `a position of ${unitsOf(definition).size.format(Number(total))} in ${name}`,
        };
      }
      case 'orders':
        return { field, message: `${total} open ${total === '1' ? 'order' : 'orders'} in ${name}` };
    }
  }
}
