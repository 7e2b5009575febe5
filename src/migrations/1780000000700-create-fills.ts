import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Fills, a projection of `trades` and `settlements`: for each account and market what it traded, with
 * running totals, so that a position at any moment is one row and the P&L of any period two. `fill_days`
 * names the days on which an account traded a market. `fills_opening` leads from one opening fill to the
 * next, past all that was closed in between.
 */
export class CreateFills1780000000700 implements MigrationInterface {
  name = 'CreateFills1780000000700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE fills (
        account_id bigint NOT NULL,
        market_id text NOT NULL,
        sequence bigint NOT NULL,
        kind text NOT NULL,
        order_id bigint,
        side text NOT NULL,
        liquidity text,
        price numeric(38,0) NOT NULL,
        lots bigint NOT NULL,
        opened_lots bigint NOT NULL,
        fee numeric(38,0) NOT NULL,
        book_sequence bigint,
        executed_at timestamptz NOT NULL,
        size_lots bigint NOT NULL,
        fees numeric(38,0) NOT NULL,
        cost_basis numeric(38,0) NOT NULL,
        realized_pnl numeric(38,0) NOT NULL,
        fifo_cost_basis numeric(38,0) NOT NULL,
        fifo_realized_pnl numeric(38,0) NOT NULL,
        fifo_head_sequence bigint,
        fifo_head_closed_lots bigint,
        PRIMARY KEY (account_id, market_id, sequence)
      );
      CREATE INDEX fills_opening ON fills (account_id, market_id, sequence) WHERE opened_lots > 0;

      CREATE TABLE fill_days (
        account_id bigint NOT NULL,
        day date NOT NULL,
        market_id text NOT NULL,
        PRIMARY KEY (account_id, day, market_id)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM journal_cursors WHERE name LIKE 'fills:%';
      DROP TABLE fill_days, fills;
    `);
  }
}
