import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Operators list what all owners have. People and accounts are found by how their names begin, each name along an index
 * of its own; only the beginning is kept, so that a place in the list fits into a cursor. Orders of all accounts are
 * found by the commits that placed them: `account_changes` only grows, in the order of the ledger, so that a BRIN index
 * costs next to nothing, where every change of an order would have written another entry of a B-tree.
 */
export class ListForOperators1780000002210 implements MigrationInterface {
  name = 'ListForOperators1780000002210';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX users_search_username ON users ((left(lower(username), 48) COLLATE "C"), user_id);
      CREATE INDEX users_search_email ON users ((left(lower(email), 48) COLLATE "C"), user_id)
        WHERE email IS NOT NULL;
      CREATE INDEX users_search_first_name ON users ((left(lower(first_name), 48) COLLATE "C"), user_id)
        WHERE first_name IS NOT NULL;
      CREATE INDEX users_search_last_name ON users ((left(lower(last_name), 48) COLLATE "C"), user_id)
        WHERE last_name IS NOT NULL;
      CREATE INDEX users_not_active ON users (user_status, user_id) WHERE user_status <> 0;

      CREATE INDEX accounts_search_name ON accounts ((left(lower(name), 48) COLLATE "C"), account_id)
        WHERE owner IS NOT NULL;
      CREATE INDEX accounts_frozen ON accounts (account_id) WHERE frozen;

      CREATE INDEX account_changes_ledger ON account_changes USING brin (ledger_sequence) WITH (autosummarize = on);

      CREATE INDEX wallet_transfers_time ON wallet_transfers (created_at, transfer_id) WHERE accepted_at IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX users_search_username, users_search_email, users_search_first_name, users_search_last_name,
        users_not_active, accounts_search_name, accounts_frozen, account_changes_ledger, wallet_transfers_time
    `);
  }
}
