import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where the owner of a wallet lets money go. Removed ones stay: they say that the wallet has a list, so that
 * removing the last one does not open it to everywhere.
 */
export class CreateWalletDestinations1780000000860 implements MigrationInterface {
  name = 'CreateWalletDestinations1780000000860';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE wallet_destinations (
        destination_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        wallet_id bigint NOT NULL,
        chain text NOT NULL,
        address text NOT NULL,
        label text NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        effective_at timestamptz(3) NOT NULL,
        removed_at timestamptz(3)
      );
      CREATE INDEX wallet_destinations_wallet ON wallet_destinations (wallet_id, destination_id);
      CREATE UNIQUE INDEX wallet_destinations_address ON wallet_destinations (wallet_id, chain, address)
        WHERE removed_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE wallet_destinations');
  }
}
