/** What happened after the end of a restored copy, as far as the files of the audit log tell, and what of it can be repeated. */
import type pg from 'pg';
import { readAuditFiles, type SealedAct } from '../kit/audit/audit-files.js';
import type { KeptSeal } from '../kit/audit/audit-verifier.js';

const ACTS_PER_QUERY = 1_000;

export interface ForgottenActs {
  /** Why the files and the copy are not of one chain; null where they are. */
  readonly fault: string | null;
  readonly acts: readonly SealedAct[];
  /** How many positions after the copy's end the files lack. */
  readonly missing: number;
}

/** Compares the files with the chain of the copy up to its end, and keeps what comes after. */
export async function forgottenActs(
  client: pg.ClientBase,
  folder: string,
  end: KeptSeal,
): Promise<ForgottenActs> {
  const acts: SealedAct[] = [];
  let shared: SealedAct[] = [];
  for await (const act of readAuditFiles(folder)) {
    if (act.position > end.position) acts.push(act);
    else if (shared.push(act) === ACTS_PER_QUERY) {
      const fault = await difference(client, shared);
      if (fault !== null) return { fault, acts: [], missing: 0 };
      shared = [];
    }
  }
  const fault = await difference(client, shared);
  acts.sort((one, other) => one.position - other.position);
  const last = acts.at(-1)?.position ?? end.position;
  return { fault, acts, missing: last - end.position - new Set(acts.map(({ position }) => position)).size };
}

async function difference(client: pg.ClientBase, acts: readonly SealedAct[]): Promise<string | null> {
  const { rows } = await client.query<{ position: string; hash: string }>(
    'SELECT position, hash FROM audit_seals WHERE position = ANY ($1)',
    [acts.map(({ position }) => position)],
  );
  const hashes = new Map(rows.map(({ position, hash }) => [Number(position), hash]));
  const other = acts.find(({ position, hash }) => hashes.get(position) !== hash);
  return other === undefined
    ? null
    : `wrong timeline: the audit log's files have another act at position ${other.position} than the copy`;
}

interface Kind {
  readonly what: string;
  readonly isOf: (act: SealedAct) => boolean;
  /** Statements with the target's id as `$1`; none where the files do not tell enough. */
  readonly repeat: readonly string[];
  readonly advice: string;
}

/** What acts are found by: a test holds them to the document. */
export const ACTIONS = new Set<string>();

/** Acts by their operation ids, and by what earlier versions called them. */
function named(...actions: readonly string[]): Kind['isOf'] {
  for (const action of actions) ACTIONS.add(action);
  return ({ action }) => actions.includes(action);
}

const REVOKE_KEY = [
  'DELETE FROM api_keys WHERE api_key_id = $1',
  `UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'credential', updated_at = now()
   WHERE owner = 'api_key:' || $1 AND credential = owner AND deleted_at IS NULL AND disabled_at IS NULL`,
];

/** In the order in which the service ends them. */
const END_SESSIONS = ['oauth_grants', 'oauth_tokens', 'login_sessions', 'sessions'].map(
  (table) =>
    `DELETE FROM ${table} WHERE user_id = (SELECT user_id FROM users WHERE lower(username) = lower($1))`,
);

/** Statements do what the service's own routes do; what follows from it, such as an erasure, the service does at its next start. */
const KINDS: readonly Kind[] = [
  {
    what: 'a revoked key',
    isOf: named('deleteApiKey', 'deleteSigningKey', 'ApiKeys_remove', 'SigningKeys_remove'),
    repeat: REVOKE_KEY,
    advice: 'revoked again',
  },
  {
    what: 'the former half of a rotated key',
    isOf: named('rotateApiKey', 'rotateSigningKey', 'ApiKeys_rotate', 'SigningKeys_rotate'),
    repeat: REVOKE_KEY,
    advice: 'revoked, since the present half is lost: its owner makes another key',
  },
  {
    what: 'ended sessions',
    isOf: named('endSession', 'endOtherSessions', 'logoutUser'),
    repeat: END_SESSIONS,
    advice: 'all sessions of the user are ended',
  },
  {
    what: 'a deleted client',
    isOf: named('deleteClient', 'Clients_remove'),
    repeat: [
      'DELETE FROM oauth_grants WHERE client_id = $1',
      'DELETE FROM oauth_tokens WHERE client_id = $1',
      'DELETE FROM oauth_clients WHERE client_id = $1',
      `UPDATE webhook_endpoints SET disabled_at = now(), disabled_reason = 'credential', updated_at = now()
       WHERE owner = 'client:' || $1 AND credential = owner AND deleted_at IS NULL AND disabled_at IS NULL`,
    ],
    advice: 'deleted again',
  },
  {
    what: 'an erased person',
    isOf: named('deleteUser', 'system:erasure', 'Users_remove'),
    repeat: [
      `UPDATE users SET user_status = 2, is_operator = false, operator_roles = '{}', identity_roles = '{}', first_name = NULL, last_name = NULL, email = NULL,
         phone = NULL, password_hash = NULL WHERE lower(username) = lower($1)`,
    ],
    advice: 'closed again; the service erases the rest when it starts; cancel the orders that came back',
  },
  {
    what: 'a lock',
    isOf: named('lockUser', 'UserLocks_lock'),
    repeat: ['UPDATE users SET user_status = 1 WHERE lower(username) = lower($1) AND user_status = 0'],
    advice: 'locked again',
  },
  {
    what: 'the end of a lock',
    isOf: named('unlockUser', 'UserLocks_unlock'),
    repeat: [],
    advice: 'not repeated: unlock by hand',
  },
  {
    what: 'an old password',
    isOf: ({ details }) => /"changed": \[[^\]]*"password"/.test(details),
    repeat: [
      ...END_SESSIONS,
      // Without a verified address nobody could set another one.
      `UPDATE users SET password_hash = NULL
       WHERE lower(username) = lower($1) AND user_status <> 2 AND email_verified_at IS NOT NULL`,
    ],
    advice:
      'sessions are ended; cleared where a verified address can reset it, else an operator sets another one',
  },
];

/** After these nothing comes back that was ended. */
const isLogIn = named(
  'loginUser',
  'logInByPasskey',
  'stepUp',
  'createAccessToken',
  'exchangeToken',
  'authorizeClient',
);

/** Repeats what it can in one transaction, and returns a line for each act but log-ins. */
export async function repeatActs(client: pg.ClientBase, acts: readonly SealedAct[]): Promise<string[]> {
  const lines: string[] = [];
  await client.query('BEGIN');
  try {
    for (const act of acts.filter((each) => each.outcome === 'succeeded' && !isLogIn(each))) {
      const kind = KINDS.find(({ isOf }) => isOf(act));
      for (const statement of kind?.repeat ?? []) await client.query(statement, [act.target_id]);
      const { what, advice } = kind ?? { what: act.action, advice: 'not repeated: decide by hand' };
      lines.push(`  ${what}: ${act.target_type}:${act.target_id}, ${timeOf(act)} (${advice})`);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  return lines;
}

function timeOf({ at_ms }: SealedAct): string {
  return new Date(Number(at_ms)).toISOString();
}
