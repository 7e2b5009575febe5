import { randomUUID } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import { FORBIDDEN } from '../http/error-codes.js';
import { ApiError, type ErrorEnvelope, errorEnvelope } from '../http/errors.js';
import { toApiError } from '../server/exception.filter.js';
import { RateLimits } from '../rate-limit/rate-limits.js';
import { Authenticator, type HeldCredential } from '../security/authenticator.js';
import { requireAllowedNetwork } from '../security/allowed-networks.js';
import type { SocketData } from '../security/current-principal.js';
import type { Principal } from '../security/principal.js';
import type { ScopeRequirement } from '../security/scope.js';
import { ConnectionLimits } from './connection-limits.js';
import { CredentialWatch } from './credential-watch.js';
import { endSocket } from './end-socket.js';
import type { SocketCredentialDto } from './socket-authentication.dto.js';
import { SocketCredentials } from './socket-credentials.js';
import type { Acknowledgement } from './socket-gateway.js';

/** What every client of a namespace that asks for a credential may send. */
export interface CredentialClientEvents {
  /** Goes on with another credential of the same principal, before the one it has expires. */
  'auth.renew'(message: SocketCredentialDto, acknowledge: (answer: Acknowledgement<null>) => void): void;
}

/** What every client may receive, of any namespace. */
export interface ErrorServerEvents {
  /** A message that asked for no acknowledgement failed, or the socket is about to be disconnected. */
  error(envelope: ErrorEnvelope): void;
}

/** What the service knows of a socket that had to prove itself. */
export interface AuthenticatedSocketData extends SocketData {
  principal: Principal;
}

type AnySocket = Socket<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, AuthenticatedSocketData>;
type AnyNamespace = Namespace<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, AuthenticatedSocketData>;

/**
 * Asks clients of a namespace for a credential, in the handshake: `auth: {token}`, `auth: {api_key}`, or
 * `auth: {signature_input, signature}`, or the headers that HTTP takes, for clients that can send them. Who has none
 * that is good gets a `connect_error` whose `data` is the envelope. While the socket lasts its credential is looked at
 * again; once it is no longer good the client gets the envelope as an `error` event and is disconnected.
 */
@Injectable()
export class SocketAuthentication {
  private readonly logger = new Logger('Sockets');
  private readonly presented: SocketCredentials;

  constructor(
    authenticator: Authenticator,
    private readonly credentials: CredentialWatch,
    private readonly limits: RateLimits,
    private readonly connections: ConnectionLimits,
  ) {
    this.presented = new SocketCredentials(authenticator, limits);
  }

  /**
   * The adapter calls it once, before the gateway sees the namespace. From then on `socket.data.principal` is set, and has what
   * the requirement asks for, before the gateway sees the socket.
   */
  require(
    // Groups type their events; here they matter as little as they do to socket.io's own adapters.
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    namespace: Namespace<any, any, any>,
    requirement: ScopeRequirement,
  ): void {
    const sockets = namespace as AnyNamespace;
    const admitted = new WeakMap<AnySocket, HeldCredential>();
    sockets.use((socket, next) => {
      this.admit(socket, requirement).then(
        (credential) => {
          admitted.set(socket, credential);
          next();
        },
        (error: unknown) => void this.refusal(socket, error).then(next),
      );
    });
    sockets.on('connection', (socket) => this.watch(socket, admitted.get(socket)!, requirement));
  }

  private async admit(socket: AnySocket, requirement: ScopeRequirement): Promise<HeldCredential> {
    const credential = await this.presented.ofHandshake(socket);
    const principal = await this.credentials.principalOf(credential, requirement);
    requireAllowedNetwork(principal, this.limits.addressOf(socket.request));
    this.count(socket, principal);
    socket.data.principal = principal;
    return credential;
  }

  /** Counts a socket of a principal until it ends, even if it ends before it is connected. */
  private count(socket: AnySocket, principal: Principal): void {
    const uncount = this.connections.countPrincipal(principal);
    const release = (): void => {
      socket.off('disconnect', release);
      socket.conn.off('close', release);
      uncount();
    };
    socket.once('disconnect', release);
    socket.conn.once('close', release);
  }

  private watch(socket: AnySocket, credential: HeldCredential, requirement: ScopeRequirement): void {
    const connection = {
      requirement,
      onPrincipal: (principal: Principal) => {
        socket.data.principal = principal;
      },
      onRefused: (error: ApiError) => endSocket(socket, error),
    };
    let stop = this.credentials.watch(credential, connection);
    socket.once('disconnect', () => stop());
    socket.on('auth.renew', (message: unknown, acknowledge: unknown) => {
      this.renewed(socket, message, requirement).then(
        (renewed) => {
          stop();
          if (!socket.connected) return;
          stop = this.credentials.watch(renewed, connection);
          answer(socket, acknowledge, { data: null });
        },
        (error: unknown) => answer(socket, acknowledge, this.envelope(error)),
      );
    });
  }

  /** The credential to go on with. It takes effect at once, and the one before it may end. */
  private async renewed(
    socket: AnySocket,
    message: unknown,
    requirement: ScopeRequirement,
  ): Promise<HeldCredential> {
    await this.limits.consume('socket_messages', socket.id);
    const credential = await this.presented.ofMessage(socket, message);
    const principal = await this.credentials.principalOf(credential, requirement);
    requireAllowedNetwork(principal, this.limits.addressOf(socket.request));
    if (principal.key !== socket.data.principal.key) {
      throw new ApiError(
        FORBIDDEN,
        'A socket stays with its principal; open another one for this credential.',
      );
    }
    socket.data.principal = principal;
    return credential;
  }

  /** What the client is told. A bad credential counts against its address: it could be guessed here too. */
  private async refusal(socket: AnySocket, error: unknown): Promise<Error> {
    let refused = error;
    if (toApiError(error).status === 401) {
      await this.limits
        .consume('refusals', this.limits.addressBucketOf(socket.request))
        .catch((spent: unknown) => (refused = spent));
    }
    const envelope = this.envelope(refused);
    return Object.assign(new Error(envelope.error.message), { data: envelope });
  }

  private envelope(exception: unknown): ErrorEnvelope {
    const error = toApiError(exception);
    const requestId = randomUUID();
    if (error.status >= 500) {
      this.logger.error({ msg: error.code, request_id: requestId, err: error.cause ?? error });
    }
    return errorEnvelope(error, requestId);
  }
}

function answer(socket: AnySocket, acknowledge: unknown, envelope: Acknowledgement<null>): void {
  if (typeof acknowledge === 'function') (acknowledge as (answer: Acknowledgement<null>) => void)(envelope);
  else if ('error' in envelope) socket.emit('error', envelope);
}
