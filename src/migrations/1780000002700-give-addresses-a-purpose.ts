import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What an address is for. All that were made before were given out to receive at. */
export class GiveAddressesAPurpose1780000002700 implements MigrationInterface {
  name = 'GiveAddressesAPurpose1780000002700';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE wallet_addresses ADD COLUMN purpose text NOT NULL DEFAULT 'deposit'
        CONSTRAINT wallet_addresses_purpose_check CHECK (purpose IN ('deposit', 'signing'));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE wallet_addresses DROP COLUMN purpose');
  }
}
