import { Injectable } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/internal';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { DeclaredRoutes } from '../../../kit/http/declared-routes.js';
import { UNPROCESSABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { HeldCredential } from '../../../kit/security/authenticator.js';
import { refusalOfCredential } from '../../../kit/security/challenges.js';
import { takesStreamTickets } from '../../../kit/security/stream-tickets.js';
import { newSecret, ticketDigestOf } from '../secrets.js';
import type { StreamTicketDto } from './stream-ticket.dto.js';
import { StreamTicketEntity } from './stream-ticket.entity.js';

const LIFETIME_MS = 10 * 60_000;

/** Inserts a ticket for an existing credential, with an expiry not after the credential's. */
const INSERTS = {
  bearer: `INSERT INTO stream_tickets (ticket_hash, token_hash, expires_at)
           SELECT $1, token_hash, least(expires_at, $2) FROM oauth_tokens WHERE token_hash = $3 FOR KEY SHARE
           RETURNING expires_at`,
  api_key: `INSERT INTO stream_tickets (ticket_hash, key_hash, expires_at)
            SELECT $1, $3, least(expires_at, $2) FROM api_keys WHERE key_hash = $3 OR previous_key_hash = $3
            RETURNING expires_at`,
  signature: `INSERT INTO stream_tickets (ticket_hash, signing_key, expires_at)
              SELECT $1, $3, least(expires_at, $2) FROM api_keys WHERE api_key_id = split_part($3, '.', 1)
              RETURNING expires_at`,
} as const;

/** Tickets for event streams; `Authenticator.credentialOfTicket` looks them up. */
@Injectable()
export class StreamTicketsService {
  private paths: readonly RegExp[] | undefined;

  constructor(
    @InjectRepository(StreamTicketEntity) private readonly tickets: Repository<StreamTicketEntity>,
    private readonly routes: DeclaredRoutes,
  ) {}

  /**
   * Creates a ticket for the caller's credential and one path. Throws `unprocessable` (422) if the path's route takes
   * no tickets, and `invalid_token`, `invalid_api_key` or `signature_invalid` (401) if the credential has just ended.
   */
  async create({ scheme, digest }: HeldCredential, path: string): Promise<StreamTicketDto> {
    this.paths ??= this.routes.all().flatMap(pathsWithTickets);
    if (!this.paths.some((pattern) => pattern.test(path))) {
      throw new ApiError(
        UNPROCESSABLE,
        'No event stream with this path takes tickets; send the path alone, as in /openapi.json.',
      );
    }
    const ticket = newSecret('tpt');
    const [made] = await this.tickets.query<{ readonly expires_at: Date }[]>(INSERTS[scheme], [
      ticketDigestOf(ticket, path),
      new Date(Date.now() + LIFETIME_MS),
      digest,
    ]);
    if (made === undefined) throw refusalOfCredential(scheme);
    return { ticket, expires_at: made.expires_at.toISOString() };
  }
}

/** The paths of a route that takes tickets, as patterns; empty for other routes. */
function pathsWithTickets({ controller, handler }: ReturnType<DeclaredRoutes['all']>[number]): RegExp[] {
  if (!takesStreamTickets(handler)) return [];
  const prefix = Reflect.getMetadata(PATH_METADATA, controller) as string;
  const path = Reflect.getMetadata(PATH_METADATA, handler) as string;
  const template = `/${prefix}/${path}`.replaceAll(/\/+/g, '/').replace(/(?<=.)\/$/, '');
  return [new RegExp(`^${template.replaceAll(/:\w+/g, '[^/?#\\s]+')}$`)];
}
