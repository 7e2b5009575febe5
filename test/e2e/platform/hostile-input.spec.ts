import { Pool, type Dispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import {
  fieldsOf,
  hostileTexts,
  hostileValues,
  randomsFrom,
  toJson,
  withValue,
} from '../../support/hostile-values.js';
import {
  examplesOf,
  operationsOf,
  readOpenApi,
  schemaChecker,
  type NamedOperation,
  type Parameter,
} from '../../support/openapi.js';
import { QuietChainPlugin } from '../../support/quiet-chain.js';
import { rounds } from '../../support/rounds.js';
import { createRoom, say } from '../../support/clients/chat-client.js';
import { kycBody } from '../../support/clients/kyc-client.js';
import { type Caller, callerFor, loggedIn, tokenFor } from '../../support/caller.js';
import { limit } from '../../support/clients/markets-client.js';
import { addIban, BANKS } from '../../support/clients/payouts-client.js';

/**
 * Another seed, as in `HOSTILE_SEED=7 npx vitest run test/e2e/platform/hostile-input.spec.ts`, sends other extremes.
 */
const SEED = Number(process.env['HOSTILE_SEED'] ?? 1);
/** How many of the wrong types each field gets, and how many of the extremes; all of them where there is time. */
const SHARE = rounds('HOSTILE_SHARE', 2, 1_000);
const AT_ONCE = 16;
const COMPLAINTS_MAX = 20;

const FORM = 'application/x-www-form-urlencoded';
const HEADERS_THAT_CARRY_ANYTHING = /^[\t\x20-\x7e\x80-\xff]*$/;

interface Attempt {
  readonly what: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Buffer;
}

const document = await readOpenApi();
const complaintAbout = schemaChecker(document);

/**
 * For every operation of the document and each of its fields: null, wrong types, extremes and no value, by an
 * authorised caller. Nothing may fail, and every accepted request must be answered as documented.
 */
describe(`hostile input, by seed ${SEED}`, () => {
  let service: TestApp;
  let http: Pool;
  let tokens: Record<'admin' | 'demo' | 'alice', string>;
  /** Existing things, by their names in paths. */
  let things: Record<string, string>;
  let taken = 0;

  beforeAll(async () => {
    service = await startTestApp({
      plugins: [QuietChainPlugin],
      rateLimits: 'off',
      webhookAllowPrivate: true,
      payouts: BANKS,
    });
    http = new Pool(service.url, { connections: AT_ONCE });
    const [demo, maker, operator] = await Promise.all(
      ['demo', 'maker', 'admin'].map((name) => callerFor(service.url, name)),
    );
    const alice = await loggedIn(service.url, 'alice');
    tokens = {
      admin: await tokenFor(service.url, 'admin'),
      demo: await tokenFor(service.url, 'demo'),
      alice: await sessionOf('alice'),
    };
    things = await makeThings({ demo: demo!, maker: maker!, operator: operator!, alice });
  });
  afterAll(async () => {
    await http.close();
    await service.close();
  });

  const operations = operationsOf(document).sort((a, b) => rank(a) - rank(b));

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s',
    async (_name, operation) => {
      const complaints: string[] = [];
      const attempts = attemptsAt(operation);
      while (attempts.length > 0) {
        const found = await Promise.all(
          attempts.splice(0, AT_ONCE).map((attempt) => complaintOn(operation, attempt)),
        );
        complaints.push(...found.filter((each) => each !== undefined));
      }
      expect(complaints.slice(0, COMPLAINTS_MAX)).toEqual([]);
    },
    120_000,
  );

  it('was not all refused', () => {
    expect(taken).toBeGreaterThan(operations.length);
  });

  /** All requests to one operation, each with one thing wrong. */
  function attemptsAt(operation: NamedOperation): Attempt[] {
    const random = randomsFrom(SEED + [...operation.name].reduce((sum, c) => sum * 31 + c.charCodeAt(0), 0));
    const { parameters = [], requestBody } = operation;
    const base: Attempt = {
      what: 'as it stands',
      path: pathOf(operation),
      headers: credentialFor(operation),
    };
    const bodies = Object.entries(requestBody?.content ?? {});
    const withBodies = bodies.flatMap(([type, media]) => {
      const headers = { ...base.headers, 'content-type': type };
      if (type === 'application/json') {
        return bodiesOf(operation, media.schema ?? {}, examplesOf(media), random).map(({ what, text }) => ({
          ...base,
          what,
          headers,
          body: text,
        }));
      }
      const files = type === FORM ? forms(examplesOf(media)[0], random) : uploads(type);
      return files.map(([what, body, contentType = type]) => ({
        ...base,
        what,
        headers: { ...headers, 'content-type': contentType },
        body,
      }));
    });
    const [first = base] = withBodies;
    return [
      base,
      ...withBodies,
      ...parameters.flatMap((parameter) => parameterAttempts(operation, parameter, first, random)),
      { ...first, what: 'unknown parameters', path: withQuery(first.path, 'nobody[knows]=1&prototype=2') },
    ];
  }

  function parameterAttempts(
    operation: NamedOperation,
    { name, in: place }: Parameter,
    base: Attempt,
    random: () => number,
  ): Attempt[] {
    const texts = hostileTexts(random, SHARE);
    switch (place) {
      case 'path':
        return texts
          .filter((text) => text !== '' && text.length < 4_000)
          .map((text) => ({
            ...base,
            what: `path ${name} = ${shown(text)}`,
            path: pathOf(operation, { [name]: encode(text) }),
          }));
      case 'query':
        return [
          ...texts.map((text) => `${name}=${encode(text)}`),
          `${name}=1&${name}=2`,
          `${name}[a]=1`,
          name,
        ]
          .filter((text) => text.length < 12_000)
          .map((text) => ({ ...base, what: `query ${shown(text)}`, path: withQuery(base.path, text) }));
      case 'header':
        return texts
          .filter((text) => HEADERS_THAT_CARRY_ANYTHING.test(text) && text.length < 12_000)
          .map((text) => ({
            ...base,
            what: `header ${name}: ${shown(text)}`,
            headers: { ...base.headers, [name.toLowerCase()]: text },
          }));
      default:
        return [];
    }
  }

  function bodiesOf(
    operation: NamedOperation,
    schema: Parameters<typeof fieldsOf>[1],
    examples: unknown[],
    random: () => number,
  ): { what: string; text: string }[] {
    const own = OWN_BODIES[operation.name]?.();
    const [example] = own === undefined ? examples : [own];
    const wholes = [...examples, null, [], {}, 'x', 1, [null], [[]], Array(300).fill(example)];
    const fields = fieldsOf(document, schema, fitting(example)).flatMap(({ path, body }) => {
      const where = path.join('.');
      const sent = hostileValues(random, SHARE).map((value) => ({
        what: `${where} = ${shown(toJson(value))}`,
        text: toJson(withValue(body, path, value)),
      }));
      return [...sent, { what: `no ${where}`, text: toJson(withValue(body, path, undefined)) }];
    });
    return [
      { what: 'as it stands', text: toJson(fitting(example)) },
      ...wholes.map((whole) => ({ what: `the body ${shown(toJson(whole))}`, text: toJson(whole) })),
      ...['', '{', '{"a":1}}', '\ufeff{}', '{"a":1,"a":2}', '['.repeat(40), 'NaN'].map((text) => ({
        what: `the body ${text}`,
        text,
      })),
      ...fields,
    ];
  }

  /** The example, with the ids of existing things. */
  function fitting(example: unknown): unknown {
    if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
    const known = Object.entries(example).map(([name, value]) => [name, things[name] ?? value] as const);
    return Object.fromEntries(known);
  }

  async function complaintOn(operation: NamedOperation, attempt: Attempt): Promise<string | undefined> {
    const { path, headers, body, what } = attempt;
    const method = operation.method;
    try {
      const reply = await http.request({ method, path, headers, body });
      const problem = await problemWith(operation, reply);
      return problem && `${what}: ${reply.statusCode} ${problem}`;
    } catch (error) {
      return `${what}: ${String(error)}`;
    }
  }

  async function problemWith(
    operation: NamedOperation,
    { statusCode, headers, body }: Dispatcher.ResponseData,
  ): Promise<string | undefined> {
    const type = String(headers['content-type'] ?? '');
    if (type.startsWith('text/event-stream')) {
      body.destroy();
      return undefined;
    }
    const text = await body.text();
    if (statusCode >= 500) return text;
    if (statusCode >= 300) return statusCode < 400 || isRefusal(operation, type, text) ? undefined : text;
    taken++;
    const declared = operation.responses[statusCode];
    if (declared === undefined) return `is not in the document: ${text.slice(0, 200)}`;
    const schema = declared.content?.['application/json']?.schema;
    return schema && type.includes('json') ? complaintAbout(schema, JSON.parse(text)) : undefined;
  }

  function pathOf({ path, parameters = [] }: NamedOperation, others: Record<string, string> = {}): string {
    return path.replace(/\{(\w+)\}/g, (_match, name: string) => {
      const parameter = parameters.find((each) => each.name === name);
      const usual = things[name] ?? (parameter?.example ?? parameter?.schema.example)?.toString() ?? 'x';
      return others[name] ?? encodeURIComponent(usual);
    });
  }

  /** A credential for the first scheme of an operation; a session where browsers may call. */
  function credentialFor({ security = [] }: NamedOperation): Record<string, string> {
    const alternatives = security.flatMap((alternative) => Object.entries(alternative));
    const inBrowser = alternatives.find(([scheme]) => scheme === 'implicit');
    const [scheme, scopes] = inBrowser ?? alternatives[0] ?? ['', []];
    if (scheme === '' || scheme.endsWith('_basic')) return {};
    if (scheme === 'api_key') return { api_key: 'special-key' };
    const isClient = scheme === 'client_credentials' || scheme === 'stream_ticket';
    const token = isClient ? tokens[scopes.includes('admin') ? 'admin' : 'demo'] : tokens.alice;
    return { authorization: `Bearer ${token}` };
  }

  async function sessionOf(user: string): Promise<string> {
    const reply = await fetch(`${service.url}/user/login`, {
      headers: { authorization: `Basic ${btoa(`${user}:${user}-password`)}` },
    });
    return (await reply.json()) as string;
  }
});

/** Bodies that need code, such as documents with valid check digits. */
const OWN_BODIES: Readonly<Record<string, () => unknown>> = { 'POST /kyc': () => kycBody() };

/** One of each thing that paths and bodies name. */
async function makeThings(callers: Record<'demo' | 'maker' | 'operator' | 'alice', Caller>) {
  const { demo, maker, operator, alice } = callers;
  const made = async (caller: Caller, path: string, body: object, id: string): Promise<string> => {
    const reply = await caller.post(path, body);
    expect([200, 201, 202], `${path}: ${JSON.stringify(reply.body)}`).toContain(reply.status);
    return reply.body[id] as string;
  };
  await maker.place(limit('RAIN-LISBON', 'sell', '0.6', '1000'));
  const { room_id } = await createRoom(demo, { members: ['bob'] });
  const accounts = (await demo.get('/accounts')).body.data;
  const quote = { market_id: 'RAIN-LISBON', side: 'buy', size: '1' };
  return {
    room_id: room_id as string,
    message_id: (await say(demo, room_id, 'Hello')).message_id as string,
    member: 'bob',
    account_id: accounts[0].account_id as string,
    order_id: (await demo.place(limit('BTC-USD', 'buy', '1', '1'))).order_id as string,
    quote_id: await made(demo, '/quotes', quote, 'quote_id'),
    wallet_id: await made(demo, '/wallets', { name: 'Mine' }, 'wallet_id'),
    kyc_id: await made(maker, '/kyc', kycBody(), 'kyc_id'),
    payout_account_id: await addIban(demo),
    webhook_id: await made(demo, '/news/webhooks', { url: 'http://127.0.0.1:9/' }, 'webhook_id'),
    news_id: await made(operator, '/admin/news', { headline: 'News' }, 'news_id'),
    client_id: await made(alice, '/auth/clients', { name: 'Mine', scopes: ['read:pets'] }, 'client_id'),
    username: 'alice',
    market_id: 'BTC-USD',
  };
}

/** Operations that remove the callers, the markets and the things come last. */
function rank({ method, path }: NamedOperation): number {
  if (path === '/user/logout' || (path.startsWith('/user') && method !== 'GET')) return 4;
  if (/\/(lock|freeze|unlock|unfreeze|reset)$/.test(path)) return 3;
  if (path.startsWith('/admin/markets')) return 2;
  return method === 'DELETE' ? 1 : 0;
}

/** The envelope; for OAuth's own addresses the form of their RFCs, or a page. */
function isRefusal({ path }: NamedOperation, type: string, text: string): boolean {
  if (path === '/oauth/authorize' && type.startsWith('text/html')) return true;
  if (text === '') return false;
  const { error } = JSON.parse(text) as { error?: unknown };
  if (path.startsWith('/oauth/')) return typeof error === 'string' || isEnvelope(error);
  return isEnvelope(error);
}

function isEnvelope(error: unknown): boolean {
  const { code, message, request_id } = (error ?? {}) as Record<string, unknown>;
  return [code, message, request_id].every((each) => typeof each === 'string' && each !== '');
}

function forms(example: unknown, random: () => number): [what: string, body: string][] {
  const fields = Object.entries((example ?? {}) as Record<string, string>);
  const encoded = (pairs: [string, string][]): string =>
    pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return [
    ['as it stands', encoded(fields)],
    ['nothing', ''],
    ['prototype', `${encoded(fields)}&prototype=1`],
    ['broken escapes', 'a=%ff'],
    ['brackets', `${encoded(fields)}&${'a[b]'.repeat(2_000)}=1`],
    ...fields.flatMap(([name]): [string, string][] => [
      [`no ${name}`, encoded(fields.filter(([other]) => other !== name))],
      [`${name} twice`, `${encoded(fields)}&${encode(name)}=x`],
      ...hostileTexts(random, SHARE).map((text): [string, string] => [
        `${name} = ${shown(text)}`,
        encoded(fields.map(([other, value]) => [other, other === name ? text : value])),
      ]),
    ]),
  ];
}

function uploads(type: string): [what: string, body: string | Buffer, contentType?: string][] {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452ffffffffffffffff0806000000', 'hex');
  if (type !== 'multipart/form-data') {
    return [
      ['nothing', ''],
      ['text', 'x'],
      ['a picture that breaks off', png],
      ['a NUL', '\0'],
      ['SVG', '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'],
      ['XML that grows', '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]><Document>&c;</Document>'],
    ];
  }
  const part = (head: string, body: string): string =>
    `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
  const file = part('name="file"; filename="a.png"', 'x');
  return [
    ['no boundary', 'x'],
    ['an empty form', '--b--\r\n', `${type}; boundary=b`],
    ['a file that is none', `${file}--b--\r\n`, `${type}; boundary=b`],
    ['a form that breaks off', file, `${type}; boundary=b`],
    ['two files', `${file}${file}--b--\r\n`, `${type}; boundary=b`],
    ['a part named prototype', `${file}${part('name="prototype"', 'x')}--b--\r\n`, `${type}; boundary=b`],
    ['a part without a name', `${part('filename="a"', 'x')}--b--\r\n`, `${type}; boundary=b`],
    ['a boundary far too long', file, `${type}; boundary=${'b'.repeat(4_000)}`],
  ];
}

/** Percent-encodes, including lone surrogates, as the bytes that they would have. */
function encode(text: string): string {
  return [...text]
    .map((c) => (/[\ud800-\udfff]/.test(c) && c.length === 1 ? '%ED%A0%80' : encodeURIComponent(c)))
    .join('');
}

function withQuery(path: string, query: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

function shown(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length})` : text;
}
