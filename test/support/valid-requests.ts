/** Requests to every operation of the document as they stand: by whoever may send them, for things that exist. */
import { expect } from 'vitest';
import { type Caller, callerFor, loggedIn, tokenFor } from './caller.js';
import { createRoom, say } from './clients/chat-client.js';
import { kycBody } from './clients/kyc-client.js';
import { limit } from './clients/markets-client.js';
import { addIban } from './clients/payouts-client.js';
import type { NamedOperation } from './openapi.js';

/** Who sends a request: clients, the session of a user, or nobody in particular. */
export type Sender = 'admin' | 'demo' | 'alice' | 'anyone';

/** Existing things, by their names in paths and bodies. */
export type Things = Readonly<Record<string, string>>;

export type Callers = Readonly<Record<'demo' | 'maker' | 'operator' | 'alice', Caller>>;

/** Bodies that need code, such as documents with valid check digits. */
const OWN_BODIES: Readonly<Record<string, () => unknown>> = { 'POST /kyc': () => kycBody() };

/** Things that some requests take beside those that all take, or instead of them. */
export interface MoreThings {
  readonly ofSender: Partial<Record<Sender, Things>>;
  /** By its name, such as `GET /orders/{order_id}`. */
  readonly ofOperation: Readonly<Record<string, Things>>;
  /** Who sends an operation, where that is not the usual one. */
  readonly senderOf?: (operation: NamedOperation) => Sender | undefined;
}

const NONE: MoreThings = { ofSender: {}, ofOperation: {} };

/** A quote is good for seconds, and an address is listed once. */
const LEARNED: Readonly<Record<string, string>> = {
  'POST /quotes': 'quote_id',
  'POST /wallets/{wallet_id}/destinations': 'destination_id',
};

/** Ends the session that it is called with. */
const LOG_OUT = 'GET /user/logout';

export class ValidRequests {
  private readonly learned: Record<Sender, Record<string, string>>;

  private constructor(
    readonly tokens: Readonly<Record<'admin' | 'demo' | 'alice' | 'leaving', string>>,
    readonly things: Things,
    private readonly more: MoreThings,
  ) {
    const { admin, demo, alice, anyone } = more.ofSender;
    this.learned = { admin: { ...admin }, demo: { ...demo }, alice: { ...alice }, anyone: { ...anyone } };
  }

  /** Makes one of each thing at a service with the demo data; `makeMore` makes others. */
  static async open(
    url: string,
    makeMore: (callers: Callers, things: Things) => Promise<MoreThings> = () => Promise.resolve(NONE),
  ): Promise<ValidRequests> {
    const [demo, maker, operator] = await Promise.all(
      (['demo', 'maker', 'admin'] as const).map((name) => callerFor(url, name)),
    );
    const callers = { demo: demo!, maker: maker!, operator: operator!, alice: await loggedIn(url, 'alice') };
    const tokens = {
      admin: await tokenFor(url, 'admin'),
      demo: await tokenFor(url, 'demo'),
      alice: await sessionOf(url, 'alice'),
      leaving: await sessionOf(url, 'alice'),
    };
    const things = await makeThings(callers);
    return new ValidRequests(tokens, things, await makeMore(callers, things));
  }

  pathOf(operation: NamedOperation, others: Readonly<Record<string, string>> = {}): string {
    const { path, parameters = [] } = operation;
    const things = this.thingsOf(operation);
    return path.replace(/\{(\w+)\}/g, (_match, name: string) => {
      const parameter = parameters.find((each) => each.name === name);
      const usual = things[name] ?? (parameter?.example ?? parameter?.schema.example)?.toString() ?? 'x';
      return others[name] ?? encodeURIComponent(usual);
    });
  }

  /** The body that is to be sent: an example of the document, or one that code makes. */
  exampleOf({ name }: NamedOperation, examples: readonly unknown[]): unknown {
    return OWN_BODIES[name]?.() ?? examples[0];
  }

  /** The example, with the ids of existing things. */
  fitting(operation: NamedOperation, example: unknown): unknown {
    if (typeof example !== 'object' || example === null || Array.isArray(example)) return example;
    const things = this.thingsOf(operation);
    const known = Object.entries(example).map(([name, value]) => [name, things[name] ?? value] as const);
    return Object.fromEntries(known);
  }

  credentialFor(operation: NamedOperation): Record<string, string> {
    const sender = operation.name === LOG_OUT ? 'leaving' : this.senderOf(operation);
    return sender === 'anyone' ? {} : { authorization: `Bearer ${this.tokens[sender]}` };
  }

  /** Notes what a request has made, where later ones need exactly that. */
  learn(operation: NamedOperation, answer: string): void {
    const name = LEARNED[operation.name];
    if (name === undefined) return;
    this.learned[this.senderOf(operation)][name] = (JSON.parse(answer) as Record<string, string>)[name]!;
  }

  private senderOf(operation: NamedOperation): Sender {
    return this.more.senderOf?.(operation) ?? usualSenderOf(operation);
  }

  private thingsOf(operation: NamedOperation): Things {
    const ofOperation = this.more.ofOperation[operation.name];
    return { ...this.things, ...this.learned[this.senderOf(operation)], ...ofOperation };
  }
}

/** By the first scheme of an operation; a session where browsers may call. */
function usualSenderOf({ security = [] }: NamedOperation): Sender {
  const alternatives = security.flatMap((alternative) => Object.entries(alternative));
  const inBrowser = alternatives.find(([scheme]) => scheme === 'implicit');
  const [scheme, scopes] = inBrowser ?? alternatives[0] ?? ['', []];
  // The examples have the client or the user in themselves.
  if (scheme === '' || scheme.endsWith('_basic')) return 'anyone';
  const isClient = scheme === 'client_credentials' || scheme === 'stream_ticket';
  if (!isClient) return 'alice';
  return scopes.includes('admin') ? 'admin' : 'demo';
}

/** Operations that remove the callers, the markets and the things come last. */
export function inOrder(operations: readonly NamedOperation[]): NamedOperation[] {
  return [...operations].sort((a, b) => rank(a) - rank(b) || depth(b) - depth(a));
}

/** A part is removed before the whole. */
function depth({ method, path }: NamedOperation): number {
  return method === 'DELETE' ? path.length : 0;
}

function rank({ method, path }: NamedOperation): number {
  if (path === '/user/{username}') return method === 'DELETE' ? 5 : 4;
  if (path.startsWith('/user') && method !== 'GET') return 4;
  if (/\/(lock|freeze|unlock|unfreeze|reset)$/.test(path)) return 3;
  if (path.startsWith('/admin/markets')) return 2;
  return method === 'DELETE' ? 1 : 0;
}

async function sessionOf(url: string, user: string): Promise<string> {
  const reply = await fetch(`${url}/user/login`, {
    headers: { authorization: `Basic ${btoa(`${user}:${user}-password`)}` },
  });
  return (await reply.json()) as string;
}

/** Makes a thing, and answers its id. */
export async function made(caller: Caller, path: string, body: unknown, id: string): Promise<string> {
  const reply = await caller.post(path, body);
  expect([200, 201, 202], `${path}: ${JSON.stringify(reply.body)}`).toContain(reply.status);
  return String(reply.body[id]);
}

/** One of each thing that paths and bodies name. */
async function makeThings({ demo, maker, operator, alice }: Callers): Promise<Things> {
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
