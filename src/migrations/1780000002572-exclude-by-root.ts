import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * An exclusion is that of a registration root: of all users who made one another. Those that are in force are lifted to
 * it, and carried out again for the others. The former rows stay, for the former version.
 */
export class ExcludeByRoot1780000002572 implements MigrationInterface {
  name = 'ExcludeByRoot1780000002572';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      INSERT INTO self_exclusions AS root (person, since, until, orders_due)
      SELECT 'user:' || creation_root_id, min(since), max(until), true
        FROM self_exclusions JOIN users ON person = 'user:' || user_id
       WHERE creation_root_id IS NOT NULL AND until > now() GROUP BY creation_root_id
      ON CONFLICT (person) DO UPDATE SET until = greatest(root.until, excluded.until), orders_due = true;
    `);
  }

  async down(): Promise<void> {
    // An exclusion is never shortened.
  }
}
