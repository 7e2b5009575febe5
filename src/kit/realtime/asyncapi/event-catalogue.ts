/**
 * How a group says what goes through its sockets and event streams, for `/asyncapi.json`. A declaration names
 * the typed maps of its events, and the compiler refuses it where it leaves one out, describes one that is not
 * there, or shows a payload of another shape. It is put on the gateway or controller by `@DescribesChannels`.
 */
import type { Type } from '@nestjs/common';
import type { ScopeRequirement } from '../../security/scope.js';
import type { CredentialClientEvents, ErrorServerEvents } from '../socket-authentication.js';

/** A message of a client, as one of the handlers of a gateway takes it. */
export interface ClientMessageDescription {
  /** Says in one line what it does, as the summary of a route does. */
  readonly summary: string;
  /** What the client sends. */
  readonly message: Type<unknown>;
  /** The `data` of the acknowledgement; null where nothing is answered but that it was done. */
  readonly answer: Type<unknown> | null;
}

interface TypedClientMessage<Message, Answer> extends ClientMessageDescription {
  readonly message: Type<Message>;
  readonly answer: Answer extends null ? null : Type<Answer>;
}

/** An event of the service: the fields of `envelope`, `type` with its name, and `data`. */
export interface ServerEventDescription {
  readonly summary: string;
  /** What stands beside `type` and `data`, such as `market_id`, `sequence` and `created_at`. */
  readonly envelope: Type<unknown>;
  readonly data: Type<unknown>;
}

interface TypedServerEvent<Event> extends ServerEventDescription {
  readonly envelope: Type<Omit<Event, 'type' | 'data'>>;
  readonly data: Type<Event extends { readonly data: infer Data } ? Data : never>;
}

type FirstParameter<Handler> = Handler extends (first: infer First, ...rest: never[]) => unknown
  ? First
  : never;
type AnswerOf<Handler> = Handler extends (
  message: never,
  acknowledge: (answer: infer Answer) => void,
) => unknown
  ? Answer extends { readonly data: infer Data }
    ? Data
    : never
  : never;

/** All messages that a namespace takes, but for those that every namespace takes. */
export type ClientMessages<ClientEvents> = {
  readonly [Name in Exclude<keyof ClientEvents, keyof CredentialClientEvents>]: TypedClientMessage<
    FirstParameter<ClientEvents[Name]>,
    AnswerOf<ClientEvents[Name]>
  >;
};

/** All events that a namespace or stream sends, but for `error`, which all send. */
export type ServerEvents<Events> = {
  readonly [Name in Exclude<keyof Events, keyof ErrorServerEvents>]: TypedServerEvent<
    FirstParameter<Events[Name]>
  >;
};

/** A namespace of socket.io. */
export interface SocketChannel {
  readonly kind: 'socket';
  readonly namespace: `/${string}`;
  readonly title: string;
  readonly description: string;
  /** What the handshake asks for; absent where anyone may connect. */
  readonly requirement?: ScopeRequirement;
  readonly receives: Readonly<Record<string, ClientMessageDescription>>;
  readonly sends: Readonly<Record<string, ServerEventDescription>>;
}

/** A route that answers with server-sent events. */
export interface StreamChannel {
  readonly kind: 'stream';
  /** As OpenAPI writes it, such as `/markets/{market_id}/stream`. */
  readonly path: `/${string}`;
  readonly title: string;
  readonly description: string;
  readonly requirement?: ScopeRequirement;
  /** What stands in the path in braces. */
  readonly parameters: Readonly<Record<string, { readonly description: string; readonly example: string }>>;
  readonly sends: Readonly<Record<string, ServerEventDescription>>;
}

export type Channel = SocketChannel | StreamChannel;

/** The events of a group, described once for its namespace and its streams. */
export function serverEvents<Events>(events: ServerEvents<Events>): ServerEvents<Events> {
  return events;
}

/** A namespace whose client messages are those of the map, no more and no fewer. */
export function socketChannel<ClientEvents, Events>(
  channel: Omit<SocketChannel, 'kind' | 'receives' | 'sends'> & {
    readonly receives: ClientMessages<ClientEvents>;
    readonly sends: ServerEvents<Events>;
  },
): SocketChannel {
  return { ...channel, kind: 'socket' };
}

/** An event stream, whose events are those of the map. */
export function streamChannel<Events>(
  channel: Omit<StreamChannel, 'kind' | 'sends'> & { readonly sends: ServerEvents<Events> },
): StreamChannel {
  return { ...channel, kind: 'stream' };
}

const CHANNELS = Symbol('channels of the event catalogue');

/** Puts channels into `/asyncapi.json`; for a gateway or a controller that a module provides. */
export function DescribesChannels(...channels: readonly Channel[]): ClassDecorator {
  return (target) => Reflect.defineMetadata(CHANNELS, channels, target);
}

/** The channels that a class declares; none where it declares nothing. */
export function channelsOf(target: object): readonly Channel[] {
  return (Reflect.getMetadata(CHANNELS, target) as readonly Channel[] | undefined) ?? [];
}
