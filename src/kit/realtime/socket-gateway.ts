import { randomUUID } from 'node:crypto';
import {
  Catch,
  Logger,
  UseFilters,
  applyDecorators,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { WebSocketGateway } from '@nestjs/websockets';
import type { Socket } from 'socket.io';
import { type ErrorEnvelope, errorEnvelope } from '../http/errors.js';
import type { ScopeRequirement } from '../security/scope.js';
import { toApiError } from '../server/exception.filter.js';

/** How every message of a client is acknowledged. */
export type Acknowledgement<Data> = { readonly data: Data } | ErrorEnvelope;

/** A message of a client, and how it is acknowledged: an entry of a namespace's map of events. */
export type ClientEvent<Message, Answer> = (
  message: Message,
  acknowledge: (answer: Acknowledgement<Answer>) => void,
) => void;

/**
 * Acknowledges a message that failed with the envelope that HTTP answers; who asked for no acknowledgement
 * gets it as an event named `error`.
 */
@Catch()
class SocketExceptionFilter implements ExceptionFilter {
  private readonly logger = new Logger('Sockets');

  catch(exception: unknown, host: ArgumentsHost): void {
    const error = toApiError(exception);
    const requestId = randomUUID();
    if (error.status >= 500) {
      this.logger.error({ msg: error.code, request_id: requestId, err: error.cause ?? error });
    }
    const envelope = errorEnvelope(error, requestId);
    const acknowledge = host.getArgs<unknown[]>().find((argument) => typeof argument === 'function');
    if (acknowledge !== undefined) (acknowledge as (answer: ErrorEnvelope) => void)(envelope);
    else host.switchToWs().getClient<Socket>().emit('error', envelope);
  }
}

/** Who may connect: anyone, or who has these scopes. */
export type SocketAdmission = 'anyone' | ScopeRequirement;

/** What the adapter gets of a gateway. */
export interface SocketGatewayOptions {
  readonly namespace: `/${string}`;
  readonly admission: SocketAdmission;
}

/**
 * A gateway of a namespace whose handlers acknowledge `{data}` or `{error}`. The adapter asks for the credential that
 * the admission names; from then on `socket.data.principal` is set. Each handler declares its credential as a route
 * does.
 */
export function SocketGateway(namespace: `/${string}`, admission: SocketAdmission): ClassDecorator {
  const options: SocketGatewayOptions = { namespace, admission };
  return applyDecorators(WebSocketGateway(options), UseFilters(SocketExceptionFilter));
}
