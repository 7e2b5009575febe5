import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { isLoopback } from '../config/address.js';
import type { Config } from '../config/config.js';
import { IMPLICIT_SCOPES, SCOPES } from '../security/scopes.js';
import { describeWebhooks } from '../webhooks/openapi-webhooks.js';
import { declaredEventTypes } from '../webhooks/webhook-catalogue.js';
import { API_VERSION } from './edge.js';
import { describeCsv } from '../http/csv/openapi-csv.js';
import { ERROR_STATUS } from '../http/errors.js';
import { addRequestExamples } from './openapi-examples.js';
import { PreparedDocument } from './prepared-document.js';
import { PreparedDocuments } from './prepared-documents.js';
import { operationIdOf } from '../http/routes.js';

/** The groups of the interface, in its order, as the document's tags. */
const TAGS: readonly (readonly [name: string, description: string])[] = [
  ['Pets', 'The sample catalogue: a Swagger Petstore that existing clients can talk to.'],
  ['Store', 'Inventories and purchase orders of the sample catalogue.'],
  ['Users', 'Users of the service, log-in and log-out.'],
  ['Auth', 'Access tokens, clients and API keys.'],
  ['Markets', 'Markets, order books, orders, trades, positions and balances.'],
  ['Exchange', 'Quotes, matched bets, fills, profit and loss.'],
  ['Wallets', 'Custody wallets, addresses, signatures and transfers.'],
  ['Banking', 'KYC, payout accounts and payouts.'],
  ['News', 'News items, and webhooks about them and all other groups.'],
  ['Chat', 'Rooms, messages and their realtime streams.'],
  ['Blog', 'Posts, categories and pages.'],
  ['Admin', 'Health, metrics and what operators do.'],
];

const DESCRIPTION = `A marketplace and trading service: every acknowledged order is durable, and every unit of
money is accounted for at every moment.

Prices, sizes and money are **strings** with plain decimals. Every failure is answered as
\`{"error": {"code", "message", "request_id"}}\`. To try it with the demo data, press *Authorize* and take the
client \`demo\` with the secret \`demo-secret\`, or the API key \`special-key\`, or for the implicit flow the client
\`petstore-ui\` and the user \`alice\` with the password \`alice-password\`. Users and their credentials take the session
token that \`GET /user/login\` answers.

Sockets and event streams, with all their events, are described in [/asyncapi.json](/asyncapi.json).`;

/** Builds the OpenAPI 3.1 document from the routes and the events of webhooks, as they are declared. */
export function createOpenApiDocument(app: INestApplication, publicUrl: string): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Tradepost')
    .setVersion(API_VERSION)
    .setDescription(DESCRIPTION)
    .addServer(publicUrl)
    .addOAuth2(
      {
        type: 'oauth2',
        description:
          'OAuth 2.0 client credentials. With no scope picked, a token has all that its client has.',
        flows: { clientCredentials: { tokenUrl: `${publicUrl}/oauth/token`, scopes: SCOPES } },
      },
      'client_credentials',
    )
    .addOAuth2(
      {
        type: 'oauth2',
        description: 'OAuth 2.0 implicit flow, for the client `petstore-ui`.',
        flows: {
          implicit: {
            authorizationUrl: `${publicUrl}/oauth/authorize`,
            scopes: Object.fromEntries(IMPLICIT_SCOPES.map((scope) => [scope, SCOPES[scope]])),
          },
        },
      },
      'implicit',
    )
    .addApiKey({ type: 'apiKey', in: 'header', name: 'api_key', description: 'An API key.' }, 'api_key')
    .addApiKey(
      {
        type: 'apiKey',
        in: 'query',
        name: 'ticket',
        description: 'What `POST /auth/stream-tickets` answers, for one event stream.',
      },
      'stream_ticket',
    )
    .addBearerAuth(
      { type: 'http', description: 'The session token that `GET /user/login` answers.' },
      'session',
    );
  for (const [name, description] of TAGS) builder.addTag(name, description);
  const eventTypes = declaredEventTypes(app.get(ModulesContainer));
  const document = SwaggerModule.createDocument(app, builder.build(), {
    extraModels: eventTypes.map(({ declaration }) => declaration.data),
    operationIdFactory: operationIdOf,
  });
  document.webhooks = describeWebhooks(eventTypes);
  describeRawUploads(document);
  joinLines(document);
  for (const operation of operationsOf(document)) describeCsv(operation);
  addRequestExamples(document);
  return withErrorEnvelope(document);
}

/** The folder from which the library serves the page. */
const SWAGGER_UI_FOLDER = dirname(
  createRequire(import.meta.resolve('@nestjs/swagger')).resolve('swagger-ui-dist/package.json'),
);

/** Two megabytes of assets that would otherwise be read from disk for every request. */
const SWAGGER_UI_ASSETS = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui-standalone-preset.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
} as const;

/** Serves Swagger UI at `/docs` and the document at `/openapi.json`, which the page loads too. */
export function serveOpenApi(app: INestApplication, config: Config): void {
  const documents = app.get(PreparedDocuments);
  const document = new PreparedDocument('application/json; charset=utf-8', () =>
    JSON.stringify(createOpenApiDocument(app, config.publicUrl)),
  );
  app.use('/openapi.json', documents.takeRead);
  documents.serve(app, '/openapi.json', document);
  app.use('/docs', documents.takeRead, atPublicAddress(config), swaggerUiPolicy(config));
  app.use('/docs/oauth2-redirect.html', withoutOpenerPolicy);
  for (const [name, contentType] of Object.entries(SWAGGER_UI_ASSETS)) {
    const asset = new PreparedDocument(contentType, () => readFile(join(SWAGGER_UI_FOLDER, name)));
    documents.serve(app, `/docs/${name}`, asset);
  }
  // The page would otherwise embed the document in a script of its own.
  SwaggerModule.setup('docs', app, {} as OpenAPIObject, {
    raw: false,
    swaggerUrl: '/openapi.json',
    customSiteTitle: 'Tradepost API',
    swaggerOptions: {
      get oauth2RedirectUrl() {
        return `${config.publicUrl}/docs/oauth2-redirect.html`;
      },
      // With this many operations, readers go by groups.
      docExpansion: 'none',
      persistAuthorization: true,
      tryItOutEnabled: true,
      displayRequestDuration: true,
      // No scopes: Swagger UI would tick them for every flow, and a client may ask only for what it has.
      initOAuth: config.seedDemo ? { clientId: 'demo' } : {},
    },
  });
}

/**
 * To a browser `localhost` and `127.0.0.1` are two origins, and CORS would block the page's calls to the API: a visitor
 * by another name of this machine is redirected to the public address.
 */
function atPublicAddress(config: Config): RequestHandler {
  return (request, response, next) => {
    const asked = `http://${request.headers.host}`;
    const { host, hostname, port } = new URL(config.publicUrl);
    const byAnotherName =
      isLoopback(hostname) &&
      URL.canParse(asked) &&
      isLoopback(new URL(asked).hostname) &&
      new URL(asked).port === port &&
      new URL(asked).host !== host;
    if (byAnotherName) response.redirect(307, `${config.publicUrl}${request.originalUrl}`);
    else next();
  };
}

/** Swagger UI runs scripts of its own origin and styles itself; the API's own policy forbids both. */
function swaggerUiPolicy(config: Config): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        fontSrc: ["'self'", 'data:'],
        connectSrc: ["'self'", () => config.publicUrl],
        frameAncestors: ["'none'"],
      },
    },
    // The window of the implicit flow hands its token back to the page that opened it.
    crossOriginOpenerPolicy: { policy: 'same-origin-allow-popups' },
  });
}

/**
 * That window shows the log-in and consent pages, which have no opener policy. If its last page had one, the browser
 * would cut it off from its opener, and the token would be lost.
 */
const withoutOpenerPolicy: RequestHandler = (_request, response, next) => {
  response.removeHeader('Cross-Origin-Opener-Policy');
  next();
};

/** Route descriptions are doc comments, wrapped as in the source; the document has each on one line. */
function joinLines(document: OpenAPIObject): void {
  for (const operation of operationsOf(document)) {
    if (operation.description !== undefined) {
      operation.description = operation.description.replaceAll(/\s*\n\s*/g, ' ');
    }
  }
}

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;

function operationsOf(document: OpenAPIObject): Operation[] {
  return Object.values(document.paths)
    .flatMap((path) => [path.get, path.put, path.post, path.patch, path.delete])
    .filter((operation) => operation !== undefined);
}

/** A route that takes a file in a form or as the body itself has one DTO, which describes the form. */
function describeRawUploads(document: OpenAPIObject): void {
  for (const { post, put } of Object.values(document.paths)) {
    for (const body of [post?.requestBody, put?.requestBody]) {
      const raw = body && 'content' in body ? body.content['application/octet-stream'] : undefined;
      if (raw) raw.schema = { type: 'string', format: 'binary' };
    }
  }
}

/** Every operation may fail, always with the same shape: it is declared once and referenced everywhere. */
function withErrorEnvelope(document: OpenAPIObject): OpenAPIObject {
  const failure = {
    description: 'Any failure.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
  };
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ErrorEnvelope: ERROR_ENVELOPE_SCHEMA },
  };
  for (const operation of operationsOf(document)) {
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) >= 400 && response && !('$ref' in response)) response.content ??= failure.content;
    }
    operation.responses['default'] ??= failure;
  }
  return document;
}

/** The body of every failure, as JSON Schema. */
export const ERROR_ENVELOPE_SCHEMA = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['code', 'message', 'request_id'],
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_STATUS), example: 'insufficient_funds' },
        message: { type: 'string', description: 'Says what to do.' },
        request_id: { type: 'string', description: 'The `X-Request-Id` of the request.' },
        details: {
          type: 'array',
          description: 'Only where fields are invalid.',
          items: {
            type: 'object',
            required: ['field', 'message'],
            properties: { field: { type: 'string', example: 'orders.3.price' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
};
