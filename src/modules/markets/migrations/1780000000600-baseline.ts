import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What is made of trades and settlements, fee schedules, and the switches that cancel orders. */
export class MarketsBaseline1780000000600 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Balances at the ends of stretches of the sequence: one of any past moment is the nearest mark and few
      -- transfers.
      CREATE TABLE balance_marks (
        account_id bigint NOT NULL,
        asset text NOT NULL,
        sequence bigint NOT NULL,
        balance numeric(38,0) NOT NULL,
        PRIMARY KEY (account_id, asset, sequence)
      );

      -- A projection of trades and settlements with running totals: a position at any moment is one row, the
      -- P&L of any period two. \`fills_opening\` leads from one opening fill to the next, past all that was
      -- closed in between.
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
      CREATE INDEX fills_account ON fills (account_id, sequence);

      CREATE TABLE fill_days (
        account_id bigint NOT NULL,
        day date NOT NULL,
        market_id text NOT NULL,
        PRIMARY KEY (account_id, day, market_id)
      );

      -- A projection of trades.
      CREATE TABLE candles (
        market_id text NOT NULL,
        interval_seconds integer NOT NULL,
        start timestamptz NOT NULL,
        open_ticks bigint NOT NULL,
        high_ticks bigint NOT NULL,
        low_ticks bigint NOT NULL,
        close_ticks bigint NOT NULL,
        volume_lots numeric(38,0) NOT NULL,
        PRIMARY KEY (market_id, interval_seconds, start)
      ) WITH (fillfactor = 90);

      CREATE TABLE fee_schedules (
        name text PRIMARY KEY,
        volume_asset text,
        tiers jsonb NOT NULL,
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      );

      CREATE TABLE account_fee_schedules (
        account_id bigint PRIMARY KEY,
        name text NOT NULL
      );
      CREATE INDEX account_fee_schedules_name ON account_fee_schedules (name);

      -- What accounts traded on each of the last days, for fee tiers.
      CREATE TABLE account_volumes (
        account_id bigint NOT NULL,
        day date NOT NULL,
        asset text NOT NULL,
        volume numeric NOT NULL,
        PRIMARY KEY (account_id, day, asset)
      );
      CREATE INDEX account_volumes_day ON account_volumes (day);

      -- They cancel the orders of an account when nobody is there any more: a timer when it is due, a
      -- connection when it is lost or its holder no longer says that it is alive.
      CREATE TABLE cancel_switches (
        account_id bigint NOT NULL,
        source text NOT NULL,
        arming_id uuid NOT NULL,
        triggers_at timestamptz(3),
        holder text,
        PRIMARY KEY (account_id, source),
        CONSTRAINT cancel_switches_due_or_held CHECK ((triggers_at IS NULL) <> (holder IS NULL))
      );
      CREATE INDEX cancel_switches_triggers ON cancel_switches (triggers_at) WHERE triggers_at IS NOT NULL;
      CREATE INDEX cancel_switches_held ON cancel_switches (source) WHERE holder IS NOT NULL;

      CREATE TABLE cancel_switch_holders (
        holder text PRIMARY KEY,
        alive_until timestamptz(3) NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE cancel_switch_holders, cancel_switches, account_volumes, account_fee_schedules,
        fee_schedules, candles, fill_days, fills, balance_marks;
    `);
  }
}
