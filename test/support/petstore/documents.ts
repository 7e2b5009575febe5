import {
  MODELS,
  OPERATIONS,
  type OperationFacts,
  type Parameter,
  type PetstoreVersion,
  type Schema,
} from './facts.js';

const SCOPES = { 'write:pets': 'modify pets in your account', 'read:pets': 'read your pets' };

/** The Petstore's document of a version, for a service at `url`. */
export function petstoreDocument(version: PetstoreVersion, url: string): Record<string, unknown> {
  return version === 'v2' ? swagger2(url) : openApi3(url);
}

function swagger2(url: string): Record<string, unknown> {
  const { host, protocol } = new URL(url);
  const document = {
    swagger: '2.0',
    info: { title: 'Swagger Petstore', version: '1.0.7' },
    host,
    basePath: '/',
    schemes: [protocol.slice(0, -1)],
    paths: pathsOf('v2', (facts) => ({
      produces: ['application/json'],
      ...consumes(facts),
      parameters: [
        ...facts.parameters.map(parameterOfV2),
        ...(facts.body ? [{ name: 'body', in: 'body', required: true, schema: facts.body }] : []),
      ],
      responses: answersOf(facts, (schema) => ({ schema })),
    })),
    securityDefinitions: {
      petstore_auth: {
        type: 'oauth2',
        flow: 'implicit',
        authorizationUrl: `${url}/oauth/authorize`,
        scopes: SCOPES,
      },
      api_key: { type: 'apiKey', name: 'api_key', in: 'header' },
    },
    definitions: MODELS,
  };
  return withReferencesTo('#/definitions/', document);
}

function openApi3(url: string): Record<string, unknown> {
  const document = {
    openapi: '3.0.4',
    info: { title: 'Swagger Petstore - OpenAPI 3.0', version: '1.0.27' },
    servers: [{ url }],
    paths: pathsOf('v3', (facts) => ({
      parameters: facts.parameters,
      ...(facts.body && { requestBody: bodyOfV3(facts.body) }),
      responses: answersOf(facts, (schema) => ({ content: { 'application/json': { schema } } })),
    })),
    components: {
      schemas: MODELS,
      securitySchemes: {
        petstore_auth: {
          type: 'oauth2',
          flows: { implicit: { authorizationUrl: `${url}/oauth/authorize`, scopes: SCOPES } },
        },
        api_key: { type: 'apiKey', name: 'api_key', in: 'header' },
      },
    },
  };
  return withReferencesTo('#/components/schemas/', document);
}

function pathsOf(
  version: PetstoreVersion,
  describe: (facts: OperationFacts) => object,
): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const { operationId, group, method, path, security, ...versions } of OPERATIONS) {
    const facts = versions[version];
    if (facts === undefined) continue;
    paths[path] ??= {};
    paths[path][method] = {
      operationId,
      tags: [group],
      ...(security.length > 0 && {
        security: security.map((scheme) => ({
          [scheme]: scheme === 'petstore_auth' ? Object.keys(SCOPES) : [],
        })),
      }),
      ...describe(facts),
    };
  }
  return paths;
}

function consumes({ parameters, body }: OperationFacts): object {
  const fields = parameters.filter((parameter) => parameter.in === 'form');
  if (fields.some(({ schema }) => schema['type'] === 'file')) return { consumes: ['multipart/form-data'] };
  if (fields.length > 0) return { consumes: ['application/x-www-form-urlencoded'] };
  return body ? { consumes: ['application/json'] } : {};
}

/** The second version writes a parameter's schema beside its name, and lists as repeated values. */
function parameterOfV2({ schema, in: place, ...parameter }: Parameter): object {
  return {
    ...parameter,
    ...schema,
    in: place === 'form' ? 'formData' : place,
    ...(schema['type'] === 'array' && { collectionFormat: 'multi' }),
  };
}

function bodyOfV3(body: Schema | 'bytes'): object {
  return body === 'bytes'
    ? { content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } }
    : { required: true, content: { 'application/json': { schema: body } } };
}

function answersOf({ answers }: OperationFacts, describe: (schema: Schema) => object): object {
  return Object.fromEntries(
    Object.entries(answers).map(([status, schema]) => [
      status,
      { description: `Status ${status}`, ...(schema && describe(schema)) },
    ]),
  );
}

function withReferencesTo(place: string, document: object): Record<string, unknown> {
  const text = JSON.stringify(document).replaceAll('"#/models/', `"${place}`);
  return JSON.parse(text) as Record<string, unknown>;
}
