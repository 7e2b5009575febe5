import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables that the core makes of the journal, and writes alone. Append-only ones are keyed by who reads them
 * and by the global sequence, so that inserts land at the right edge of few indexes. The hot ones leave room on
 * each page for updates in place (HOT), which need that no column changes that an index or its condition names.
 */
export class LedgerBaseline1780000000110 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
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
        created_at timestamptz NOT NULL,
        frozen boolean NOT NULL DEFAULT false,
        limits_sequence bigint,
        limits_base bigint,
        limits_taken numeric(38,0),
        root text
      );
      CREATE INDEX accounts_owner ON accounts (owner, account_id) WHERE owner IS NOT NULL;
      CREATE UNIQUE INDEX accounts_system_name ON accounts (kind, name) WHERE owner IS NULL;
      CREATE INDEX accounts_search_name ON accounts ((left(lower(name), 48) COLLATE "C"), account_id)
        WHERE owner IS NOT NULL;
      CREATE INDEX accounts_frozen ON accounts (account_id) WHERE frozen;

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

      -- The streams of accounts: one row for each commit that changed one, numbered without gaps. Operators
      -- find orders by commits: the table only grows in the order of the ledger, so a BRIN index suffices.
      CREATE TABLE account_changes (
        account_id bigint NOT NULL,
        sequence bigint NOT NULL,
        ledger_sequence bigint NOT NULL,
        order_ids text NOT NULL,
        PRIMARY KEY (account_id, sequence)
      );
      CREATE INDEX account_changes_ledger ON account_changes USING brin (ledger_sequence) WITH (autosummarize = on);

      -- Orders without fee rates of their own keep those that their market was made with.
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
        created_at timestamptz NOT NULL,
        original_maker_fee_rate numeric(38,0),
        original_taker_fee_rate numeric(38,0),
        revision bigint,
        market_order_band_bps bigint
      );

      CREATE TABLE event_groups (
        event_group_id text PRIMARY KEY,
        title text NOT NULL,
        market_ids text NOT NULL,
        quote_asset text NOT NULL,
        lot_size numeric(38,0) NOT NULL,
        pool_account_id bigint NOT NULL,
        created_at timestamptz NOT NULL
      );

      CREATE TABLE market_books (
        market_id text PRIMARY KEY,
        book_sequence bigint NOT NULL,
        last_price_ticks bigint,
        open_interest_lots bigint NOT NULL,
        changed_at timestamptz NOT NULL,
        pending_low_ticks bigint,
        pending_high_ticks bigint,
        owed_short_lots bigint
      ) WITH (fillfactor = 10);

      -- Orders of one market or status are found along those of the account: an index of their own would be the
      -- most expensive part of storing an order.
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
        quote_size numeric(38,0),
        display_lots bigint,
        list_id bigint,
        list_role text,
        client_list_id text,
        stop_trigger text,
        trailing_ticks bigint,
        trailing_bps bigint,
        best_ticks bigint,
        origin text,
        PRIMARY KEY (account_id, order_id)
      ) WITH (fillfactor = 85);
      CREATE INDEX orders_live ON orders (account_id, order_id)
        WHERE status IN ('open', 'partially_filled', 'untriggered');
      CREATE INDEX orders_lists ON orders (account_id, list_id) WHERE list_id IS NOT NULL;
      CREATE INDEX orders_trailing ON orders (market_id, side, order_id)
        WHERE type = 'trailing_stop' AND status = 'untriggered';

      -- A trade carries what it moved, after \`core_projection.carried_after\`; before, that is in \`transfers\`.
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
        maker_paid numeric(38,0),
        maker_received numeric(38,0),
        taker_paid numeric(38,0),
        taker_received numeric(38,0),
        pool_account_id bigint,
        maker_balance_after numeric(38,0),
        taker_balance_after numeric(38,0),
        maker_base_after numeric(38,0),
        taker_base_after numeric(38,0),
        pool_balance_after numeric(38,0),
        fees_balance_after numeric(38,0),
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

      CREATE TABLE set_legs (
        market_id text NOT NULL,
        leg_id bigint NOT NULL,
        account_id bigint NOT NULL,
        side text NOT NULL,
        size_lots bigint NOT NULL,
        price numeric(38,0) NOT NULL,
        booked_at timestamptz NOT NULL,
        PRIMARY KEY (market_id, leg_id)
      );

      CREATE TABLE positions (
        account_id bigint NOT NULL,
        market_id text NOT NULL,
        size_lots bigint NOT NULL,
        cost_basis numeric(38,0) NOT NULL,
        realized_pnl numeric(38,0) NOT NULL,
        fees numeric(38,0) NOT NULL,
        settled_lots bigint NOT NULL,
        is_holder boolean NOT NULL GENERATED ALWAYS AS (size_lots <> 0 OR settled_lots <> 0) STORED,
        PRIMARY KEY (account_id, market_id)
      ) WITH (fillfactor = 50);
      CREATE INDEX positions_market ON positions (market_id, account_id) WHERE is_holder;

      CREATE TABLE maker_protections (
        account_id bigint PRIMARY KEY,
        fills bigint,
        window_ms bigint,
        fill_times text NOT NULL,
        tripped_at timestamptz
      );

      -- How many open orders and stops there may be: state of the engine, too.
      CREATE TABLE trading_limits (
        id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
        open_orders_max integer NOT NULL,
        open_stops_max integer NOT NULL,
        owner_open_orders_max integer NOT NULL,
        owner_open_stops_max integer NOT NULL
      );

      CREATE TABLE settlements (
        market_id text NOT NULL,
        sequence bigint NOT NULL,
        settlement_value numeric(38,0) NOT NULL,
        settled_at timestamptz NOT NULL,
        PRIMARY KEY (market_id, sequence)
      );

      -- A settlement of many holders is paid by several commands.
      CREATE TABLE settlement_chunks (
        market_id text NOT NULL,
        sequence bigint NOT NULL,
        settlement_value numeric(38,0) NOT NULL,
        settled_at timestamptz NOT NULL,
        account_ids bigint[] NOT NULL,
        PRIMARY KEY (market_id, sequence)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE settlement_chunks, settlements, trading_limits, maker_protections, positions, set_legs,
        matched_bets, trades, orders, market_books, event_groups, markets, account_changes, transfers, holds,
        balances, accounts, assets;
    `);
  }
}
