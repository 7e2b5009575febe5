import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { CoalescedWork } from '../../../kit/coalesced-work.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { PurgedRows } from '../../../kit/jobs/purges.js';
import { SignatureNonceEntity } from './signature-nonce.entity.js';

/** Beyond the window, for clocks of processes and the database that differ. */
const SLACK_MS = 60_000;
const WAITING_MAX = 5_000;

export const EXPIRED_NONCES: PurgedRows = {
  table: 'signature_nonces',
  key: ['api_key_id', 'nonce'],
  over: 'expires_at < now()',
  orderBy: 'expires_at',
};

interface Use {
  readonly apiKeyId: string;
  readonly nonce: string;
  readonly usedFor: string | null;
  readonly expiresAt: Date;
  isFirst: boolean;
}

/**
 * Uses up nonces, each of a key once, and binds signed text to its first use: in all processes, and over restarts. All
 * that wait are written by one statement, and are answered once it is durable.
 */
@Injectable()
export class UsedNonces {
  private waiting: Use[] = [];
  private readonly writes = new CoalescedWork(() => this.writeWaiting());

  constructor(
    @InjectRepository(SignatureNonceEntity) private readonly nonces: Repository<SignatureNonceEntity>,
  ) {}

  /**
   * Whether the nonce is used for the first time. `goodUntilMs` is when its signature is too old anyway. Throws
   * `temporarily_unavailable` (503) where too many wait.
   */
  async use(apiKeyId: string, nonce: string, goodUntilMs: number): Promise<boolean> {
    return this.write(apiKeyId, nonce, null, goodUntilMs);
  }

  /**
   * Whether the text, by its digest, was used for nothing else before. The same use may come again. Throws as `use` does.
   */
  async bind(apiKeyId: string, digest: string, usedFor: string, goodUntilMs: number): Promise<boolean> {
    if (await this.write(apiKeyId, digest, usedFor, goodUntilMs)) return true;
    const first = await this.nonces.findOneBy({ apiKeyId, nonce: digest });
    return first?.usedFor === usedFor;
  }

  private async write(
    apiKeyId: string,
    nonce: string,
    usedFor: string | null,
    goodUntilMs: number,
  ): Promise<boolean> {
    if (this.waiting.length >= WAITING_MAX) {
      throw new ApiError(TEMPORARILY_UNAVAILABLE, 'Too many signed requests wait; try again shortly.');
    }
    const expiresAt = new Date(goodUntilMs + SLACK_MS);
    const use: Use = { apiKeyId, nonce, usedFor, expiresAt, isFirst: false };
    this.waiting.push(use);
    await this.writes.take();
    return use.isFirst;
  }

  private async writeWaiting(): Promise<void> {
    const uses = this.waiting;
    this.waiting = [];
    const written = await this.nonces.query<{ readonly api_key_id: string; readonly nonce: string }[]>(
      `INSERT INTO signature_nonces (api_key_id, nonce, expires_at, used_for)
       SELECT * FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[])
       ON CONFLICT DO NOTHING
       RETURNING api_key_id, nonce`,
      [
        uses.map(({ apiKeyId }) => apiKeyId),
        uses.map(({ nonce }) => nonce),
        uses.map(({ expiresAt }) => expiresAt),
        uses.map(({ usedFor }) => usedFor),
      ],
    );
    const unused = new Set(written.map((row) => `${row.api_key_id} ${row.nonce}`));
    // Of several with the same nonce in one statement, the first one has it.
    for (const use of uses) use.isFirst = unused.delete(`${use.apiKeyId} ${use.nonce}`);
  }
}
