import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Where several processes serve, a process without the lead goes on with its connections: so it says itself that
 * it is there, and the switches of one that no longer does are carried out.
 */
export class LeaseCancelSwitches1780000001900 implements MigrationInterface {
  name = 'LeaseCancelSwitches1780000001900';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE cancel_switch_holders (
        holder text PRIMARY KEY,
        alive_until timestamptz(3) NOT NULL
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE cancel_switch_holders;');
  }
}
