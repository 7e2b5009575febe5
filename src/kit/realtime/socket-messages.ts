import { Logger, type WsMessageHandler } from '@nestjs/common';
import { isObservable, lastValueFrom } from 'rxjs';
import type { Socket } from 'socket.io';
import { Boundary } from '../tracing/boundary.js';
import { type Caller, handleFor } from '../turns/owner.js';
import type { Acknowledgement } from './socket-gateway.js';

type Acknowledge = (answer: Acknowledgement<unknown>) => void;

const logger = new Logger('Sockets');

const messages = new Boundary('server');

/**
 * Hands each message of a socket to its handler, and acknowledges what that returns as `{data}`; `null` where it
 * returns nothing. Nest's own way leads through four observables a message, which was a quarter of all that an
 * order over the socket cost.
 */
export function handleMessages(
  socket: Pick<Socket, 'on'>,
  handlers: readonly WsMessageHandler[],
  callerOf: () => Caller,
): void {
  for (const { message: name, callback } of handlers) {
    socket.on(name, (...received: unknown[]) => {
      const acknowledge = typeof received.at(-1) === 'function' ? (received.pop() as Acknowledge) : undefined;
      const message = received.length > 1 ? received : received[0];
      const caller = callerOf();
      handleFor(caller, () => messages.run(`message ${name}`, () => answer(callback, message, acknowledge)))
        .finally(() => caller.flight?.end())
        .catch((error: unknown) =>
          // Failures of a handler have been answered by the gateway's filter; this is a failure of that.
          logger.error({ err: error, msg: `a message ${name} was not answered` }),
        );
    });
  }
}

async function answer(
  handle: WsMessageHandler['callback'],
  message: unknown,
  acknowledge: Acknowledge | undefined,
): Promise<void> {
  if (acknowledge === undefined) {
    await result(handle(message));
    return;
  }
  const outcome = { isRefused: false };
  // What the gateway's filter finds among the arguments, and answers with the envelope.
  const refuse: Acknowledge = (envelope) => {
    outcome.isRefused = true;
    acknowledge(envelope);
  };
  const data = await result(handle(message, refuse));
  if (!outcome.isRefused) acknowledge({ data: data ?? null });
}

/** Interceptors of an extension may turn what a handler returns into an observable. */
async function result(returned: unknown): Promise<unknown> {
  const value: unknown = await returned;
  return isObservable(value) ? lastValueFrom(value, { defaultValue: null }) : value;
}
