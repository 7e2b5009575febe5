import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { RESPONSE_EXAMPLES } from '../../src/openapi/generated/response-examples.js';
import {
  closeObjects,
  examplesOf,
  operationsOf,
  readOpenApi,
  schemaChecker,
  type NamedOperation,
  type OpenApiDocument,
  type Schema,
} from '../support/openapi.js';

const run = promisify(execFile);

/** The 200 alone is the answer, as in the Petstore. */
const ANSWERS_WITHOUT_BODY = [
  'DELETE /pet/{petId}',
  'DELETE /store/order/{orderId}',
  'DELETE /user/{username}',
  'GET /user/logout',
  'POST /oauth/backchannel-logout/{provider}',
  'POST /user/email/verification',
  'POST /user/password/forgot',
];

/** It must know the very bytes, which are signed. */
const READS_ITS_BODY_ITSELF = ['POST /kyc-callbacks/{provider}'];

/** A file is not JSON, and neither would its example be. */
const UPLOAD_TYPES = ['multipart/form-data', 'application/octet-stream'];

let document: OpenApiDocument;
let operations: NamedOperation[];

beforeAll(async () => {
  document = await readOpenApi();
  operations = operationsOf(document);
});

describe('openapi.json', () => {
  it('is what the built service says of itself', async () => {
    await run('npm', ['run', '--silent', 'openapi', '--', '--check']);
    // Compiles first if `dist` is out of date.
  }, 600_000);

  it('is OpenAPI 3.1 throughout', () => {
    expect(document.openapi).toBe('3.1.0');
    for (const schema of schemasWithin(document)) expect(schema).not.toHaveProperty('nullable');
  });

  it('gives every operation a summary, an id of its own and one declared tag', () => {
    const tags = document.tags.map(({ name }) => name);
    for (const operation of operations) {
      expect(operation.summary, operation.name).toMatch(/^[A-Z].{5,80}[^.]$/);
      expect(operation.tags, operation.name).toHaveLength(1);
      expect(tags, operation.name).toContain(operation.tags?.[0]);
    }
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });

  it('calls operations by verb and noun, and operators’ all Admin', () => {
    for (const { name, path, operationId, tags } of operations) {
      expect(operationId, name).toMatch(/^[a-z]+(?:[A-Z][a-z0-9]*)+$/);
      if (path.startsWith('/admin/')) expect(tags, name).toEqual(['Admin']);
    }
    const idOf = (name: string) => operations.find((each) => each.name === name)?.operationId;
    expect(idOf('POST /orders')).toBe('placeOrder');
    expect(idOf('GET /orders')).toBe('listOrders');
    expect(idOf('DELETE /orders/{order_id}')).toBe('cancelOrder');
    expect(idOf('GET /markets/{market_id}/trades')).toBe('listMarketTrades');
    expect(idOf('GET /admin/payouts')).toBe('listAdminPayouts');
  });

  it('has its operations in the order of their groups, the plain route of each first', () => {
    const groups = operations.map(({ tags }) => tags![0]!);
    const inOrder = document.tags.map(({ name }) => name).filter((name) => groups.includes(name));
    expect(groups.filter((group, at) => group !== groups[at - 1])).toEqual(inOrder);
    const names = operations.map(({ name }) => name);
    expect(names.indexOf('POST /orders')).toBeLessThan(names.indexOf('POST /orders/cancel-after'));
    expect(names.indexOf('POST /orders')).toBeLessThan(names.indexOf('GET /orders'));
  });

  it('has exact types, and each that is used twice under one name', () => {
    const inlineEnums: string[] = [];
    for (const schema of schemasWithin([document.paths, document.components])) {
      if (schema.$ref !== undefined) expect(schema.$ref).toMatch(/^#\/components\/\w+\/[\w-]+$/);
      if (Array.isArray(schema['enum'])) inlineEnums.push([...(schema['enum'] as unknown[])].sort().join());
      for (const [field, property] of Object.entries(
        (schema['properties'] ?? {}) as Record<string, Schema>,
      )) {
        const types = [property['type']].flat();
        if (/_at$/.test(field)) expect(property['format'], field).toBe('date-time');
        if (types.includes('number')) expect(field).toBe('progress');
      }
    }
    expect(inlineEnums.filter((values, at) => inlineEnums.indexOf(values) !== at)).toEqual([]);
    for (const { name, responses } of operations) {
      const page = responses['200']?.content?.['application/json']?.schema;
      expect(page ?? {}, name).not.toHaveProperty('properties.next_cursor');
    }
    expect(document.components.schemas).toMatchObject({
      OrderPage: { required: ['data', 'next_cursor'] },
      OrderBatchResultDto: { properties: { error: { $ref: '#/components/schemas/Error' } } },
      OrderDto: { properties: { status: { $ref: '#/components/schemas/OrderStatus' } } },
    });
  });

  it('names only schemes and scopes that it declares', () => {
    const scopesOf = (scheme: string): string[] =>
      Object.values(document.components.securitySchemes[scheme]?.flows ?? {}).flatMap((flow) =>
        Object.keys(flow.scopes),
      );
    for (const { name, security = [] } of operations) {
      for (const [scheme, scopes] of security.flatMap((alternative) => Object.entries(alternative))) {
        const declared = document.components.securitySchemes[scheme];
        expect(declared, `${name}: ${scheme}`).toBeDefined();
        // Keys and sessions have the same scopes as tokens, but no flow that lists them.
        const offered = scopesOf(declared?.flows ? scheme : 'client_credentials');
        expect(offered, `${name}: ${scheme}`).toEqual(expect.arrayContaining([...scopes]));
      }
    }
  });

  it('says of every operation which credentials pass', () => {
    const schemesOf = (name: string): string[] =>
      operations
        .find((each) => each.name === name)!
        .security!.map((alternative) =>
          Object.entries(alternative)
            .map(([scheme, scopes]) => [scheme, ...scopes].join(' '))
            .join(),
        );
    expect(schemesOf('GET /markets')).toEqual([]);
    expect(schemesOf('POST /orders')).toEqual([
      'client_credentials markets:trade',
      'authorization_code markets:trade',
      'session markets:trade',
      'api_key markets:trade',
      'signature markets:trade',
    ]);
    expect(schemesOf('GET /pet/{petId}')).toEqual([
      'client_credentials read:pets',
      'authorization_code read:pets',
      'implicit read:pets',
      'session read:pets',
      'api_key',
      'signature',
    ]);
    expect(schemesOf('POST /admin/markets')).toEqual([
      'client_credentials admin',
      'client_credentials operator:markets',
      'authorization_code admin',
      'authorization_code operator:markets',
      'session admin',
      'session operator:markets',
    ]);
    expect(schemesOf('POST /user/password')).toEqual(['session']);
    expect(schemesOf('POST /oauth/token')).toEqual(['client_basic', '']);
    expect(schemesOf('GET /accounts/{account_id}/stream')).toContain('stream_ticket');
    for (const { name, security } of operations) expect(security, name).toBeDefined();
    expect(document.components.securitySchemes.session).not.toHaveProperty('bearerFormat');
  });

  it('has the headers of every answer', () => {
    for (const { name, responses } of operations) {
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        const names = Object.keys(headers);
        expect(names, `${name} ${status}`).toEqual(
          expect.arrayContaining(['X-Request-Id', 'Tradepost-Version']),
        );
        if (['429', '503'].includes(status)) expect(names, `${name} ${status}`).toContain('Retry-After');
        if (status.startsWith('2')) expect(names, `${name} ${status}`).toContain('RateLimit');
        for (const { $ref } of Object.values(headers)) {
          if ($ref !== undefined)
            expect(document.components.headers).toHaveProperty([$ref.split('/').at(-1)!]);
        }
      }
    }
    const placed = operations.find(({ name }) => name === 'POST /orders')!.responses['201'];
    expect(placed?.headers).toHaveProperty('Idempotent-Replayed');
  });

  it('says how every operation succeeds and fails', () => {
    for (const { name, security, parameters, requestBody, responses } of operations) {
      const statuses = Object.keys(responses);
      expect(statuses.filter((status) => /^[23]/.test(status)).length, name).toBeGreaterThan(0);
      expect(statuses, name).toContain('default');
      expect(statuses, name).toEqual(expect.arrayContaining(['429', '503']));
      if (parameters?.length || requestBody) expect(statuses, name).toContain('400');
      if (requestBody && !READS_ITS_BODY_ITSELF.includes(name))
        expect(statuses, name).toEqual(expect.arrayContaining(['413', '415']));
      const isBasic = security?.some((alternative) => Object.keys(alternative).join().endsWith('_basic'));
      if (security?.length && !isBasic) expect(statuses, name).toContain('401');
      const needsScopes = security?.some((alternative) => Object.values(alternative).flat().length > 0);
      if (needsScopes) expect(statuses, name).toContain('403');
      for (const [status, { description, content }] of Object.entries(responses)) {
        expect(description, `${name} ${status}`).not.toBe('');
        if (status.startsWith('2') && status !== '204' && !ANSWERS_WITHOUT_BODY.includes(name)) {
          expect(content, `${name} ${status}`).toBeDefined();
        }
      }
    }
  });

  it('answers failures with the envelope, but where a standard has its own form', () => {
    for (const { name, path, responses } of operations) {
      if (path.startsWith('/oauth/') || path === '/health/ready') continue;
      for (const [status, { content }] of Object.entries(responses)) {
        if (!/^[45]|default/.test(status)) continue;
        const schema = content?.['application/json']?.schema;
        expect(schema?.$ref, `${name} ${status}`).toBe('#/components/schemas/ErrorEnvelope');
      }
    }
  });

  it('has an example of every body, answer and webhook, and only examples that are valid', () => {
    const complaintAbout = schemaChecker(closeObjects(document));
    const complaints: string[] = [];
    const check = (where: string, schema: Schema, example: unknown): void => {
      const complaint = example === undefined ? undefined : complaintAbout(schema, example);
      if (complaint !== undefined) complaints.push(`${where}: ${JSON.stringify(example)} ${complaint}`);
    };
    for (const { name, parameters = [], requestBody, responses } of operations) {
      for (const { name: parameter, schema, example } of parameters) {
        check(`${name} ${parameter}`, schema, example ?? schema.example);
      }
      for (const [type, media] of Object.entries(requestBody?.content ?? {})) {
        if (UPLOAD_TYPES.includes(type)) continue;
        if (examplesOf(media).length === 0) complaints.push(`${name}: no example of its body`);
      }
      for (const [status, { content = {} }] of Object.entries(responses)) {
        const media = content['application/json'];
        if (!status.startsWith('2') || media?.schema === undefined) continue;
        if (media.example === undefined) complaints.push(`${name}: no example of its answer`);
      }
      for (const { content = {} } of [...Object.values(responses), ...(requestBody ? [requestBody] : [])]) {
        for (const media of Object.values(content)) {
          for (const example of examplesOf(media)) check(name, media.schema ?? {}, example);
        }
      }
    }
    for (const [name, { post }] of Object.entries(document.webhooks)) {
      const media = post.requestBody?.content['application/json'];
      if (media?.example === undefined) complaints.push(`${name}: no example`);
      else check(name, media.schema ?? {}, media.example);
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const nested of schemasWithin(schema)) check(name, nested, nested.example);
    }
    expect(complaints).toEqual([]);
  });

  it('gives away nothing in its examples of answers', () => {
    const texts = Object.entries(RESPONSE_EXAMPLES).flatMap(([operation, answers]) =>
      textsWithin(answers).map((text) => `${operation}: ${text}`),
    );
    const madeUp = /(?:tp[a-z]|whsec)_(?:example)*e?x?a?m?p?l?$/;
    expect(texts.filter((text) => /(?:\btp[a-z]|whsec)_/.test(text) && !madeUp.test(text))).toEqual([]);
    expect(texts.filter((text) => /127\.0\.0\.1:|localhost:|[/](?:tmp|home|root)[/]/.test(text))).toEqual([]);
  });

  it('has no examples left over of answers that there are no more', () => {
    const declared = operations.flatMap(({ name, responses }) =>
      Object.keys(responses).map((status) => `${name} ${status}`),
    );
    const recorded = Object.entries(RESPONSE_EXAMPLES).flatMap(([name, answers]) =>
      Object.keys(answers).map((status) => `${name} ${status}`),
    );
    expect(recorded.filter((each) => !declared.includes(each))).toEqual([]);
  });
});

function textsWithin(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsWithin) : [];
}

/** All objects under `value`, including itself; every schema is among them. */
function schemasWithin(value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return [];
  return [
    ...(Array.isArray(value) ? [] : [value as Schema]),
    ...Object.values(value).flatMap((nested: unknown) => schemasWithin(nested)),
  ];
}
