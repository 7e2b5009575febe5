import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Sub-accounts hold the key of their request as payouts and proposals do: its digest in hexadecimal, unique, and for a day.
 * Those of the last day are written anew, so that a repeat still finds its account.
 */
export class KeySubAccounts1780000002790 implements MigrationInterface {
  name = 'KeySubAccounts1780000002790';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE sub_accounts SET request_hash = CASE
        WHEN created_at > now() - interval '24 hours'
        THEN encode(decode(translate(request_hash, '-_', '+/') || '=', 'base64'), 'hex')
      END
      WHERE request_hash IS NOT NULL;
      CREATE UNIQUE INDEX sub_accounts_request ON sub_accounts (request_hash) WHERE request_hash IS NOT NULL;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP INDEX sub_accounts_request;
      UPDATE sub_accounts SET request_hash =
        rtrim(translate(encode(decode(request_hash, 'hex'), 'base64'), '+/', '-_'), '=')
      WHERE request_hash IS NOT NULL;
    `);
  }
}
