import { Inject, Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { Webhook } from 'standardwebhooks';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { OutgoingError } from '../../../kit/outgoing/outgoing-error.js';
import { OutgoingHttp, type OutgoingResponse } from '../../../kit/outgoing/outgoing-http.js';
import { readRetryAfter, retryAfterRemark } from '../../../kit/outgoing/retry-after.js';
import { UnreadableSecret } from '../../../kit/vault/key-vault.js';
import type { DueDelivery, Target } from './delivery-lane.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookTiming } from './webhook-timing.js';
import { EVENT_IDS } from '../ids.js';

/** The part of an answer that the delivery log keeps. */
const ANSWER_BYTES_KEPT = 1_024;
const EVENT_BYTES_CACHED_MAX = 16 * 1024 * 1024;
const SECRETS_CACHED_MAX = 1_000;
const SECRET_CACHED_MS = 5 * 60_000;

/** The result of one attempt. */
export interface Attempt {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Null where no answer came. */
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  /** Why no answer came, or what of it was not understood; null where neither is so. */
  readonly error: string | null;
  /** The pause that the receiver asked for. */
  readonly retryAfterMs: number;
}

type Outcome = Omit<Attempt, 'startedAt' | 'durationMs'>;

/** Makes single attempts: sends an event, signed as Standard Webhooks defines, to the address of an endpoint. */
@Injectable()
export class WebhookSender {
  private readonly logger = new Logger('Webhooks');
  /** Events never change, and most go to many endpoints. */
  private readonly payloads = new LRUCache<string, string>({
    maxSize: EVENT_BYTES_CACHED_MAX,
    sizeCalculation: (payload) => payload.length + 1,
  });
  private readonly opened = new LRUCache<string, string>({
    max: SECRETS_CACHED_MAX,
    ttl: SECRET_CACHED_MS,
  });

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly secrets: WebhookSecrets,
    private readonly outgoing: OutgoingHttp,
    private readonly timing: WebhookTiming,
  ) {}

  /** Rejects only where the attempt could not be made at all, or was cancelled: such an attempt does not count. */
  async attempt(target: Target, { eventId }: DueDelivery, signal: AbortSignal): Promise<Attempt> {
    const payload = await this.payloadOf(eventId);
    const startedAt = this.timing.now();
    const stopwatchMs = performance.now();
    const outcome = await this.signAndPost(target, eventId, startedAt, payload, signal);
    return { startedAt, durationMs: Math.round(performance.now() - stopwatchMs), ...outcome };
  }

  private async signAndPost(
    target: Target,
    eventId: string,
    at: Date,
    payload: string,
    signal: AbortSignal,
  ): Promise<Outcome> {
    let secrets: string[];
    try {
      secrets = await this.secretsOf(target);
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      this.logger.error({ err: error, msg: 'a webhook cannot be signed' });
      return noAnswer('It could not be signed. Make a new secret for this webhook.');
    }
    return this.post(target.url, payload, headersOf(eventId, at, payload, secrets), signal);
  }

  private async post(
    url: string,
    body: string,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    try {
      const response = await this.outgoing.request({
        method: 'POST',
        url,
        headers,
        body,
        timeoutMs: this.timing.answerWithinMs,
        bodyBytesMax: ANSWER_BYTES_KEPT,
        longBody: 'cut',
        signal,
      });
      return {
        responseStatus: response.status,
        responseBody: storableText(response.body),
        error: retryAfterRemark(response.headers['retry-after'], this.timing.now()),
        retryAfterMs: this.retryAfterMs(response),
      };
    } catch (error) {
      if (!(error instanceof OutgoingError) || error.code === 'cancelled') throw error;
      return noAnswer(error.message);
    }
  }

  private retryAfterMs({ headers }: OutgoingResponse): number {
    const asked = headers['retry-after'];
    const askedMs = asked === undefined ? undefined : readRetryAfter(asked, this.timing.now());
    return Math.min(askedMs ?? 0, this.timing.pauseMostMs);
  }

  private async payloadOf(eventId: string): Promise<string> {
    const cached = this.payloads.get(eventId);
    if (cached !== undefined) return cached;
    const { rows } = await this.pool.query<{ payload: string }>(
      'SELECT payload FROM webhook_events WHERE event_id = $1',
      [eventId],
    );
    const { payload } = rows[0]!;
    this.payloads.set(eventId, payload);
    return payload;
  }

  /** The current secret and, during the overlap, the previous one too. */
  private async secretsOf(target: Target): Promise<string[]> {
    const { endpointId, sealedSecret, sealedPreviousSecret, previousSecretUntil } = target;
    const secrets = [await this.open(sealedSecret, endpointId, 'sealed_secret')];
    if (sealedPreviousSecret !== null && previousSecretUntil !== null) {
      if (previousSecretUntil > this.timing.now()) {
        secrets.push(await this.open(sealedPreviousSecret, endpointId, 'sealed_previous_secret'));
      }
    }
    return secrets;
  }

  private async open(
    sealed: Buffer,
    endpointId: string,
    column: 'sealed_secret' | 'sealed_previous_secret',
  ): Promise<string> {
    const key = sealed.toString('base64');
    const cached = this.opened.get(key);
    if (cached !== undefined) return cached;
    const secret = await this.secrets.open(sealed, endpointId, column);
    this.opened.set(key, secret);
    return secret;
  }
}

function noAnswer(error: string): Outcome {
  return { responseStatus: null, responseBody: null, error, retryAfterMs: 0 };
}

/** The id is that of the event, the same at every attempt, so that a receiver recognises duplicates. */
function headersOf(
  eventId: string,
  at: Date,
  payload: string,
  secrets: readonly string[],
): Record<string, string> {
  const id = EVENT_IDS.format(Number(eventId));
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Tradepost-Webhooks',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, payload)).join(' '),
  };
}

function storableText(bytes: Buffer): string {
  return bytes.toString('utf8').replaceAll('\0', '');
}
