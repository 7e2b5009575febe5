import { createPublicKey, generateKeyPairSync, type webcrypto } from 'node:crypto';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { signingKey, TradepostClient, TradepostError } from '@tradepost/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.js';
import { limit } from '../support/clients/markets-client.js';
import { fund } from '../support/clients/request-signer.js';
import { logIn, type UserCaller } from '../support/clients/users-client.js';
import { eventually } from '../support/eventually.js';

const SCOPES = ['account:read', 'markets:trade', 'chat:read', 'chat:write', 'read:pets', 'write:pets'];

describe('the client, with a signing key', () => {
  let app: TestApp;
  let alice: UserCaller;
  let keyId: string;
  let pem: string;
  let client: TradepostClient;

  beforeAll(async () => {
    app = await startTestApp({ rateLimits: 'off' });
    alice = await logIn(app, 'alice');
    await fund(app, alice);
    ({ keyId, pem } = await newKey());
    client = clientOf(pem);
  });
  afterAll(() => app?.close());

  async function newKey(): Promise<{ keyId: string; pem: string }> {
    const { privateKey } = generateKeyPairSync('ed25519');
    const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
    const public_key = Buffer.from(x!, 'base64url').toString('base64');
    const { body } = await alice.post('/auth/signing-keys', { name: 'Client', scopes: SCOPES, public_key });
    return { keyId: body.signing_key_id, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
  }

  function clientOf(privateKey: webcrypto.CryptoKey | string, id = keyId): TradepostClient {
    return new TradepostClient({ url: app.url, credentials: signingKey({ keyId: id, privateKey }) });
  }

  it('calls with and without bodies, queries, and characters of any kind', async () => {
    const body = limit('BTC-USD', 'buy', '50000', '0.01');
    const order = await client.post('/orders', { body });
    expect(order.status).toBe('open');
    const params = { path: { order_id: order.order_id } };
    expect((await client.get('/orders/{order_id}', { params })).order_id).toBe(order.order_id);
    const listed = [];
    const query = { market_id: 'BTC-USD', limit: 1 };
    for await (const each of client.list('/orders', { params: { query } })) listed.push(each.order_id);
    expect(listed).toContain(order.order_id);
    const room = await client.post('/chat/rooms', { body: { name: 'Zoë & “friends” 🐕', type: 'public' } });
    expect(room.name).toBe('Zoë & “friends” 🐕');
    await client.delete('/orders/{order_id}', { params });
    const strange = { params: { path: { order_id: 'ä ö/%2F?' } } };
    await expect(client.get('/orders/{order_id}', strange)).rejects.toMatchObject({
      code: 'order_not_found',
    });
  });

  it('uploads forms', async () => {
    const pet = await client.post('/pet', { body: { name: 'Rex', photoUrls: [] } });
    const image = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const body = new FormData();
    body.set('file', new Blob([image], { type: 'image/png' }), 'rex.png');
    const answer = await client.post('/pet/{petId}/uploadImage', {
      params: { path: { petId: pet.id } },
      body,
    });
    expect(answer).toMatchObject({ code: 200 });
  });

  it('takes a CryptoKey that cannot be exported', async () => {
    const der = Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64');
    const key = await crypto.subtle.importKey('pkcs8', der, 'Ed25519', false, ['sign']);
    expect((await clientOf(key).get('/accounts')).data).toHaveLength(1);
  });

  it('follows an account, its orders over the socket, and a ticket', async () => {
    const aborter = new AbortController();
    const { signal } = aborter;
    const seen: string[] = [];
    const following = Promise.allSettled([
      (async () => {
        for await (const { type } of client.account({ signal })) seen.push(type);
      })(),
      (async () => {
        for await (const { order } of client.orders({ signal })) seen.push(`${order.price} ${order.status}`);
      })(),
    ]);
    await eventually(() => expect(seen).toContain('account.snapshot'));
    await client.post('/orders', { body: limit('BTC-USD', 'buy', '49999', '0.01') });
    await eventually(() => expect(seen).toEqual(expect.arrayContaining(['account.update', '49999 open'])));
    const response = await fetch(await client.streamUrl('/accounts/me/stream'), { signal });
    expect(response.status).toBe(200);
    aborter.abort();
    await following;
  });

  it('signs each connection of a socket anew', async () => {
    const lines: Socket[] = [];
    const proxy = createServer((line) => {
      const onward = connect(Number(new URL(app.url).port), '127.0.0.1');
      lines.push(line.on('error', () => undefined));
      line.pipe(onward).pipe(line);
      line.once('close', () => onward.destroy());
      onward.on('error', () => line.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const behind = new TradepostClient({ url, credentials: signingKey({ keyId, privateKey: pem }) });
    const aborter = new AbortController();
    const seen: (string | null)[] = [];
    const following = (async () => {
      for await (const { order } of behind.orders({ signal: aborter.signal })) seen.push(order.price);
    })().catch(() => undefined);
    for (const price of ['49998', '49997', '49996']) {
      await client.post('/orders', { body: limit('BTC-USD', 'buy', price, '0.01') });
      await eventually(() => expect(seen).toContain(price));
      for (const line of lines.splice(0)) line.destroy();
    }
    aborter.abort();
    await following;
    await new Promise((resolve) => proxy.close(resolve));
  });

  it('ends with the key, and never tells it', async () => {
    const other = await newKey();
    const doomed = clientOf(other.pem, other.keyId);
    const following = (async () => {
      for await (const _ of doomed.orders());
    })();
    await doomed.get('/accounts');
    const ended = expect(following).rejects.toMatchObject({ code: 'signature_invalid' });
    await alice.delete(`/auth/signing-keys/${other.keyId}`);
    await ended;
    await expect(doomed.get('/accounts')).rejects.toMatchObject({ code: 'signature_invalid', status: 401 });
    const failure = await clientOf('no key at all')
      .get('/accounts')
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TradepostError);
    expect(String(failure)).not.toContain('no key at all');
  });
});
