import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Destinations are listed for the owner, and bind all wallets of the owner. Where one address was listed by two
 * wallets, the listing that takes effect first stays: it is the one that counts.
 */
export class ListDestinationsByOwner1780000001541 implements MigrationInterface {
  name = 'ListDestinationsByOwner1780000001541';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallet_destinations ADD COLUMN owner text;
      UPDATE wallet_destinations d SET owner = w.owner FROM wallets w WHERE w.wallet_id = d.wallet_id;
      ALTER TABLE wallet_destinations ALTER COLUMN owner SET NOT NULL;

      UPDATE wallet_destinations d SET removed_at = now() WHERE removed_at IS NULL AND EXISTS (
        SELECT FROM wallet_destinations other
        WHERE other.owner = d.owner AND other.chain = d.chain AND other.address = d.address
          AND other.removed_at IS NULL
          AND (other.effective_at, other.destination_id) < (d.effective_at, d.destination_id));

      DROP INDEX wallet_destinations_wallet, wallet_destinations_address;
      CREATE INDEX wallet_destinations_owner ON wallet_destinations (owner, destination_id);
      CREATE UNIQUE INDEX wallet_destinations_address ON wallet_destinations (owner, chain, address)
        WHERE removed_at IS NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX wallet_destinations_owner, wallet_destinations_address;
      CREATE INDEX wallet_destinations_wallet ON wallet_destinations (wallet_id, destination_id);
      CREATE UNIQUE INDEX wallet_destinations_address ON wallet_destinations (wallet_id, chain, address)
        WHERE removed_at IS NULL;
      ALTER TABLE wallet_destinations DROP COLUMN owner;
    `);
  }
}
