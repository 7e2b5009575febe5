import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The client of Swagger UI is sent back to a path of `PUBLIC_URL`, wherever that is: the port of its address, which
 * was free until now, counts for tokens of the implicit flow.
 */
export class FollowPublicUrl1780000001560 implements MigrationInterface {
  name = 'FollowPublicUrl1780000001560';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE oauth_clients SET redirect_uris = '{/docs/oauth2-redirect.html}'
      WHERE client_id = 'petstore-ui' AND owner_user_id IS NULL
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE oauth_clients SET redirect_uris = '{http://127.0.0.1:3000/docs/oauth2-redirect.html}'
      WHERE client_id = 'petstore-ui' AND owner_user_id IS NULL
    `);
  }
}
