import type { QueryConfig } from 'pg';
import { movedBetween } from '../../../core/tables/ledger-transfers.js';
import { LEAF_PARTS } from '../../../domain/proof/liability-proof.js';

/** Those of customers, and pools of event markets, which are owed to whoever holds positions. */
const OWED_TO = `(a.owner IS NOT NULL OR a.kind = 'pool')`;

const OWED_NOW = `
  WITH owed AS (
    SELECT b.account_id, a.kind, b.asset, b.available + b.held AS units
    FROM balances b JOIN accounts a ON a.account_id = b.account_id
    WHERE ${OWED_TO}
  )`;

/**
 * What everybody was owed once everything up to a sequence was done: what they have now, less what has come in and plus
 * what has gone out since. All changes of a total are transfers, so this is exact.
 */
const OWED_AT = `
  WITH moved AS (${movedBetween({ after: '$2::int8', until: `${Number.MAX_SAFE_INTEGER}` })}), owed AS (
    SELECT b.account_id, a.kind, b.asset, b.available + b.held - coalesce(m.units, 0) AS units
    FROM balances b JOIN accounts a ON a.account_id = b.account_id
      LEFT JOIN moved m ON m.account_id = b.account_id AND m.asset = b.asset
    WHERE ${OWED_TO}
  )`;

/**
 * Declares the cursor `leaves`. It outlives its transaction, whose commit copies all rows. They are in the order of their
 * salts: it is random, and who does not know the secret cannot tell who stands next to whom. The salts are those of
 * `leafSaltOf`.
 */
export function leavesQuery(secret: Uint8Array, pastSequence: number | null): QueryConfig {
  const text = `
    DECLARE leaves NO SCROLL CURSOR WITH HOLD FOR
    ${pastSequence === null ? OWED_NOW : OWED_AT},
    balances_of AS (
      SELECT account_id, kind = 'pool' AS is_pool, string_agg(asset || ' ' || units, ' ' ORDER BY asset) AS balances
      FROM owed WHERE units <> 0 GROUP BY account_id, kind
    )
    SELECT account_id, part, balances, is_pool,
      sha256($1::bytea || int8send(account_id) || int2send(part::smallint)) AS salt
    FROM balances_of CROSS JOIN generate_series(1, ${LEAF_PARTS}) AS part
    ORDER BY salt`;
  return { text, values: pastSequence === null ? [secret] : [secret, pastSequence] };
}
