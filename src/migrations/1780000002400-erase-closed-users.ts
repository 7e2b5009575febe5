import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which closed users still have personal data, and indexes that find what one of them has written. */
export class EraseClosedUsers1780000002400 implements MigrationInterface {
  name = 'EraseClosedUsers1780000002400';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE users ADD COLUMN closed_at timestamptz(3), ADD COLUMN erased_at timestamptz(3),
         ADD COLUMN kept_data_erased_at timestamptz(3)`,
    );
    await runner.query(
      'CREATE INDEX users_unerased ON users (user_id) WHERE user_status = 2 AND erased_at IS NULL',
    );
    await runner.query(
      `CREATE INDEX users_kept_data ON users (closed_at)
       WHERE user_status = 2 AND erased_at IS NOT NULL AND kept_data_erased_at IS NULL`,
    );
    await runner.query('CREATE INDEX chat_messages_author ON chat_messages (author_key, message_id)');
    await runner.query('CREATE INDEX chat_reactions_member ON chat_reactions (member_key, message_id)');
    await runner.query('CREATE INDEX payout_accounts_all ON payout_accounts (owner)');
    await runner.query('CREATE INDEX webhook_endpoints_all ON webhook_endpoints (account_owner)');
    await runner.query('CREATE INDEX purchase_orders_owner ON purchase_orders (owner, order_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP INDEX purchase_orders_owner, webhook_endpoints_all, payout_accounts_all, chat_reactions_member,
         chat_messages_author`,
    );
    await runner.query(
      'ALTER TABLE users DROP COLUMN closed_at, DROP COLUMN erased_at, DROP COLUMN kept_data_erased_at',
    );
  }
}
