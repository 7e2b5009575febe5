import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { WebhookCatalogue } from '../../webhooks/webhook-catalogue.js';
import { describeWebhooks } from '../../webhooks/openapi-webhooks.js';
import { describeCsv } from '../../http/csv/openapi-csv.js';
import { API_VERSION } from '../edge.js';
import { FieldCatalogue } from '../../fields/field-catalogue.js';
import { ErrorCatalogue } from '../../http/error-code.js';
import { ScopeCatalogue } from '../../security/scope.js';
import { ApiTexts } from './api-texts.js';
import { describeCallers } from './callers.js';
import { DeclaredValues } from './declared-values.js';
import { errorSchemasWith } from './error-schemas.js';
import { nameEnums } from './enums.js';
import { addRequestExamples } from './examples.js';
import { describeFields, describeFieldsOfRoutes } from './fields.js';
import { takesHeader } from './headers.js';
import { nameOperations } from './operation-ids.js';
import { describedRoutes, operationsOf } from './operations.js';
import { orderOperations, tagOperators } from './order.js';
import { addResponseExamples } from './response-examples.js';
import { describeReceipts } from './receipts.js';
import { addSharedResponses, completeResponses } from './responses.js';
import { namePages, refineSchemas } from './schemas.js';
import { addSecurity, securitySchemesOf } from './security.js';
import { shareParameters } from './shared-parameters.js';
import { addWebhookExamples } from './webhook-examples.js';

const DESCRIPTION = `A marketplace and trading service: every acknowledged order is durable, and every unit of
money is accounted for at every moment.

Prices, sizes and money are **strings** with plain decimals. Every failure is answered as
\`{"error": {"code", "message", "request_id"}}\`; [/docs/errors](/docs/errors) has all codes. To try it with the demo data,
press *Authorize*: the client \`demo\` has the secret \`demo-secret\`, the user \`alice\` the password \`alice-password\`, the
operator \`admin\` \`admin-secret\` and \`admin-password\`, and \`special-key\` is an API key. What takes the session of a
user, takes the token that \`GET /user/login\` answers.

Sockets and event streams, with all their events, are described in [/asyncapi.json](/asyncapi.json).`;

/** As package.json says. */
const LICENSE = { name: 'UNLICENSED', identifier: 'LicenseRef-UNLICENSED' };

/** Builds the OpenAPI 3.1 document from the routes and the events of webhooks, as they are declared. */
export function createOpenApiDocument(app: INestApplication, publicUrl: string): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Tradepost')
    .setVersion(API_VERSION)
    .setDescription(DESCRIPTION)
    .addServer(publicUrl);
  const texts = app.get(ApiTexts);
  for (const [name, description] of texts.tags) builder.addTag(name, description);
  const eventTypes = app.get(WebhookCatalogue).types;
  const scopes = app.get(ScopeCatalogue);
  const described = SwaggerModule.createDocument(app, builder.build(), {
    extraModels: eventTypes.map(({ declaration }) => declaration.data),
  });
  // The library hands out the descriptions of DTOs themselves, in several places and to every caller.
  const document = JSON.parse(JSON.stringify(described)) as OpenAPIObject;
  document.info.license = LICENSE;
  document.webhooks = describeWebhooks(eventTypes, texts.webhookTag);
  document.components = { ...document.components, securitySchemes: securitySchemesOf(publicUrl, scopes) };
  const routes = describedRoutes(app, document);
  const taggedPaths = new Set(
    routes.filter(({ operation }) => takesHeader(operation, 'If-Match')).map(({ path }) => path),
  );
  const fields = app.get(FieldCatalogue);
  describeFieldsOfRoutes(routes, fields);
  for (const route of routes) {
    addSecurity(route, scopes);
    completeResponses(route, taggedPaths.has(route.path));
    describeCsv(route.operation);
  }
  describeReceipts(document, routes);
  describeRawUploads(document);
  joinLines(document);
  for (const route of routes) describeCallers(route, scopes);
  addRequestExamples(document);
  addSharedResponses(document);
  Object.assign((document.components.schemas ??= {}), errorSchemasWith(app.get(ErrorCatalogue)));
  refineSchemas(document);
  describeFields(document, fields);
  addWebhookExamples(document);
  namePages(document);
  nameEnums(document);
  addDeclaredValues(document, app.get(DeclaredValues));
  nameOperations(routes, texts.operationIds);
  tagOperators(document);
  document.tags = document.tags?.filter(({ name }) =>
    operationsOf(document).some(({ operation }) => operation.tags?.includes(name)),
  );
  orderOperations(document);
  shareParameters(document);
  addResponseExamples(document, texts.answers);
  return document;
}

/** DTOs have none of them. */
function addDeclaredValues(document: OpenAPIObject, { bySchema }: DeclaredValues): void {
  for (const [name, values] of Object.entries(bySchema)) {
    const schema = document.components?.schemas?.[name];
    if (schema !== undefined && 'enum' in schema) schema.enum = [...values];
  }
}

/** Route descriptions are doc comments, wrapped as in the source; the document has each on one line. */
function joinLines(document: OpenAPIObject): void {
  for (const { operation } of operationsOf(document)) {
    if (operation.description !== undefined) {
      operation.description = operation.description.replaceAll(/\s*\n\s*/g, ' ');
    }
  }
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
