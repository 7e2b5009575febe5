import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What the service does on chains. A send is one intended transaction: its nonce is used once, its candidates
 * are all the bytes ever signed for it, of which the chain takes one. A deposit is known by its transaction and
 * its place in there, wherever a reorganisation moves it. Blocks are remembered to notice reorganisations.
 */
export class CreateChains1780000000900 implements MigrationInterface {
  name = 'CreateChains1780000000900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE chains (
        chain text PRIMARY KEY,
        network_id text NOT NULL,
        hot_address text NOT NULL,
        sealed_hot_key bytea NOT NULL,
        house_account_id bigint NOT NULL,
        head_block bigint NOT NULL,
        scanned_block bigint NOT NULL,
        max_fee_per_gas numeric(38,0) NOT NULL,
        looked_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE chain_blocks (
        chain text,
        number bigint,
        hash text NOT NULL,
        PRIMARY KEY (chain, number)
      );

      CREATE TABLE chain_sweeps (
        sweep_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        chain text NOT NULL,
        address_id bigint NOT NULL,
        address text NOT NULL,
        asset text NOT NULL,
        amount numeric(38,0) NOT NULL CHECK (amount > 0),
        status text NOT NULL CHECK (status IN ('planned', 'topping_up', 'sweeping', 'done', 'failed')),
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE UNIQUE INDEX chain_sweeps_live ON chain_sweeps (chain, address)
        WHERE status NOT IN ('done', 'failed');

      CREATE TABLE chain_deposits (
        deposit_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        chain text NOT NULL,
        tx_hash text NOT NULL,
        position integer NOT NULL,
        asset text NOT NULL,
        amount numeric(38,0) NOT NULL CHECK (amount > 0),
        source text NOT NULL,
        address text NOT NULL,
        address_id bigint,
        block_number bigint NOT NULL,
        block_hash text NOT NULL,
        orphaned boolean NOT NULL DEFAULT false,
        status text NOT NULL DEFAULT 'seen'
          CHECK (status IN ('seen', 'awaiting_sweep', 'crediting', 'credited')),
        sweep_id bigint REFERENCES chain_sweeps,
        swept boolean NOT NULL DEFAULT false,
        sweep_after timestamptz NOT NULL DEFAULT now(),
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT chain_deposits_once UNIQUE (chain, tx_hash, position)
      );
      CREATE INDEX chain_deposits_open ON chain_deposits (chain, updated_at) WHERE status <> 'credited';
      CREATE INDEX chain_deposits_address ON chain_deposits (address_id);
      CREATE INDEX chain_deposits_orphaned ON chain_deposits (chain) WHERE orphaned;
      CREATE INDEX chain_deposits_unswept ON chain_deposits (address_id) WHERE NOT swept;
      CREATE INDEX chain_deposits_block ON chain_deposits (chain, block_number);
      CREATE INDEX chain_deposits_sweep ON chain_deposits (sweep_id) WHERE sweep_id IS NOT NULL;

      CREATE TABLE chain_senders (
        chain text,
        address text,
        next_nonce bigint NOT NULL,
        PRIMARY KEY (chain, address)
      );

      CREATE TABLE chain_sends (
        send_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        chain text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('transfer', 'sweep', 'top_up')),
        reference bigint NOT NULL,
        sender text NOT NULL,
        sender_address_id bigint,
        nonce bigint NOT NULL,
        asset text NOT NULL,
        recipient text NOT NULL,
        status text NOT NULL DEFAULT 'broadcasting' CHECK (status IN ('broadcasting', 'mined', 'settled')),
        tx_hash text,
        block_number bigint,
        block_hash text,
        succeeded boolean,
        fee_paid numeric(38,0),
        house_fee numeric(38,0) NOT NULL DEFAULT 0,
        house_fee_booked boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT chain_sends_nonce UNIQUE (chain, sender, nonce),
        CONSTRAINT chain_sends_reference UNIQUE (kind, reference)
      );
      CREATE INDEX chain_sends_live ON chain_sends (chain, send_id) WHERE status <> 'settled';
      CREATE INDEX chain_sends_top_ups ON chain_sends (chain, recipient) WHERE kind = 'top_up';
      CREATE INDEX chain_sends_unbooked ON chain_sends (chain, send_id) WHERE house_fee > 0 AND NOT house_fee_booked;

      CREATE TABLE chain_candidates (
        chain text,
        tx_hash text,
        send_id bigint NOT NULL REFERENCES chain_sends,
        bytes text NOT NULL,
        amount numeric(38,0) NOT NULL,
        gas_limit bigint NOT NULL,
        max_fee_per_gas numeric(38,0) NOT NULL,
        max_priority_fee_per_gas numeric(38,0) NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (chain, tx_hash)
      );
      CREATE INDEX chain_candidates_send ON chain_candidates (send_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE chain_candidates, chain_sends, chain_senders, chain_deposits, chain_sweeps, chain_blocks, chains;
    `);
  }
}
