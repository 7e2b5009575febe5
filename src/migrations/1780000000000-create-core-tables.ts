import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables of the single writer. Append-only tables are keyed by who reads them and by the global
 * sequence, so that inserts always land at the right edge of few indexes; the hot ones (balances,
 * positions, books) leave room on each page for updates in place; the journal is stored as it comes,
 * since compressing it would cost the hot path more than the disk it saves.
 */
export class CreateCoreTables1780000000000 implements MigrationInterface {
  name = 'CreateCoreTables1780000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE core_leader (
        id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        epoch bigint NOT NULL,
        last_sequence bigint NOT NULL,
        state_parts text,
        lease_until timestamptz NOT NULL,
        backend_pid integer,
        holder text
      ) WITH (fillfactor = 10);
      INSERT INTO core_leader (epoch, last_sequence, lease_until) VALUES (0, 0, now());

      CREATE TABLE journal (
        last_sequence bigint PRIMARY KEY,
        first_sequence bigint NOT NULL,
        epoch bigint NOT NULL,
        engine_version integer NOT NULL,
        committed_at timestamptz NOT NULL,
        commands text NOT NULL,
        state_hash text NOT NULL,
        previous_hash text NOT NULL,
        hash text NOT NULL
      );
      ALTER TABLE journal ALTER COLUMN commands SET STORAGE EXTERNAL;

      CREATE TABLE journal_checkpoints (
        sequence bigint NOT NULL,
        engine_version integer NOT NULL,
        state text NOT NULL,
        state_hash text NOT NULL,
        journal_hash text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (sequence, engine_version)
      );

      CREATE TABLE journal_cursors (
        name text PRIMARY KEY,
        sequence bigint NOT NULL
      );

      CREATE TABLE command_keys (
        owner text NOT NULL,
        key text NOT NULL,
        fingerprint text NOT NULL,
        outcomes text NOT NULL,
        created_at timestamptz NOT NULL,
        expires_at timestamptz,
        PRIMARY KEY (owner, key)
      );
      CREATE INDEX command_keys_expiry ON command_keys (expires_at) WHERE expires_at IS NOT NULL;

      CREATE TABLE assets (
        code text PRIMARY KEY,
        scale smallint NOT NULL,
        created_at timestamptz NOT NULL
      );

      CREATE TABLE accounts (
        account_id bigint PRIMARY KEY,
        kind text NOT NULL,
        name text NOT NULL,
        owner text,
        kyc_level smallint NOT NULL,
        created_at timestamptz NOT NULL
      );
      CREATE INDEX accounts_owner ON accounts (owner, account_id) WHERE owner IS NOT NULL;
      CREATE UNIQUE INDEX accounts_system_name ON accounts (kind, name) WHERE owner IS NULL;

      CREATE TABLE balances (
        account_id bigint NOT NULL,
        asset text NOT NULL,
        available numeric(38,0) NOT NULL,
        held numeric(38,0) NOT NULL CHECK (held >= 0),
        PRIMARY KEY (account_id, asset)
      ) WITH (fillfactor = 50);

      CREATE TABLE holds (
        owner_kind text NOT NULL,
        owner_id text NOT NULL,
        account_id bigint NOT NULL,
        asset text NOT NULL,
        amount numeric(38,0) NOT NULL CHECK (amount > 0),
        created_at timestamptz NOT NULL,
        PRIMARY KEY (owner_kind, owner_id)
      );
      CREATE INDEX holds_account ON holds (account_id, asset);

      CREATE TABLE transfers (
        transfer_id bigint NOT NULL,
        debit_account_id bigint NOT NULL,
        credit_account_id bigint NOT NULL,
        asset text NOT NULL,
        amount numeric(38,0) NOT NULL CHECK (amount > 0),
        reason text NOT NULL,
        reference text NOT NULL,
        debit_balance_after numeric(38,0) NOT NULL,
        credit_balance_after numeric(38,0) NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (debit_account_id, transfer_id)
      );
      CREATE INDEX transfers_credit ON transfers (credit_account_id, transfer_id);
      CREATE INDEX transfers_sequence ON transfers USING brin (transfer_id);

      CREATE TABLE markets (
        market_id text PRIMARY KEY,
        kind text NOT NULL,
        title text NOT NULL,
        description text NOT NULL,
        category text NOT NULL,
        status text NOT NULL,
        base_asset text,
        quote_asset text NOT NULL,
        tick_size numeric(38,0) NOT NULL,
        lot_size numeric(38,0) NOT NULL,
        min_size_lots bigint NOT NULL,
        max_size_lots bigint NOT NULL,
        min_notional numeric(38,0) NOT NULL,
        price_min_ticks bigint NOT NULL,
        price_max_ticks bigint NOT NULL,
        maker_fee_rate numeric(38,0) NOT NULL,
        taker_fee_rate numeric(38,0) NOT NULL,
        fee_base text NOT NULL,
        opens_at timestamptz,
        closes_at timestamptz,
        settlement_value numeric(38,0),
        settled_at timestamptz,
        pool_account_id bigint,
        created_at timestamptz NOT NULL
      );

      CREATE TABLE settlements (
        market_id text NOT NULL,
        sequence bigint NOT NULL,
        settlement_value numeric(38,0) NOT NULL,
        settled_at timestamptz NOT NULL,
        PRIMARY KEY (market_id, sequence)
      );

      CREATE TABLE market_books (
        market_id text PRIMARY KEY,
        book_sequence bigint NOT NULL,
        last_price_ticks bigint,
        open_interest_lots bigint NOT NULL,
        changed_at timestamptz NOT NULL
      ) WITH (fillfactor = 10);

      CREATE TABLE orders (
        account_id bigint NOT NULL,
        order_id bigint NOT NULL,
        market_id text NOT NULL,
        client_order_id text,
        side text NOT NULL,
        type text NOT NULL,
        time_in_force text NOT NULL,
        price_ticks bigint,
        stop_price_ticks bigint,
        size_lots bigint NOT NULL,
        filled_lots bigint NOT NULL,
        remaining_lots bigint NOT NULL,
        filled_notional numeric(38,0) NOT NULL,
        fees numeric(38,0) NOT NULL,
        fee_rounding bigint NOT NULL,
        maker_fee_rate numeric(38,0),
        taker_fee_rate numeric(38,0),
        held numeric(38,0) NOT NULL,
        post_only boolean NOT NULL,
        reduce_only boolean NOT NULL,
        self_trade_prevention text NOT NULL,
        expires_at timestamptz,
        status text NOT NULL,
        status_reason text,
        queue_sequence bigint NOT NULL,
        book_sequence bigint NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, order_id)
      ) WITH (fillfactor = 85);
      CREATE INDEX orders_account_market ON orders (account_id, market_id, order_id);
      CREATE INDEX orders_live ON orders (account_id, order_id)
        WHERE status IN ('open', 'partially_filled', 'untriggered');

      CREATE TABLE trades (
        market_id text NOT NULL,
        trade_id bigint NOT NULL,
        price_ticks bigint NOT NULL,
        size_lots bigint NOT NULL,
        taker_side text NOT NULL,
        maker_order_id bigint NOT NULL,
        taker_order_id bigint NOT NULL,
        maker_account_id bigint NOT NULL,
        taker_account_id bigint NOT NULL,
        maker_fee numeric(38,0) NOT NULL,
        taker_fee numeric(38,0) NOT NULL,
        book_sequence bigint NOT NULL,
        executed_at timestamptz NOT NULL,
        PRIMARY KEY (market_id, trade_id)
      );
      CREATE INDEX trades_maker ON trades (maker_account_id, trade_id);
      CREATE INDEX trades_taker ON trades (taker_account_id, trade_id);

      CREATE TABLE matched_bets (
        account_id bigint NOT NULL,
        order_id bigint NOT NULL,
        quote_id text NOT NULL,
        market_id text NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, order_id)
      );
      CREATE UNIQUE INDEX matched_bets_quote ON matched_bets (quote_id);

      CREATE TABLE positions (
        account_id bigint NOT NULL,
        market_id text NOT NULL,
        size_lots bigint NOT NULL,
        cost_basis numeric(38,0) NOT NULL,
        realized_pnl numeric(38,0) NOT NULL,
        fees numeric(38,0) NOT NULL,
        settled_lots bigint NOT NULL,
        PRIMARY KEY (account_id, market_id)
      ) WITH (fillfactor = 50);
      CREATE INDEX positions_market ON positions (market_id, account_id)
        WHERE size_lots <> 0 OR settled_lots <> 0;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE positions, matched_bets, trades, orders, market_books, settlements, markets, transfers, holds, balances, accounts,
        assets, command_keys, journal_cursors, journal_checkpoints, journal, core_leader;
    `);
  }
}
