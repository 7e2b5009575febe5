import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { SecretBox, type SecretPlace } from '../../../kit/vault/secret-box.js';

/** The prefix that Standard Webhooks gives secrets, and the size of a new one in bytes: 24 to 64 are allowed. */
const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

type SecretColumn = 'sealed_secret' | 'sealed_previous_secret';

/** The secrets that sign deliveries. They are shown once, when they are made, and kept sealed. */
@Injectable()
export class WebhookSecrets {
  constructor(private readonly box: SecretBox) {}

  make(): string {
    return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
  }

  async seal(
    secret: string,
    endpointId: string,
    column: SecretColumn,
    manager: EntityManager,
  ): Promise<Buffer> {
    return this.box.seal(Buffer.from(secret, 'utf8'), placeOf(endpointId, column), manager);
  }

  async open(
    sealed: Buffer,
    endpointId: string,
    column: SecretColumn,
    manager?: EntityManager,
  ): Promise<string> {
    return (await this.box.open(sealed, placeOf(endpointId, column), manager)).toString('utf8');
  }
}

function placeOf(endpointId: string, column: SecretColumn): SecretPlace {
  return { table: 'webhook_endpoints', row: endpointId, column };
}
