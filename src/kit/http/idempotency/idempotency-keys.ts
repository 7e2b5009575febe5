import { createHmac, hash, randomUUID } from 'node:crypto';
import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../../database/pg-pool.js';
import type { PurgedRows } from '../../jobs/purges.js';
import { IDEMPOTENCY_KEY_REUSED, CONFLICT, IDEMPOTENCY_IN_PROGRESS } from '../error-codes.js';
import { ApiError } from '../errors.js';

/**
 * How long after the last renewal a repeat may take over a claim. The process of a running request renews its lease, so
 * only a request whose process died, froze or was cut off loses it.
 */
const LEASE_S = 10;
const RENEW_AFTER_MS = 2_000;
const RENEW_EVERY_MS = 1_000;
const KEPT_HOURS = 24;
/** The largest request that is answered with its own content. */
const ANSWER_BYTES_MAX = 256 * 1024;

/** A claim is retried if the conflicting one was released meanwhile. */
const CLAIM_TRIES_MAX = 3;

export interface KeyedRequest {
  /** The key of the principal that sent it. */
  readonly owner: string;
  readonly key: string;
  /** From `fingerprintOf`. */
  readonly fingerprint: string;
}

/**
 * The right to answer a request; it holds until the answer is recorded, the claim is released, or the lease expires.
 * Bodies may contain passwords or account numbers, and a plain digest would let an attacker test guesses. So the
 * fingerprint is sealed with the key, and only a digest of the key is stored.
 */
export interface Claim {
  readonly owner: string;
  readonly keyHash: string;
  readonly sealedFingerprint: string;
  readonly claimId: string;
}

/** A stored answer. */
export interface KeptAnswer {
  readonly status: number;
  /** `undefined` for an answer without a body. */
  readonly body: unknown;
}

/** Runs a statement that changes rows, and returns how many. */
export type Execute = (statement: string, parameters: unknown[]) => Promise<number>;

type HeldRow = { readonly sealed_fingerprint: string } & (
  | { readonly state: 'running' | 'answer_too_large' }
  | { readonly state: 'answered'; readonly status: number; readonly body: string | null }
);

export const OLD_IDEMPOTENCY_KEYS: PurgedRows = {
  table: 'idempotency_keys',
  key: ['owner', 'key_hash'],
  over: `created_at <= now() - make_interval(hours => ${KEPT_HOURS})`,
  orderBy: 'created_at',
};

/** Requests with an `Idempotency-Key` of the last 24 hours, and their answers. */
@Injectable()
export class IdempotencyKeys implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(IdempotencyKeys.name);
  private renewing: NodeJS.Timeout | undefined;
  /** The claims of this process, with the time of the claim or the last renewal. */
  private readonly leasedAtMs = new Map<Claim, number>();

  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  onApplicationBootstrap(): void {
    this.renewing = setInterval(() => {
      this.renewLeases().catch((error: unknown) => this.logger.warn({ msg: 'renewal failed', err: error }));
    }, RENEW_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.renewing);
  }

  /**
   * Claims a key until `end`, or returns the stored answer. Throws `idempotency_key_reused` (422) if the key was used
   * for another request, `idempotency_in_progress` (409) while the first request still runs, and `conflict` (409) if
   * its answer was too large to store.
   */
  async claim(request: KeyedRequest): Promise<Claim | KeptAnswer> {
    for (let attempt = 0; attempt < CLAIM_TRIES_MAX; attempt++) {
      const claim = claimOf(request);
      if (await this.tryClaim(claim)) {
        this.leasedAtMs.set(claim, performance.now());
        return claim;
      }
      const held = await this.find(claim);
      if (held) return answerOf(held, claim);
    }
    throw inProgress();
  }

  /**
   * Stores the answer of a claimed request. `execute` may run in the handler's own transaction: then the answer is
   * stored exactly if the effect is. Throws `idempotency_in_progress` (409) if the lease expired and a repeat has the
   * claim.
   */
  async record(claim: Claim, { status, body }: KeptAnswer, execute: Execute = this.execute): Promise<void> {
    const text = body === undefined ? null : JSON.stringify(body);
    const fits = text === null || Buffer.byteLength(text) <= ANSWER_BYTES_MAX;
    const recorded = await execute(
      `UPDATE idempotency_keys SET state = $4, status = $5, body = $6
       WHERE owner = $1 AND key_hash = $2 AND claim_id = $3 AND state = 'running'`,
      [
        claim.owner,
        claim.keyHash,
        claim.claimId,
        fits ? 'answered' : 'answer_too_large',
        status,
        fits ? text : null,
      ],
    );
    if (recorded === 0) throw inProgress();
  }

  /** Releases a key for reuse; a stored answer stays. */
  async release({ owner, keyHash, claimId }: Claim): Promise<void> {
    await this.execute(
      `DELETE FROM idempotency_keys WHERE owner = $1 AND key_hash = $2 AND claim_id = $3 AND state = 'running'`,
      [owner, keyHash, claimId],
    );
  }

  /** The request is answered: stops renewing its lease. */
  end(claim: Claim): void {
    this.leasedAtMs.delete(claim);
  }

  /** Renews the leases of long requests; most requests end long before. */
  async renewLeases(): Promise<void> {
    const nowMs = performance.now();
    const due = [...this.leasedAtMs].flatMap(([claim, atMs]) =>
      nowMs - atMs >= RENEW_AFTER_MS ? [claim] : [],
    );
    if (due.length === 0) return;
    await this.execute(
      `UPDATE idempotency_keys SET leased_until = now() + make_interval(secs => ${LEASE_S})
       WHERE (owner, key_hash, claim_id) IN (SELECT * FROM unnest($1::text[], $2::text[], $3::uuid[]))
         AND state = 'running'`,
      [due.map(({ owner }) => owner), due.map(({ keyHash }) => keyHash), due.map(({ claimId }) => claimId)],
    );
    for (const claim of due) if (this.leasedAtMs.has(claim)) this.leasedAtMs.set(claim, nowMs);
  }

  /** Uses the database's clock, so that all processes agree on expiry. */
  private async tryClaim({ owner, keyHash, sealedFingerprint, claimId }: Claim): Promise<boolean> {
    const claimed = await this.execute(
      `INSERT INTO idempotency_keys AS held (owner, key_hash, sealed_fingerprint, claim_id, state, leased_until, created_at)
       VALUES ($1, $2, $3, $4, 'running', now() + make_interval(secs => ${LEASE_S}), now())
       ON CONFLICT (owner, key_hash) DO UPDATE
       SET sealed_fingerprint = excluded.sealed_fingerprint, claim_id = excluded.claim_id, state = excluded.state,
         leased_until = excluded.leased_until, created_at = excluded.created_at, status = NULL, body = NULL
       WHERE held.created_at <= now() - make_interval(hours => ${KEPT_HOURS})
         OR (held.state = 'running' AND held.leased_until <= now() AND held.sealed_fingerprint = excluded.sealed_fingerprint)`,
      [owner, keyHash, sealedFingerprint, claimId],
    );
    return claimed > 0;
  }

  private async find({ owner, keyHash }: Claim): Promise<HeldRow | undefined> {
    const { rows } = await this.pool.query<HeldRow>(
      'SELECT sealed_fingerprint, state, status, body FROM idempotency_keys WHERE owner = $1 AND key_hash = $2',
      [owner, keyHash],
    );
    return rows[0];
  }

  private readonly execute: Execute = async (statement, parameters) =>
    (await this.pool.query(statement, parameters)).rowCount ?? 0;
}

function claimOf({ owner, key, fingerprint }: KeyedRequest): Claim {
  return {
    owner,
    keyHash: hash('sha256', key, 'hex'),
    sealedFingerprint: createHmac('sha256', key).update(fingerprint).digest('hex'),
    claimId: randomUUID(),
  };
}

function answerOf(held: HeldRow, claim: Claim): KeptAnswer {
  if (held.sealed_fingerprint !== claim.sealedFingerprint) {
    throw new ApiError(
      IDEMPOTENCY_KEY_REUSED,
      'This Idempotency-Key came with another request before; use a new key for a new request.',
    );
  }
  switch (held.state) {
    case 'running':
      throw inProgress();
    case 'answer_too_large':
      throw new ApiError(
        CONFLICT,
        'This request was carried out before, but its answer was too large to be kept.',
      );
    case 'answered':
      return {
        status: held.status,
        body: held.body === null ? undefined : (JSON.parse(held.body) as unknown),
      };
  }
}

function inProgress(): ApiError {
  return new ApiError(
    IDEMPOTENCY_IN_PROGRESS,
    'A request with this Idempotency-Key is still running; send it again in a moment.',
    { headers: { 'Retry-After': '1' } },
  );
}
