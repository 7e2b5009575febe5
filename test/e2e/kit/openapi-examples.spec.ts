import { resolve } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../../../src/testing/service-process.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import {
  examplesOf,
  operationsOf,
  readOpenApi,
  schemaChecker,
  type NamedOperation,
  type Parameter,
} from '../../support/openapi.js';
import { eventually } from '../../support/eventually.js';
import { pain002 } from '../../support/clients/payouts-client.js';

/** Ids of things that a caller makes: the document can only show their form. */
const STAND_INS = [
  'order_id',
  'order_list_id',
  'trade_id',
  'event_group_id',
  'quote_id',
  'matched_bet_id',
  'account_id',
  'wallet_id',
  'transfer_id',
  'deposit_id',
  'client_id',
  'api_key_id',
  'signing_key_id',
  'limit_id',
  'export_id',
  'session_id',
  'kyc_id',
  'payout_account_id',
  'payout_id',
  'approval_id',
  'file_id',
  'image_id',
  'provider',
  'imageName',
  'image_name',
  'post_id',
  'page_id',
  'news_id',
  'webhook_id',
  'delivery_id',
  'feed_id',
  'message_id',
  'parent_id',
  'member',
];

/** These need a market that is still open in the demo data. */
const BEFORE_THEIR_TIME = '/admin/markets/{market_id}/settlement/';

const CHANGES_PASSWORD = 'POST /user/password';

/**
 * What these need is secret, or no more what it was at first: the app or passkey of a user, what a mail has in its link,
 * a password that was changed. Or it is not there: a mail address, a member, a fee schedule, a cut.
 */
const REFUSED: Readonly<Record<string, number>> = {
  'DELETE /admin/users/{username}/second-factors': 409,
  'GET /admin/fee-schedules/{name}': 404,
  'GET /liabilities': 404,
  'GET /accounts/{account_id}/proof': 404,
  'POST /user/step-up': 401,
  'POST /user/step-up/options': 409,
  'POST /user/passkeys': 400,
  'POST /user/passkeys/log-in': 401,
  'PATCH /user/passkeys/{passkey_id}': 404,
  'DELETE /user/passkeys/{passkey_id}': 404,
  'POST /user/email/verification': 422,
  'POST /user/email/verify': 400,
  'POST /user/password/reset': 400,
  'GET /user/exports/{export_id}/file': 404,
  'DELETE /accounts/{account_id}/members/{username}': 404,
  'POST /user/totp/confirm': 400,
  'POST /user/totp/recovery-codes': 409,
};

type Security = NonNullable<NamedOperation['security']>;

interface Body {
  readonly type: string;
  readonly example: unknown;
}

/** Uploads, for which the document can show no example. */
const UPLOADS = ['multipart/form-data', 'application/octet-stream'];
const PIXEL = sharp({ create: { width: 1, height: 1, channels: 3, background: 'teal' } });
const PICTURE = new Blob([new Uint8Array(await PIXEL.png().toBuffer())]);
/** Uploads of files other than pictures. */
const OTHER_FILES: Readonly<Record<string, Blob>> = {
  'POST /admin/payout-files/reports': new Blob([
    pain002('TRADEPOST-SEPA-000001', [{ id: 'pay-00000000001', status: 'ACSC' }]),
  ]),
};

const document = await readOpenApi();
const complaintAbout = schemaChecker(document);

/** Runs each operation as it stands, on the demo data, as a newcomer would in Swagger UI. */
describe('the examples of openapi.json', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let tokens: Record<'admin' | 'demo', string>;
  let alicePassword = 'alice-password';
  beforeAll(async () => {
    database = await createTestDatabase();
    service = await ServiceProcess.start({
      entry: resolve('dist/bundle/main.js'),
      env: {
        DATABASE_URL: database.url,
        SEED_DEMO: 'true',
        PAYOUT_COMPANY_NAME: 'Tradepost',
        PAYOUT_SEPA_IBAN: 'FR1420041010050500013M02606',
        // Otherwise the host in a webhook's address would be looked up on the Internet.
        WEBHOOK_ALLOW_PRIVATE: 'true',
      },
    });
    tokens = { admin: await tokenOf('admin'), demo: await tokenOf('demo') };
    await offerContracts(await tokenOf('maker'));
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  // Operations that halt the market or cancel its orders come last.
  const operations = operationsOf(document).sort((a, b) => rank(a) - rank(b));

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_name, operation) => {
      const file = OTHER_FILES[operation.name] ?? PICTURE;
      const bodies = Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, media]) =>
        (UPLOADS.includes(type) ? [file] : examplesOf(media)).map((example) => ({ type, example })),
      );
      for (const body of bodies.length > 0 ? bodies : [undefined]) {
        const response = await send(operation, body);
        const answer = await readAnswer(response);
        const standIn = standsIn(operation, body);
        const expected = standIn ? [200, 201, 204, 404, 409] : [200, 201, 202, 204];
        const refusal = REFUSED[operation.name];
        if (refusal !== undefined) expected.push(refusal);
        // No chain is connected here; operations that need one must document a 503.
        if (mayMissChain(operation) && isChainMissing(answer)) expected.push(503);
        expect(expected, JSON.stringify(answer)).toContain(response.status);
        if (operation.name === CHANGES_PASSWORD) {
          alicePassword = (body!.example as { readonly new_password: string }).new_password;
        }
        const declared = operation.responses[response.status] ?? operation.responses['default'];
        const schema = declared?.content?.['application/json']?.schema;
        if (schema) expect(complaintAbout(schema, answer)).toBeUndefined();
      }
    },
  );

  async function send(operation: NamedOperation, body?: Body): Promise<Response> {
    const { parameters = [], method, security } = operation;
    const path = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) => {
      const parameter = parameters.find((each) => each.name === name);
      return (parameter && exampleOf(parameter)) ?? 'me';
    });
    const query = parameters
      .filter((parameter) => parameter.in === 'query' && exampleOf(parameter) !== undefined)
      // The document names its own port.
      .map((parameter): [string, string] => [
        parameter.name,
        (exampleOf(parameter) ?? '').replace('http://127.0.0.1:3000', service.url),
      ]);
    return fetch(`${service.url}${path}?${new URLSearchParams(query).toString()}`, {
      method,
      headers: {
        ...(security?.length && (await credentialFor(security))),
        // `fetch` sets the boundary of a form itself.
        ...(body && body.type !== 'multipart/form-data' && { 'content-type': body.type }),
      },
      ...(body && { body: encode(body) }),
    });
  }

  /** Books start empty, but the examples of quotes need an offer. */
  async function offerContracts(token: string): Promise<void> {
    const order = { market_id: 'RAIN-LISBON', side: 'sell', type: 'limit', price: '0.6', size: '1000' };
    // As a client would: a service that has just begun on a busy machine may ask to try again (503).
    await eventually(async () => {
      const response = await fetch(`${service.url}/orders`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          'idempotency-key': 'offer-of-contracts',
        },
        body: JSON.stringify(order),
      });
      expect([200, 201], await response.text()).toContain(response.status);
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

  /** Each request has a session of its own: one of them logs out. */
  async function sessionOfAlice(): Promise<string> {
    const response = await fetch(`${service.url}/user/login`, {
      headers: { authorization: `Basic ${btoa(`alice:${alicePassword}`)}` },
    });
    return (await response.json()) as string;
  }

  /** A credential for the first scheme of an operation; a session where browsers may call, as Swagger UI then has. */
  async function credentialFor(security: Security): Promise<Record<string, string>> {
    const alternatives = security.flatMap((alternative) => Object.entries(alternative));
    const inBrowser = alternatives.find(([scheme]) => scheme === 'implicit');
    const [scheme, scopes] = inBrowser ?? alternatives[0] ?? ['', []];
    // The examples have the client or the user in themselves.
    if (scheme.endsWith('_basic')) return {};
    if (scheme === 'api_key') return { api_key: 'special-key' };
    const token =
      scheme === 'client_credentials'
        ? tokens[scopes.includes('admin') ? 'admin' : 'demo']
        : await sessionOfAlice();
    return { authorization: `Bearer ${token}` };
  }
});

async function readAnswer(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('json')) return response.json();
  // A stream of events never ends.
  if (type.startsWith('text/event-stream')) return response.body?.cancel();
  return response.text();
}

function mayMissChain({ responses }: NamedOperation): boolean {
  return responses['503']?.description.includes('chain_unavailable') ?? false;
}

function isChainMissing(answer: unknown): boolean {
  const { error } = answer as { error?: { code: string } };
  return error?.code === 'chain_unavailable';
}

function rank({ method, path }: NamedOperation): number {
  // A closed user cannot log in any more.
  if (method === 'DELETE' && path.startsWith('/user')) return 3;
  if (method === 'PATCH' && path.startsWith('/admin')) return path.startsWith('/admin/markets') ? 2 : 0;
  return method === 'DELETE' ? 1 : 0;
}

/** Whether a request names something that does not exist or is not ready yet. */
function standsIn({ path, parameters = [] }: NamedOperation, body: Body | undefined): boolean {
  if (path.startsWith(BEFORE_THEIR_TIME)) return true;
  const fields = body?.type === 'application/json' ? Object.keys(body.example as object) : [];
  const named = parameters.filter((parameter) => exampleOf(parameter) !== 'me').map(({ name }) => name);
  return [...fields, ...named].some((name) => STAND_INS.includes(name));
}

function exampleOf({ example, schema }: Parameter): string | undefined {
  return (example ?? schema.example)?.toString();
}

function encode({ type, example }: Body): string | FormData | Blob {
  if (type === 'application/json') return JSON.stringify(example);
  if (type === 'application/octet-stream') return example as Blob;
  if (type === 'multipart/form-data') {
    const form = new FormData();
    form.set('file', example, 'picture.png');
    return form;
  }
  return new URLSearchParams(example as Record<string, string>).toString();
}
