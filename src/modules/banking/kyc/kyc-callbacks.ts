import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { KycProvider } from './kyc-provider.js';
import { BODY_BYTES_MAX } from '../../../kit/http/body-policy.js';
import { parseJsonBody } from '../../../kit/http/body/json-body.js';
import { payloadTooLarge } from '../../../kit/http/body/payload-too-large.js';
import { NOT_FOUND, MALFORMED_REQUEST } from '../../../kit/http/error-codes.js';
import { INVALID_CREDENTIALS } from '../../users/errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { KycProviderCases } from './kyc-provider-cases.js';

/** Without a dot: the signature is over id, timestamp and body with dots between them. */
const MESSAGE_ID = /^[\x21-\x2d\x2f-\x7e]{1,255}$/;

/** Verifies that a message is the provider's before parsing it. */
@Injectable()
export class KycCallbacks {
  constructor(
    private readonly provider: KycProvider,
    private readonly cases: KycProviderCases,
  ) {}

  /**
   * Reads and processes a callback. Throws `not_found` (404) if this provider sends none, `invalid_credentials` (401)
   * for a wrong, missing or old signature, `payload_too_large` (413), `malformed_request` (400), and what
   * `KycProviderCases.receive` throws.
   */
  async receive(providerName: string, request: IncomingMessage): Promise<void> {
    const secrets = providerName === this.provider.name ? this.provider.callbackSecrets() : [];
    if (secrets.length === 0) throw new ApiError(NOT_FOUND, 'There is no such KYC provider.');
    // The signature covers the raw bytes, so parse them afterwards.
    const body = await readBytes(request);
    if (!isUtf8(body)) throw new ApiError(MALFORMED_REQUEST, 'Send the body in UTF-8.');
    const messageId = headerOf(request, 'webhook-id');
    const isSigned =
      MESSAGE_ID.test(messageId) && secrets.some((secret) => isSignedWith(secret, body, request));
    if (!isSigned) {
      throw new ApiError(
        INVALID_CREDENTIALS,
        'Sign the message with the secret that was agreed on, and now.',
      );
    }
    await this.cases.receive(messageId, parseJsonBody(body.toString('utf8')));
  }
}

function isSignedWith(secret: string, body: Buffer, request: IncomingMessage): boolean {
  try {
    new Webhook(secret).verify(
      body,
      {
        'webhook-id': headerOf(request, 'webhook-id'),
        'webhook-timestamp': headerOf(request, 'webhook-timestamp'),
        'webhook-signature': headerOf(request, 'webhook-signature'),
      },
      { jsonParse: false },
    );
    return true;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return false;
    throw error;
  }
}

function headerOf(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}

/** The raw body. The rest of an oversized body is left unread, so that the answer can still be sent. */
async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = Number(request.headers['content-length'] ?? 0) > BODY_BYTES_MAX ? Infinity : 0;
  if (length === 0) {
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > BODY_BYTES_MAX) break;
        chunks.push(chunk);
      }
    } catch (error) {
      const message = 'The connection closed before the whole body had arrived.';
      throw new ApiError(MALFORMED_REQUEST, message, { cause: error });
    }
  }
  if (length > BODY_BYTES_MAX) {
    request.resume();
    throw payloadTooLarge(BODY_BYTES_MAX);
  }
  return Buffer.concat(chunks, length);
}
