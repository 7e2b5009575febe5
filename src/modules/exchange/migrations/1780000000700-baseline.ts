import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Quotes. Which of them were accepted is told by `matched_bets` of the core. */
export class ExchangeBaseline1780000000700 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE SEQUENCE quote_numbers;
      CREATE TABLE quotes (
        account_id bigint NOT NULL,
        quote_id text NOT NULL,
        market_id text NOT NULL,
        side text NOT NULL,
        size_lots bigint NOT NULL,
        notional numeric(38,0) NOT NULL,
        fee numeric(38,0) NOT NULL,
        limit_price_ticks bigint NOT NULL,
        maker_fee_rate numeric(38,0),
        taker_fee_rate numeric(38,0),
        book_sequence bigint NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, quote_id)
      );
      CREATE INDEX quotes_expired ON quotes (expires_at);
      CREATE UNIQUE INDEX quotes_quote ON quotes (quote_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE quotes;
      DROP SEQUENCE quote_numbers;
    `);
  }
}
