import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceProcess } from '../../../src/testing/service-process.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { Caller, tokenFor, type Json } from '../../support/caller.js';
import { limit, marketOrder } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';

/** AsyncAPI's own schema of its documents. */
const META_SCHEMA = resolve('node_modules/@asyncapi/specs/schemas/3.0.0.json');

/** A message on a channel, under its name in the document. */
interface Seen {
  readonly channel: string;
  readonly name: string;
  readonly payload: unknown;
}

/** The built service: only its schemas have the information from comments and types. */
describe('asyncapi.json', () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  let document: Json;

  beforeAll(async () => {
    database = await createTestDatabase();
    service = await ServiceProcess.start({
      entry: resolve('dist/bundle/main.js'),
      env: { DATABASE_URL: database.url, SEED_DEMO: 'true' },
    });
    const response = await fetch(`${service.url}/asyncapi.json`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    document = await response.json();
  });
  afterAll(async () => {
    await service.stop();
    await database.drop();
  });

  it('is AsyncAPI 3.0, by its own schema', async () => {
    expect(document.asyncapi).toBe('3.0.0');
    // The schema includes the meta-schema, which Ajv would add twice.
    const ajv = new Ajv({
      strict: false,
      allErrors: true,
      validateFormats: false,
      meta: false,
      validateSchema: false,
    });
    ajv.validate(JSON.parse(await readFile(META_SCHEMA, 'utf8')) as object, document);
    expect(ajv.errors ?? []).toEqual([]);
  });

  it('refers only to what it has', () => {
    for (const reference of referencesIn(document)) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce<Json>((part, name) => part?.[name], document);
      expect(found, reference).toBeDefined();
    }
  });

  it('knows the addresses of all namespaces and streams', () => {
    const addresses = Object.values<Json>(document.channels).map(({ address }) => address);
    expect(addresses.sort()).toEqual([
      '/account',
      '/accounts/{account_id}/stream',
      '/chat',
      '/chat/rooms/{room_id}/stream',
      '/markets',
      '/markets/{market_id}/stream',
    ]);
  });

  it('has every event stream of openapi.json, and asks for the same scopes', async () => {
    const openapi = (await (await fetch(`${service.url}/openapi.json`)).json()) as Json;
    const streams = Object.entries<Json>(openapi.paths).filter(
      ([, { get }]) => get?.responses['200']?.content?.['text/event-stream'] !== undefined,
    );
    expect(streams.length).toBeGreaterThanOrEqual(3);
    for (const [path, { get }] of streams) {
      const [id] = Object.entries<Json>(document.channels).find(([, { address }]) => address === path)!;
      const asked = get.security?.flatMap((each: Json) => each.client_credentials ?? []) ?? [];
      const told = document.operations[`${id}.events`].security?.[0].scopes ?? [];
      expect(told, path).toEqual(asked);
    }
  });

  it('describes what really comes and goes, and every event of it', async () => {
    const seen = await everything(service.url);
    const complaintAbout = payloadChecker(document);
    for (const { channel, name, payload } of seen) {
      const where = `${channel} ${name}: ${JSON.stringify(payload)}`;
      expect(document.channels[channel].messages[name], where).toBeDefined();
      expect(complaintAbout(channel, name, payload), where).toBeUndefined();
    }
    const names = (channel: string): Set<string> =>
      new Set(seen.filter((each) => each.channel === channel).map(({ name }) => name));
    for (const channel of ['markets', 'account', 'chat']) {
      const events = document.operations[`${channel}.events`].messages.map(({ $ref }: Json) =>
        $ref.split('/').at(-1),
      );
      expect([...names(channel)], channel).toEqual(expect.arrayContaining(events));
    }
  });
});

/** Uses all namespaces and streams as clients do, until each has sent every kind of event. */
async function everything(url: string): Promise<Seen[]> {
  const seen: Seen[] = [];
  const sockets: Socket[] = [];
  const aborter = new AbortController();
  const [token, makerToken] = await Promise.all([tokenFor(url, 'demo'), tokenFor(url, 'maker')]);
  const [demo, maker] = [new Caller(url, token), new Caller(url, makerToken)];

  function connect(channel: string, auth: Json): Socket {
    const socket = io(`${url}/${channel}`, { transports: ['websocket'], forceNew: true, auth });
    socket.onAny((name: string, payload) => seen.push({ channel, name, payload }));
    sockets.push(socket);
    return socket;
  }
  async function send(socket: Socket, channel: string, name: string, payload: Json): Promise<Json> {
    const answer: Json = await socket.emitWithAck(name, payload);
    if (answer.error === undefined) seen.push({ channel, name: `${name}.request`, payload });
    seen.push({ channel, name: `${name}.acknowledgement`, payload: answer });
    return answer;
  }
  async function follow(channel: string, path: string): Promise<void> {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(url + path, { headers, signal: aborter.signal });
    void readEvents(response, (name, payload) => seen.push({ channel, name, payload })).catch(
      () => undefined,
    );
  }
  const comes = (channel: string, ...names: string[]): Promise<void> =>
    eventually(() => {
      const known = seen.filter((each) => each.channel === channel).map(({ name }) => name);
      expect(known).toEqual(expect.arrayContaining(names));
    });

  try {
    const markets = connect('markets', {});
    const account = connect('account', { token });
    for (const [socket, channel] of [
      [markets, 'markets'],
      [account, 'account'],
    ] as const) {
      socket.emit('subscribe', { nonsense: true });
      await comes(channel, 'error');
    }
    await follow('markets.market_id.stream', '/markets/BTC-USD/stream');
    await send(markets, 'markets', 'subscribe', {
      market_id: 'BTC-USD',
      channels: ['l2', 'trades', 'ticker'],
    });
    await send(markets, 'markets', 'subscribe', { market_id: 'NO-SUCH', channels: ['l2'] });
    await follow('accounts.account_id.stream', '/accounts/me/stream');
    await send(account, 'account', 'subscribe', { account_id: 'me' });
    await maker.place(limit('BTC-USD', 'sell', '60000', '1'));
    await demo.place(marketOrder('BTC-USD', 'buy', '0.5'));
    await comes('markets', 'l2.snapshot', 'l2.update', 'trades.snapshot', 'trades.new', 'ticker');
    await comes('markets.market_id.stream', 'l2.update', 'trades.new', 'ticker');
    await comes('account', 'account.snapshot', 'account.update');
    await comes('accounts.account_id.stream', 'account.snapshot', 'account.update');
    await send(account, 'account', 'auth.renew', { token: await tokenFor(url, 'demo') });
    await send(markets, 'markets', 'unsubscribe', { market_id: 'BTC-USD', channels: ['l2'] });
    await send(account, 'account', 'unsubscribe', { account_id: 'me' });

    const { room_id } = (await demo.post('/chat/rooms', { name: 'All', type: 'public', members: ['alice'] }))
      .body;
    await follow('chat.rooms.room_id.stream', `/chat/rooms/${room_id}/stream?offset=0`);
    const chat = connect('chat', { token });
    chat.emit('room.join', { nonsense: true });
    await comes('chat', 'error');
    await send(chat, 'chat', 'room.join', { room_id, offset: 0 });
    const other = connect('chat', { token: makerToken });
    await send(other, 'chat', 'room.join', { room_id });
    const { data: message } = await send(chat, 'chat', 'message.send', { room_id, text: 'Hello' });
    const path = `/chat/rooms/${room_id}/messages/${message.message_id}`;
    await demo.patch(path, { text: 'Hello all' });
    await send(chat, 'chat', 'reaction.add', { room_id, message_id: message.message_id, emoji: '👍' });
    await send(chat, 'chat', 'reaction.remove', { room_id, message_id: message.message_id, emoji: '👍' });
    // A message is read by its author, so another member triggers the event.
    await send(other, 'chat', 'message.read', { room_id, sequence: message.sequence });
    await send(other, 'chat', 'typing.start', { room_id });
    await send(other, 'chat', 'typing.stop', { room_id });
    await demo.delete(path);
    await demo.delete(`/chat/rooms/${room_id}/members/alice`);
    await comes(
      'chat',
      'message.new',
      'message.updated',
      'message.deleted',
      'reaction.new',
      'reaction.deleted',
    );
    await comes('chat', 'member.added', 'member.removed', 'message.read');
    await comes('chat', 'typing.start', 'typing.stop', 'presence.changed');
    await comes('chat.rooms.room_id.stream', 'member.added', 'message.new', 'message.deleted');
    await send(other, 'chat', 'room.leave', { room_id });
    await send(other, 'chat', 'room.join', { room_id: 'rom_7ZZZZZZZZZZ' });
    return [...seen];
  } finally {
    aborter.abort();
    for (const socket of sockets) socket.disconnect();
  }
}

/** Passes on every event of a stream until it ends. */
async function readEvents(response: Response, tell: (name: string, payload: unknown) => void): Promise<void> {
  expect(response.status).toBe(200);
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body!) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? [];
      if (name !== undefined) tell(name, JSON.parse(data!));
    }
  }
}

/**
 * Checks payloads against the document; returns the error, if any. Stricter than the document: a field that no schema
 * declares is an error, since it would be undocumented.
 */
function payloadChecker(
  document: Json,
): (channel: string, name: string, payload: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('decimal', true);
  const schemas = Object.fromEntries(
    Object.entries<Json>(document.components.schemas).map(([name, schema]) => [
      name,
      // The envelope's schema leaves some fields to those beside it.
      /Envelope/.test(name) ? schema : { ...schema, unevaluatedProperties: false },
    ]),
  );
  ajv.addSchema({ $id: 'asyncapi', ...document, components: { schemas } });
  return (channel, name, payload) => {
    const { payload: schema } = document.channels[channel].messages[name];
    const absolute = JSON.stringify({ ...schema, unevaluatedProperties: false });
    const valid = ajv.validate(JSON.parse(absolute.replaceAll('"#/', '"asyncapi#/')) as object, payload);
    return valid ? undefined : ajv.errorsText();
  };
}

function referencesIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, value]) =>
    name === '$ref' ? [String(value)] : referencesIn(value),
  );
}
