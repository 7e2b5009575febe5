import { Module, type INestApplication, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, getSchemaPath } from '@nestjs/swagger';
import { API_VERSION } from '../../server/edge.js';
import { FieldCatalogue } from '../../fields/field-catalogue.js';
import { describeFields } from '../../server/openapi/fields.js';
import { errorSchemasWith } from '../../server/openapi/error-schemas.js';
import { ErrorCatalogue } from '../../http/error-code.js';
import { ScopeCatalogue, scopesOf, type ScopeRequirement } from '../../security/scope.js';
import { SocketCredentialDto } from '../socket-authentication.dto.js';
import {
  channelsOf,
  type Channel,
  type ClientMessageDescription,
  type ServerEventDescription,
  type SocketChannel,
} from './event-catalogue.js';

/** A part of the document; its form is held to AsyncAPI's own schema by a test. */
type Part = Readonly<Record<string, unknown>>;
type Scopes = ScopeCatalogue['descriptions'];

const DESCRIPTION = `What goes through the sockets and event streams of the service, beside \`/openapi.json\`.

**Sockets** are [socket.io](https://socket.io) namespaces: the address of a channel is the namespace, the name of a
message is the name of its event. Each message of a client is acknowledged with \`{"data": …}\` or with the envelope of
failures. A namespace that needs a credential takes it in the handshake, as \`auth: {token}\`, \`auth: {api_key}\`, or
\`auth: {signature_input, signature}\`, by which the request that opens the socket is signed as HTTP requests are;
who has none that is good gets a \`connect_error\` whose \`data\` is the envelope. Frames have at most 64 KB, and a socket
sends at most 100 messages a second; orders come out of the same budget as those of HTTP.

**Event streams** are routes that answer with server-sent events: \`event\` is the name of the message, \`data\` its
payload, \`id\` its sequence. Browsers, which can send no headers, get a ticket from \`POST /auth/stream-tickets\` and
send it as \`?ticket=\`.

Who reads more slowly than there is to tell is brought up to date later, or ends with the error \`slow_consumer\`.
A connection whose credential is revoked or expires ends with an \`error\`; before that, a socket may go on with
another credential of the same principal by \`auth.renew\`.`;

const ERROR_ENVELOPE = { $ref: getSchemaPath('ErrorEnvelope') };

const ERROR_MESSAGE = {
  name: 'error',
  title: 'error',
  summary: 'A message that asked for no acknowledgement failed, or the connection is about to end',
  payload: ERROR_ENVELOPE,
};

const RENEWAL: ClientMessageDescription = {
  summary: 'Go on with another credential of the same principal, before the one there is expires',
  message: SocketCredentialDto,
  answer: null,
};

/** Builds the AsyncAPI 3.0 document from the channels that the providers and controllers of the service declare. */
export function createAsyncApiDocument(app: INestApplication, publicUrl: string): Part {
  const channels = declaredChannels(app);
  const availableScopes = app.get(ScopeCatalogue).descriptions;
  const { host, protocol } = new URL(publicUrl);
  const isSecure = protocol === 'https:';
  return {
    asyncapi: '3.0.0',
    info: { title: 'Tradepost', version: API_VERSION, description: DESCRIPTION },
    defaultContentType: 'application/json',
    servers: {
      sockets: {
        host,
        pathname: '/socket.io/',
        protocol: isSecure ? 'wss' : 'ws',
        description: 'socket.io 4, by websockets or long polling.',
      },
      events: { host, protocol: isSecure ? 'https' : 'http', description: 'Server-sent events.' },
    },
    channels: Object.fromEntries(channels.map((channel) => [idOf(channel), describeChannel(channel)])),
    operations: Object.fromEntries(
      channels.flatMap((channel) => operationsOf(channel, publicUrl, availableScopes)),
    ),
    components: {
      schemas: { ...schemasOf(app, channels), ...errorSchemasWith(app.get(ErrorCatalogue)) },
      securitySchemes: { api_key: { type: 'httpApiKey', in: 'header', name: 'api_key' } },
    },
  };
}

function declaredChannels(app: INestApplication): Channel[] {
  const discovery = app.get(DiscoveryService, { strict: false });
  const classes = new Set<object>();
  for (const { metatype } of [...discovery.getProviders(), ...discovery.getControllers()]) {
    if (typeof metatype === 'function') classes.add(metatype);
  }
  return [...classes].flatMap(channelsOf).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
}

function describeChannel(channel: Channel): Part {
  const { title, description, sends } = channel;
  const messages = {
    ...Object.fromEntries(Object.entries(receivedBy(channel)).flatMap(clientMessages)),
    ...Object.fromEntries(Object.entries(sends).map(([name, event]) => [name, serverMessage(name, event)])),
    error: ERROR_MESSAGE,
  };
  if (channel.kind === 'socket') {
    const { namespace } = channel;
    return { address: namespace, title, description, servers: [ref('servers', 'sockets')], messages };
  }
  const parameters = Object.fromEntries(
    Object.entries(channel.parameters).map(([name, parameter]) => [
      name,
      { description: parameter.description, examples: [parameter.example] },
    ]),
  );
  return {
    address: channel.path,
    title,
    description,
    servers: [ref('servers', 'events')],
    messages,
    parameters,
  };
}

/** What a namespace takes: its own messages, and what all take that ask for a credential. */
function receivedBy(channel: Channel): SocketChannel['receives'] {
  if (channel.kind === 'stream') return {};
  return channel.requirement === undefined
    ? channel.receives
    : { ...channel.receives, 'auth.renew': RENEWAL };
}

function clientMessages([name, { summary, message, answer }]: [string, ClientMessageDescription]): [
  string,
  Part,
][] {
  const data = answer === null ? { type: 'null' } : refToModel(answer);
  const done = { type: 'object', required: ['data'], properties: { data } };
  const acknowledgement = acknowledgementOf(name);
  return [
    [requestOf(name), { name, title: name, summary, payload: refToModel(message) }],
    [
      acknowledgement,
      {
        name: acknowledgement,
        title: acknowledgement,
        summary: `How \`${name}\` is acknowledged`,
        payload: { oneOf: [done, ERROR_ENVELOPE] },
      },
    ],
  ];
}

function serverMessage(name: string, { summary, envelope, data }: ServerEventDescription): Part {
  const own = {
    type: 'object',
    required: ['type', 'data'],
    properties: { type: { const: name }, data: refToModel(data) },
  };
  return { name, title: name, summary, payload: { allOf: [refToModel(envelope), own] } };
}

/** One operation for each message that the service takes, and one for all events that it sends. */
function operationsOf(channel: Channel, publicUrl: string, scopes: Scopes): [string, Part][] {
  const id = idOf(channel);
  const security = channel.requirement && { security: securityOf(channel.requirement, publicUrl, scopes) };
  const message = (name: string): Part => ref('channels', id, 'messages', name);
  const received = Object.entries(receivedBy(channel)).map(([name, { summary }]): [string, Part] => [
    `${id}.${name}`,
    {
      action: 'receive',
      channel: ref('channels', id),
      summary,
      ...security,
      messages: [message(requestOf(name))],
      reply: { channel: ref('channels', id), messages: [message(acknowledgementOf(name))] },
    },
  ]);
  const sent: [string, Part] = [
    `${id}.events`,
    {
      action: 'send',
      channel: ref('channels', id),
      summary: `Events of ${channel.title.toLowerCase()}`,
      ...security,
      messages: [...Object.keys(channel.sends), 'error'].map(message),
    },
  ];
  return [...received, sent];
}

function securityOf(requirement: ScopeRequirement, publicUrl: string, availableScopes: Scopes): Part[] {
  const flows = { clientCredentials: { tokenUrl: `${publicUrl}/oauth/token`, availableScopes } };
  return [
    { type: 'oauth2', flows, scopes: [...scopesOf(requirement)] },
    ref('components', 'securitySchemes', 'api_key'),
  ];
}

/** A module without routes, so that the document is made of models alone. */
@Module({})
class NoRoutes {}

/** The models of all payloads, and what they refer to, as OpenAPI shows them. */
function schemasOf(app: INestApplication, channels: readonly Channel[]): Part {
  const extraModels = channels.flatMap((channel) => [
    ...Object.values(receivedBy(channel)).flatMap(({ message, answer }) =>
      answer === null ? [message] : [message, answer],
    ),
    ...Object.values(channel.sends).flatMap(({ envelope, data }) => [envelope, data]),
  ]);
  const builder = new DocumentBuilder().setOpenAPIVersion('3.1.0');
  const { components } = SwaggerModule.createDocument(app, builder.build(), {
    include: [NoRoutes],
    extraModels: [...new Set<Type>(extraModels as Type[])],
  });
  // The library hands out the descriptions of DTOs themselves.
  const schemas = structuredClone(components?.schemas ?? {});
  describeFields({ components: { schemas } }, app.get(FieldCatalogue));
  return schemas;
}

/** Such as `markets`, or `markets.market_id.stream`. */
function idOf(channel: Channel): string {
  const address = channel.kind === 'socket' ? channel.namespace : channel.path;
  return address.slice(1).replaceAll('/', '.').replaceAll(/[{}]/g, '');
}

/** An event of the service may have the same name, and what both carry differs. */
function requestOf(name: string): string {
  return `${name}.request`;
}

function acknowledgementOf(name: string): string {
  return `${name}.acknowledgement`;
}

function refToModel(model: Type<unknown>): Part {
  return { $ref: getSchemaPath(model) };
}

function ref(...path: readonly string[]): Part {
  return { $ref: `#/${path.join('/')}` };
}
