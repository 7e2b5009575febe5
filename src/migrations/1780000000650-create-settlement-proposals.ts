import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What one operator proposed to settle a market at, until another one agrees; kept as the record of who did. */
export class CreateSettlementProposals1780000000650 implements MigrationInterface {
  name = 'CreateSettlementProposals1780000000650';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE settlement_proposals (
        proposal_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        market_id text NOT NULL,
        settlement_value numeric(38,0) NOT NULL,
        proposed_by text NOT NULL,
        proposed_at timestamptz NOT NULL DEFAULT now(),
        status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'carried_out', 'withdrawn')),
        ended_by text,
        ended_at timestamptz
      );
      CREATE UNIQUE INDEX settlement_proposals_open ON settlement_proposals (market_id) WHERE status = 'open';
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE settlement_proposals');
  }
}
