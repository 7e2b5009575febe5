import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Acts that take two persons, in one table. What waited for a second person before comes along: proposed
 * settlements, and payouts and transfers over a chain that wait for approval.
 */
export class CreateApprovals1780000001520 implements MigrationInterface {
  name = 'CreateApprovals1780000001520';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE approvals (
        approval_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL CHECK (kind IN ('settlement', 'settlement_correction', 'deposit', 'adjustment',
          'kyc_level', 'operator', 'credential_reset', 'unfreeze', 'payout', 'wallet_transfer')),
        status text NOT NULL DEFAULT 'pending'
          CHECK (status IN ('pending', 'approved', 'rejected', 'expired', 'failed')),
        subject_type text NOT NULL,
        subject_id text NOT NULL,
        owner text,
        slot text,
        summary text NOT NULL,
        payload jsonb NOT NULL,
        fingerprint text NOT NULL,
        request_hash text,
        proposed_by text NOT NULL,
        proposed_at timestamptz(3) NOT NULL DEFAULT now(),
        decided_by text,
        decided_at timestamptz(3),
        reason text,
        expires_at timestamptz(3),
        carried_out_at timestamptz(3)
      );
      CREATE INDEX approvals_status ON approvals (status, approval_id);
      CREATE INDEX approvals_kind ON approvals (kind, approval_id);
      CREATE UNIQUE INDEX approvals_slot ON approvals (slot)
        WHERE status = 'pending' OR (status = 'approved' AND carried_out_at IS NULL);
      CREATE INDEX approvals_expiry ON approvals (expires_at) WHERE status = 'pending';
      CREATE INDEX approvals_due ON approvals (approval_id) WHERE status = 'approved' AND carried_out_at IS NULL;
      CREATE UNIQUE INDEX approvals_request ON approvals (request_hash) WHERE request_hash IS NOT NULL;
    `);
    await runner.query(`
      INSERT INTO approvals (kind, status, subject_type, subject_id, slot, summary, payload, fingerprint,
        proposed_by, proposed_at, decided_by, decided_at, expires_at, carried_out_at)
      SELECT CASE WHEN market.status = 'settled' AND proposal.status = 'open' THEN 'settlement_correction'
                  ELSE 'settlement' END,
        CASE proposal.status WHEN 'open' THEN 'pending' WHEN 'carried_out' THEN 'approved' ELSE 'rejected' END,
        'market', proposal.market_id, 'settlement:' || proposal.market_id,
        'Settle the market ' || proposal.market_id || ' at ' || value.text || '.',
        jsonb_build_object('marketId', proposal.market_id, 'settlementValue', value.text),
        'settlement_proposals:' || proposal.proposal_id, proposal.proposed_by, proposal.proposed_at,
        proposal.ended_by, proposal.ended_at,
        CASE proposal.status WHEN 'open' THEN now() + interval '7 days' END,
        CASE proposal.status WHEN 'carried_out' THEN proposal.ended_at END
      FROM settlement_proposals proposal
      LEFT JOIN markets market USING (market_id),
      LATERAL (SELECT trim_scale(proposal.settlement_value / 1000000000000000000)::text AS text) value
      ORDER BY proposal.proposal_id;

      INSERT INTO approvals (kind, subject_type, subject_id, owner, slot, summary, payload, fingerprint,
        proposed_by, proposed_at)
      SELECT 'payout', 'payout', id.text, payout.owner, 'payout:' || id.text,
        'Pay out ' || trim_scale(payout.amount / 1000000000000000000) || ' ' || payout.currency || ' of '
          || payout.owner || '.',
        jsonb_build_object('payoutId', payout.payout_id::text), 'payouts:' || payout.payout_id,
        payout.requested_by, payout.created_at
      FROM payouts payout, LATERAL (SELECT 'pay_' || ${base32('payout.payout_id')} AS text) id
      WHERE payout.status = 'pending_approval' AND payout.accepted_at IS NOT NULL
      ORDER BY payout.payout_id;

      INSERT INTO approvals (kind, subject_type, subject_id, owner, slot, summary, payload, fingerprint,
        proposed_by, proposed_at)
      SELECT 'wallet_transfer', 'transfer', id.text, account.owner, 'wallet_transfer:' || id.text,
        'Send ' || trim_scale(transfer.amount / 1000000000000000000) || ' ' || transfer.asset || ' to '
          || coalesce(transfer.destination_address, '') || '.',
        jsonb_build_object('transferId', transfer.transfer_id::text),
        'wallet_transfers:' || transfer.transfer_id, transfer.requested_by, transfer.created_at
      FROM wallet_transfers transfer
      LEFT JOIN accounts account ON account.account_id = transfer.source_account_id,
      LATERAL (SELECT 'trf_' || ${base32('transfer.transfer_id')} AS text) id
      WHERE transfer.status = 'pending_approval' AND transfer.accepted_at IS NOT NULL
      ORDER BY transfer.transfer_id;

      DROP TABLE settlement_proposals;
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
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
      DROP TABLE approvals;
    `);
  }
}

/** The number of a public id: Crockford base 32 in eleven digits. */
function base32(number: string): string {
  return `(SELECT string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ',
    1 + ((${number} >> (5 * place)) & 31)::integer, 1), '' ORDER BY place DESC)
    FROM generate_series(0, 10) AS place)`;
}
