import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../../scripts/support/service-process.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import {
  examplesOf,
  operationsOf,
  readOpenApi,
  schemaChecker,
  type NamedOperation,
  type Parameter,
} from '../support/openapi.js';

/** Ids of what a caller makes: the document can only show what they look like. */
const STAND_INS = ['order_id', 'account_id'];

const document = await readOpenApi();
const complaintAbout = schemaChecker(document);

/** As a newcomer would go through Swagger UI: each operation as it stands, on the demo data. */
describe('the examples of openapi.json', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let tokens: Record<'admin' | 'demo', string>;
  beforeAll(async () => {
    database = await createTestDatabase();
    service = await ServiceProcess.start({
      entry: resolve('dist/src/main.js'),
      env: { DATABASE_URL: database.url, SEED_DEMO: 'true' },
    });
    tokens = { admin: await tokenOf('admin'), demo: await tokenOf('demo') };
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  // Whatever halts the market or cancels its orders comes after what needs them.
  const operations = operationsOf(document).sort((a, b) => rank(a) - rank(b));

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_name, operation) => {
      const bodies = Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, media]) =>
        examplesOf(media).map((example) => ({ type, example })),
      );
      for (const body of bodies.length > 0 ? bodies : [undefined]) {
        const response = await send(operation, body);
        const answer = response.headers.get('content-type')?.includes('json')
          ? await response.json()
          : await response.text();
        const standIn = operation.parameters?.some(
          (parameter) => STAND_INS.includes(parameter.name) && exampleOf(parameter) !== 'me',
        );
        expect(standIn ? [200, 201, 404, 409] : [200, 201], JSON.stringify(answer)).toContain(
          response.status,
        );
        const declared = operation.responses[response.status] ?? operation.responses['default'];
        const schema = declared?.content?.['application/json']?.schema;
        if (schema) expect(complaintAbout(schema, answer)).toBeUndefined();
      }
    },
  );

  function send(operation: NamedOperation, body?: { type: string; example: unknown }): Promise<Response> {
    const { parameters = [], method, security } = operation;
    const path = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) => {
      const parameter = parameters.find((each) => each.name === name);
      return (parameter && exampleOf(parameter)) ?? 'me';
    });
    const query = parameters
      .filter((parameter) => parameter.in === 'query' && exampleOf(parameter) !== undefined)
      .map((parameter): [string, string] => [parameter.name, exampleOf(parameter) ?? '']);
    const admin = security?.some((alternative) => Object.values(alternative).flat().includes('admin'));
    return fetch(`${service.url}${path}?${new URLSearchParams(query).toString()}`, {
      method,
      headers: {
        ...(security?.length && { authorization: `Bearer ${tokens[admin ? 'admin' : 'demo']}` }),
        ...(body && { 'content-type': body.type }),
      },
      ...(body && { body: encode(body) }),
    });
  }

  async function tokenOf(client: string): Promise<string> {
    const response = await fetch(`${service.url}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client,
        client_secret: `${client}-secret`,
      }),
    });
    return ((await response.json()) as { access_token: string }).access_token;
  }
});

function rank({ method, path }: NamedOperation): number {
  if (method === 'PATCH' && path.startsWith('/admin')) return 2;
  return method === 'DELETE' ? 1 : 0;
}

function exampleOf({ example, schema }: Parameter): string | undefined {
  return (example ?? schema.example)?.toString();
}

function encode({ type, example }: { type: string; example: unknown }): string {
  if (type === 'application/json') return JSON.stringify(example);
  return new URLSearchParams(example as Record<string, string>).toString();
}
