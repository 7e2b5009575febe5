import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, type FindOptionsWhere, IsNull, LessThan, Not } from 'typeorm';
import { lockUntilCommit } from '../../../kit/database/advisory-locks.js';
import {
  NOT_FOUND,
  INSUFFICIENT_SCOPE,
  CONFLICT,
  DESTINATION_NOT_ALLOWED,
  LIMIT_EXCEEDED,
} from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { OutgoingError } from '../../../kit/outgoing/outgoing-error.js';
import { OutgoingHttp } from '../../../kit/outgoing/outgoing-http.js';
import { CredentialStandings, credentialKeyOf } from '../../../kit/security/credential-standings.js';
import { isInPerson, type Principal } from '../../../kit/security/principal.js';
import { WebhookCatalogue } from '../../../kit/webhooks/webhook-catalogue.js';
import { WebhookEndpointEntity } from './webhook-endpoint.entity.js';
import type { WebhookFilter } from '../../../kit/webhooks/webhook-event-type.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookTiming } from './webhook-timing.js';
import { WEBHOOK_IDS } from '../ids.js';

const ENDPOINTS_PER_PRINCIPAL_MAX = 100;

export interface NewEndpoint {
  /** Null where its owner pulls. */
  readonly url: string | null;
  readonly ordered: boolean;
  readonly eventTypes: readonly string[];
  readonly filter: WebhookFilter;
}

export interface EndpointChange {
  readonly eventTypes?: readonly string[];
  readonly filter?: WebhookFilter;
  readonly ordered?: boolean;
  readonly disabled?: boolean;
}

export const ENDPOINT_STATES = ['active', 'failing', 'disabled'] as const;
/** `failing`: nothing was delivered since a while, and it is still tried. */
export type EndpointState = (typeof ENDPOINT_STATES)[number];

const IN_STATE: Readonly<Record<EndpointState, FindOptionsWhere<WebhookEndpointEntity>>> = {
  active: { disabledAt: IsNull(), failingSince: IsNull() },
  failing: { disabledAt: IsNull(), failingSince: Not(IsNull()) },
  disabled: { disabledAt: Not(IsNull()) },
};

export interface AllEndpointsQuery extends PageQueryDto {
  readonly state?: EndpointState;
  /** The owner of the accounts that its principal acts on. */
  readonly owner?: string;
}

/** An endpoint together with its secret, which is shown only once. */
export interface EndpointWithSecret {
  readonly endpoint: WebhookEndpointEntity;
  readonly secret: string;
}

/**
 * The endpoints of principals. A user in person has those of all credentials that act for the user; any other
 * credential has only those that it made. Endpoints of others are reported as not found.
 */
@Injectable()
export class WebhookEndpoints {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly catalogue: WebhookCatalogue,
    private readonly secrets: WebhookSecrets,
    private readonly timing: WebhookTiming,
    private readonly outgoing: OutgoingHttp,
    private readonly standings: CredentialStandings,
  ) {}

  /**
   * Throws `validation_failed` (400) for what is no URL of https or no type of event, `insufficient_scope` (403)
   * for types that the principal may not read of, `destination_not_allowed` (422) for an address that is not on
   * the public Internet, and `limit_exceeded` (422).
   */
  async register(
    principal: Principal,
    { url, ordered, eventTypes, filter }: NewEndpoint,
  ): Promise<EndpointWithSecret> {
    this.assertMayHear(principal, eventTypes);
    if (url !== null) await this.assertReachable(url);
    const secret = this.secrets.make();
    const endpoint = await this.dataSource.transaction(async (manager) => {
      await this.assertRoom(manager, principal);
      const [row] = await manager.query<[{ id: string }]>(
        `SELECT nextval(pg_get_serial_sequence('webhook_endpoints', 'endpoint_id')) AS id`,
      );
      const endpointId = row.id;
      const now = this.timing.now();
      const created = manager.create(WebhookEndpointEntity, {
        endpointId,
        owner: principal.key,
        credential: credentialKeyOf(principal),
        accountOwner: principal.accountOwner,
        url: url === null ? null : new URL(url).href,
        ordered,
        eventTypes: [...new Set(eventTypes)],
        filter,
        sealedSecret: await this.secrets.seal(secret, endpointId, 'sealed_secret', manager),
        createdAt: now,
        updatedAt: now,
      });
      await manager.insert(WebhookEndpointEntity, created);
      return manager.findOneByOrFail(WebhookEndpointEntity, { endpointId });
    });
    return { endpoint, secret };
  }

  /** Newest first. Throws `invalid_cursor` (400). */
  async list<Item>(
    principal: Principal,
    { limit, cursor }: PageQueryDto,
    toItem: (endpoint: WebhookEndpointEntity) => Item,
  ): Promise<Page<Item>> {
    const before = decodeCursor(cursor, ['integer']);
    const rows = await this.dataSource.manager.find(WebhookEndpointEntity, {
      where: {
        ...seenBy(principal),
        deletedAt: IsNull(),
        ...(before && { endpointId: LessThan(String(before[0])) }),
      },
      order: { endpointId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, ({ endpointId }) => [Number(endpointId)], toItem);
  }

  /** Those of all owners, for operators: newest first. Throws `invalid_cursor` (400). */
  async listOfAll<Item>(
    { limit, cursor, state, owner }: AllEndpointsQuery,
    toItem: (endpoint: WebhookEndpointEntity) => Item,
  ): Promise<Page<Item>> {
    const before = decodeCursor(cursor, ['integer']);
    const rows = await this.dataSource.manager.find(WebhookEndpointEntity, {
      where: {
        ...(state && IN_STATE[state]),
        ...(owner !== undefined && { accountOwner: owner }),
        deletedAt: IsNull(),
        ...(before && { endpointId: LessThan(String(before[0])) }),
      },
      order: { endpointId: 'DESC' },
      take: limit + 1,
    });
    return pageOf(rows, limit, ({ endpointId }) => [Number(endpointId)], toItem);
  }

  /** Throws `not_found` (404). */
  async get(principal: Principal, webhookId: string): Promise<WebhookEndpointEntity> {
    return this.find(this.dataSource.manager, seenBy(principal), webhookId);
  }

  /** Of any owner, for operators. Throws `not_found` (404). */
  async getOfAny(webhookId: string): Promise<WebhookEndpointEntity> {
    return this.find(this.dataSource.manager, {}, webhookId);
  }

  /**
   * Changes which events the endpoint gets, or whether it gets any. An endpoint that was disabled starts afresh: events
   * published meanwhile are not delivered, and failed ones may be sent again one by one. Throws as `register` does,
   * `not_found` (404), and `conflict` (409) when enabling one whose credential is gone.
   */
  async update(
    principal: Principal,
    webhookId: string,
    { eventTypes, filter, ordered, disabled }: EndpointChange,
  ): Promise<WebhookEndpointEntity> {
    if (eventTypes !== undefined) this.assertMayHear(principal, eventTypes);
    if (disabled === false) await this.assertCredentialStands(await this.get(principal, webhookId));
    return this.dataSource.transaction(async (manager) => {
      const endpoint = await this.find(manager, seenBy(principal), webhookId, 'pessimistic_write');
      const now = this.timing.now();
      if (eventTypes !== undefined) endpoint.eventTypes = [...new Set(eventTypes)];
      if (filter !== undefined) endpoint.filter = filter;
      if (ordered !== undefined) endpoint.ordered = ordered;
      if (disabled === true && endpoint.disabledAt === null) {
        endpoint.disabledAt = now;
        endpoint.disabledReason = 'owner';
        await giveUpPending(manager, [endpoint.endpointId], now);
      }
      if (disabled === false && endpoint.disabledAt !== null) {
        endpoint.listensSince = await clockOf(manager);
        endpoint.disabledAt = null;
        endpoint.disabledReason = null;
        endpoint.failingSince = null;
      }
      endpoint.updatedAt = now;
      return manager.save(endpoint);
    });
  }

  /**
   * Makes a new secret. For a day deliveries are signed with both, so that the receiver can change over.
   * Throws `not_found` (404).
   */
  async rotateSecret(principal: Principal, webhookId: string): Promise<EndpointWithSecret> {
    const secret = this.secrets.make();
    const endpoint = await this.dataSource.transaction(async (manager) => {
      const found = await this.find(manager, seenBy(principal), webhookId, 'pessimistic_write');
      const { endpointId } = found;
      const now = this.timing.now();
      const previous = await this.secrets.open(found.sealedSecret, endpointId, 'sealed_secret', manager);
      found.sealedPreviousSecret = await this.secrets.seal(
        previous,
        endpointId,
        'sealed_previous_secret',
        manager,
      );
      found.previousSecretUntil = new Date(now.getTime() + this.timing.secretOverlapMs);
      found.sealedSecret = await this.secrets.seal(secret, endpointId, 'sealed_secret', manager);
      found.updatedAt = now;
      return manager.save(found);
    });
    return { endpoint, secret };
  }

  /** Stops all deliveries to it. Throws `not_found` (404). */
  async remove(principal: Principal, webhookId: string): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const endpoint = await this.find(manager, seenBy(principal), webhookId, 'pessimistic_write');
      const now = this.timing.now();
      endpoint.deletedAt = now;
      await manager.save(endpoint);
      await giveUpPending(manager, [endpoint.endpointId], now);
    });
  }

  /** Disables all webhooks that a credential made, when the credential ends. Its owner still sees them. */
  async disableAllOf(manager: EntityManager, credentialKey: string): Promise<void> {
    const now = this.timing.now();
    const [disabled] = await manager.query<[{ endpoint_id: string }[], number]>(
      `UPDATE webhook_endpoints SET disabled_at = $2, disabled_reason = 'credential', updated_at = $2
       WHERE endpoint_id IN (
         SELECT endpoint_id FROM webhook_endpoints
         WHERE owner = $1 AND credential = $1 AND deleted_at IS NULL AND disabled_at IS NULL
         ORDER BY endpoint_id FOR UPDATE
       ) RETURNING endpoint_id`,
      [credentialKey, now],
    );
    await giveUpPending(manager, idsOf(disabled), now);
  }

  /** Deletes all webhooks of a deleted principal, and of those who acted on its accounts. */
  async removeAllOf(manager: EntityManager, principalKey: string): Promise<void> {
    const now = this.timing.now();
    const [removed] = await manager.query<[{ endpoint_id: string }[], number]>(
      `UPDATE webhook_endpoints SET deleted_at = $2
       WHERE endpoint_id IN (
         SELECT endpoint_id FROM webhook_endpoints
         WHERE (owner = $1 OR account_owner = $1) AND deleted_at IS NULL
         ORDER BY endpoint_id FOR UPDATE
       ) RETURNING endpoint_id`,
      [principalKey, now],
    );
    await giveUpPending(manager, idsOf(removed), now);
  }

  private async find(
    manager: EntityManager,
    seen: FindOptionsWhere<WebhookEndpointEntity>,
    webhookId: string,
    lock?: 'pessimistic_write',
  ): Promise<WebhookEndpointEntity> {
    const id = WEBHOOK_IDS.parse(webhookId);
    const endpoint =
      id === undefined
        ? null
        : await manager.findOne(WebhookEndpointEntity, {
            where: { endpointId: String(id), ...seen, deletedAt: IsNull() },
            ...(lock && { lock: { mode: lock } }),
          });
    if (endpoint === null) throw new ApiError(NOT_FOUND, 'There is no such webhook.');
    return endpoint;
  }

  private assertMayHear(principal: Principal, eventTypes: readonly string[]): void {
    for (const [i, name] of eventTypes.entries()) {
      const type = this.catalogue.find(name);
      if (type === undefined) {
        const message = `must be one of: ${this.catalogue.names().join(', ')}`;
        throw ApiError.validation([{ field: `event_types.${i}`, message }]);
      }
      const { scope } = type;
      if (scope !== undefined && !principal.scopes.has(scope)) {
        throw new ApiError(INSUFFICIENT_SCOPE, `Webhooks of ${name} need a credential with ${scope}.`);
      }
    }
  }

  private async assertCredentialStands({ credential }: WebhookEndpointEntity): Promise<void> {
    if ((await this.standings.scopesOf(credential)) !== undefined) return;
    throw new ApiError(
      CONFLICT,
      'The credential that made this webhook is gone. Delete it, and register another one.',
    );
  }

  private async assertReachable(url: string): Promise<void> {
    try {
      await this.outgoing.check(url);
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      if (error.code === 'invalid_url') {
        throw ApiError.validation([{ field: 'url', message: error.message }]);
      }
      throw new ApiError(DESTINATION_NOT_ALLOWED, `Webhooks cannot go to this URL. ${error.message}`);
    }
  }

  private async assertRoom(manager: EntityManager, { key: owner }: Principal): Promise<void> {
    // Registrations of one principal are serialised, so that each counts those before it.
    await lockUntilCommit(manager, `webhook_endpoints:${owner}`);
    const held = await manager.countBy(WebhookEndpointEntity, { owner, deletedAt: IsNull() });
    if (held < ENDPOINTS_PER_PRINCIPAL_MAX) return;
    throw new ApiError(
      LIMIT_EXCEEDED,
      `You have ${ENDPOINTS_PER_PRINCIPAL_MAX} webhooks, which is as many as can be. Delete some first.`,
    );
  }
}

function seenBy(principal: Principal): FindOptionsWhere<WebhookEndpointEntity> {
  if (isInPerson(principal)) return { accountOwner: principal.key };
  return { owner: principal.key, credential: credentialKeyOf(principal) };
}

function idsOf(rows: readonly { readonly endpoint_id: string }[]): string[] {
  return rows.map(({ endpoint_id }) => endpoint_id);
}

/** The public id of an endpoint. */
export function webhookIdOf(endpointId: string): string {
  return WEBHOOK_IDS.format(Number(endpointId));
}

/** Ends the pending deliveries of endpoints that get no more. */
export async function giveUpPending(
  manager: EntityManager,
  endpointIds: readonly string[],
  now: Date,
): Promise<void> {
  await manager.query(
    `WITH pending AS MATERIALIZED (
       SELECT delivery_id FROM webhook_deliveries WHERE endpoint_id = ANY($1::bigint[]) AND status = 'pending'
       ORDER BY delivery_id FOR UPDATE
     )
     UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, updated_at = $2
     WHERE delivery_id IN (SELECT delivery_id FROM pending)`,
    [endpointIds, now],
  );
}

/** The start of the transaction, by the clock that dates events. */
async function clockOf(manager: EntityManager): Promise<Date> {
  const [row] = await manager.query<[{ now: Date }]>('SELECT now()::timestamptz(3) AS now');
  return row.now;
}
