import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Transfers of wallets and accounts, and every state that each was in. A row is committed before the core is
 * asked for its money, and `due_command` says what the core must still be told; so a process may die at any
 * moment, and whoever finds the row goes on with it. One row serves both sides: who sends and who receives.
 */
export class CreateWalletTransfers1780000000850 implements MigrationInterface {
  name = 'CreateWalletTransfers1780000000850';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE wallet_transfers (
        transfer_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        status text NOT NULL CONSTRAINT wallet_transfers_status_check CHECK (status IN (
          'pending_approval', 'pending', 'broadcasting', 'confirming', 'completed', 'failed', 'rejected', 'cancelled')),
        due_command text CONSTRAINT wallet_transfers_due_command_check CHECK (
          due_command IN ('move', 'credit', 'hold', 'pay', 'release')),
        chain text,
        asset text NOT NULL,
        amount numeric(38,0) NOT NULL CONSTRAINT wallet_transfers_amount_check CHECK (amount > 0),
        fee_asset text NOT NULL,
        fee numeric(38,0) NOT NULL,
        fee_held numeric(38,0) NOT NULL,
        source_type text NOT NULL,
        source_account_id bigint,
        source_wallet_id bigint,
        source_address text,
        destination_type text NOT NULL,
        destination_account_id bigint,
        destination_wallet_id bigint,
        destination_address text,
        tx_hash text,
        confirmations integer,
        client_transfer_id text,
        request_hash text,
        fingerprint text,
        deposit_key text,
        requested_by text,
        reason text,
        accepted_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        updated_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX wallet_transfers_out ON wallet_transfers (source_wallet_id, created_at, transfer_id)
        WHERE accepted_at IS NOT NULL;
      CREATE INDEX wallet_transfers_in ON wallet_transfers (destination_wallet_id, created_at, transfer_id)
        WHERE accepted_at IS NOT NULL AND status = 'completed';
      CREATE INDEX wallet_transfers_due ON wallet_transfers (transfer_id) WHERE due_command IS NOT NULL;
      CREATE INDEX wallet_transfers_waiting ON wallet_transfers (status, transfer_id)
        WHERE status IN ('pending_approval', 'pending', 'broadcasting', 'confirming');
      CREATE INDEX wallet_transfers_daily ON wallet_transfers (source_wallet_id, asset, created_at)
        WHERE chain IS NOT NULL;
      CREATE UNIQUE INDEX wallet_transfers_client_id ON wallet_transfers (source_account_id, client_transfer_id)
        WHERE client_transfer_id IS NOT NULL;
      CREATE UNIQUE INDEX wallet_transfers_request ON wallet_transfers (request_hash)
        WHERE request_hash IS NOT NULL;
      CREATE UNIQUE INDEX wallet_transfers_deposit ON wallet_transfers (deposit_key)
        WHERE deposit_key IS NOT NULL;

      CREATE TABLE wallet_transfer_states (
        state_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        transfer_id bigint NOT NULL,
        status text NOT NULL,
        changed_by text,
        reason text,
        changed_at timestamptz(3) NOT NULL DEFAULT now()
      );
      CREATE INDEX wallet_transfer_states_transfer ON wallet_transfer_states (transfer_id, state_id);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE wallet_transfer_states, wallet_transfers');
  }
}
