import { Injectable } from '@nestjs/common';
import { LedgerConsumer, type Statements, type Trade } from '../../src/index.js';

/** Counts what each account has traded: every trade once, whatever dies meanwhile. */
@Injectable()
export class Points extends LedgerConsumer {
  override readonly name = 'points';

  override async trades(trades: readonly Trade[], transaction: Statements): Promise<void> {
    const sides = trades.flatMap(({ makerAccountId, takerAccountId, notional }) =>
      [makerAccountId, takerAccountId].map((account) => ({ account, volume: String(notional) })),
    );
    await transaction.query(
      `INSERT INTO acme_points AS known (account_id, trades, volume)
       SELECT account, count(*), sum(volume) FROM json_to_recordset($1::json) AS side (account bigint, volume numeric)
       GROUP BY account
       ON CONFLICT (account_id) DO UPDATE
         SET trades = known.trades + excluded.trades, volume = known.volume + excluded.volume`,
      [JSON.stringify(sides)],
    );
  }
}
