import { io, type Socket } from 'socket.io-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../support/app.js';
import type { Json } from '../../support/caller.js';
import {
  digestOf,
  newKeyPair,
  newSigner,
  signed,
  SigningCaller,
  type Signer,
} from '../../support/clients/request-signer.js';
import { logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';
import { eventually } from '../../support/eventually.js';

const STREAM = '/accounts/me/stream';
const HANDSHAKE = '/socket.io/?EIO=4&transport=websocket';

let app: TestApp;
let alice: UserCaller;
const sockets: Socket[] = [];
const aborters: AbortController[] = [];

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off' });
  alice = await logIn(app, 'alice');
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.disconnect();
  for (const aborter of aborters.splice(0)) aborter.abort();
});
afterAll(() => app?.close());

function handshakeOf(signer: Signer): Record<string, string> {
  return signed(signer, 'GET', app.url + HANDSHAKE);
}

/** As browsers have to send it. */
function authOf(signer: Signer): Json {
  const { 'signature-input': signature_input, signature } = handshakeOf(signer);
  return { signature_input, signature };
}

function open(options: Json, namespace = '/account'): Socket {
  const socket = io(app.url + namespace, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    ...options,
  });
  sockets.push(socket);
  return socket;
}

function outcomeOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('connect', () => resolve('connected'));
    socket.once('connect_error', (error) =>
      resolve((error as Error & { data?: Json }).data?.error.code ?? error.message),
    );
  });
}

/** The code that a socket is told when it is ended. */
function endOf(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let code = 'nothing';
    socket.on('error', (envelope) => (code = envelope.error.code));
    socket.on('disconnect', () => resolve(code));
  });
}

async function openStream(path: string, headers: Record<string, string>): Promise<Response> {
  const aborter = new AbortController();
  aborters.push(aborter);
  return fetch(app.url + path, { headers, signal: aborter.signal });
}

/** Whether a stream ended, and with what. */
async function restOf(response: Response): Promise<string> {
  return response.text();
}

describe('a signed socket', () => {
  it('connects by the headers of its handshake, on several namespaces at once', async () => {
    const signer = await newSigner(alice, { scopes: ['account:read', 'chat:read'] });
    const extraHeaders = handshakeOf(signer);
    const account = open({ extraHeaders, forceNew: false, multiplex: true });
    expect(await outcomeOf(account)).toBe('connected');
    const chat = account.io.socket('/chat');
    sockets.push(chat);
    chat.connect();
    expect(await outcomeOf(chat)).toBe('connected');
    // Another connection is another request.
    expect(await outcomeOf(open({ extraHeaders }))).toBe('signature_replayed');
  });

  it('connects by `auth`, once for each signature', async () => {
    const signer = await newSigner(alice);
    const auth = authOf(signer);
    expect(await outcomeOf(open({ auth }))).toBe('connected');
    expect(await outcomeOf(open({ auth }))).toBe('signature_replayed');
    expect(await outcomeOf(open({ auth: { ...authOf(signer), signature: auth.signature } }))).toBe(
      'signature_invalid',
    );
    expect(await outcomeOf(open({ auth: { signature: auth.signature } }))).toBe('signature_invalid');
    const { 'signature-input': signature_input, signature } = signed(signer, 'GET', `${app.url}/orders`);
    expect(await outcomeOf(open({ auth: { signature_input, signature } }))).toBe('signature_invalid');
  });

  it('lacks what its key lacks', async () => {
    const signer = await newSigner(alice, { scopes: ['read:pets'] });
    expect(await outcomeOf(open({ auth: authOf(signer) }))).toBe('insufficient_scope');
  });

  it('trades, and ends when its key is deleted', async () => {
    const signer = await newSigner(alice);
    const socket = open({ auth: authOf(signer) });
    expect(await outcomeOf(socket)).toBe('connected');
    const answer = await socket.timeout(5_000).emitWithAck('orders.cancel_all', { all: true });
    expect(answer).toEqual({ data: { cancelled: [] } });
    const ended = endOf(socket);
    expect((await alice.delete(`/auth/signing-keys/${signer.keyId}`)).status).toBe(204);
    expect(await ended).toBe('signature_invalid');
    expect(await outcomeOf(open({ auth: authOf(signer) }))).toBe('signature_invalid');
  });

  it('ends when the half that opened it does, and no sooner', async () => {
    const former = await newSigner(alice);
    const next = newKeyPair();
    const socket = open({ auth: authOf(former) });
    expect(await outcomeOf(socket)).toBe('connected');
    const path = `/auth/signing-keys/${former.keyId}/rotate`;
    expect((await alice.post(path, { public_key: next.publicKey })).status).toBe(200);
    const renewed = open({ auth: authOf({ ...next, keyId: former.keyId }) });
    expect(await outcomeOf(renewed)).toBe('connected');
    expect(await outcomeOf(open({ auth: authOf(former) }))).toBe('connected');
    expect(socket.connected).toBe(true);
    const ended = endOf(socket);
    const renew = { public_key: newKeyPair().publicKey };
    expect((await alice.post(path, renew)).status).toBe(200);
    expect(await ended).toBe('signature_invalid');
    expect(renewed.connected).toBe(true);
  });

  it('may go on with another signature of the same key', async () => {
    const signer = await newSigner(alice);
    const socket = open({ auth: authOf(signer) });
    expect(await outcomeOf(socket)).toBe('connected');
    const renew = (auth: Json): Promise<Json> => socket.timeout(5_000).emitWithAck('auth.renew', auth);
    const auth = authOf(signer);
    expect(await renew(auth)).toEqual({ data: null });
    expect((await renew(auth)).error.code).toBe('signature_replayed');
    expect((await renew(authOf(await newSigner(alice)))).error.code).toBe('forbidden');
  });
});

describe('a signed event stream', () => {
  it('opens by a signature, and ends when the key is deleted', async () => {
    const signer = await newSigner(alice);
    const proof = signed(signer, 'GET', app.url + STREAM);
    const stream = await openStream(STREAM, proof);
    expect(stream.status).toBe(200);
    expect((await openStream(STREAM, proof)).status).toBe(401);
    const rest = restOf(stream);
    await alice.delete(`/auth/signing-keys/${signer.keyId}`);
    expect(await rest).toContain('signature_invalid');
  });

  it('opens by a ticket that a signature got, for as long as that half is good', async () => {
    const signer = await newSigner(alice);
    const desk = new SigningCaller(app.url, signer);
    const made = await desk.post('/auth/stream-tickets', { path: STREAM });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const path = `${STREAM}?ticket=${made.body.ticket}`;
    const stream = await openStream(path, {});
    expect(stream.status).toBe(200);
    const rotation = { public_key: newKeyPair().publicKey, overlap_seconds: 0 };
    const rest = restOf(stream);
    expect((await alice.post(`/auth/signing-keys/${signer.keyId}/rotate`, rotation)).status).toBe(200);
    expect(await rest).toContain('signature_invalid');
    expect((await openStream(path, {})).status).toBe(401);
  });

  it('is held by the API key that got the ticket, also once it is rotated', async () => {
    const key = (await alice.post('/auth/api-keys', { name: 'Bot', scopes: ['account:read'] })).body;
    const bot = new UserCaller(app.url).withApiKey(key.api_key);
    const { ticket } = (await bot.post('/auth/stream-tickets', { path: STREAM })).body;
    const path = `${STREAM}?ticket=${ticket}`;
    const rotate = `/auth/api-keys/${key.api_key_id}/rotate`;
    expect((await alice.post(rotate, {})).status).toBe(200);
    expect((await openStream(path, {})).status).toBe(200);
    expect((await bot.post('/auth/stream-tickets', { path: STREAM })).status).toBe(201);
    expect((await alice.post(rotate, {})).status).toBe(200);
    await eventually(async () => expect((await openStream(path, {})).status).toBe(401));
  });
});

describe('a signed upload', () => {
  const BOUNDARY = 'boundary-of-the-form';
  const IMAGE = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );

  function form(text: string): Uint8Array<ArrayBuffer> {
    return new Uint8Array(
      Buffer.concat([
        Buffer.from(
          `--${BOUNDARY}\r\nContent-Disposition: form-data; name="additionalMetadata"\r\n\r\n${text}\r\n`,
        ),
        Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n`),
        IMAGE,
        Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
      ]),
    );
  }

  it('is held to the bytes that were signed, whatever the form says', async () => {
    const signer = await newSigner(alice, { scopes: ['write:pets', 'read:pets'] });
    const desk = new SigningCaller(app.url, signer);
    const pet = await desk.post('/pet', { name: 'Rex', photoUrls: [], status: 'available' });
    expect(pet.status, JSON.stringify(pet.body)).toBeLessThan(300);
    const path = `/pet/${pet.body.id}/uploadImage`;
    const type = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
    const send = (body: Uint8Array<ArrayBuffer>, signedBody: Uint8Array): ReturnType<UserCaller['send']> =>
      new UserCaller(app.url).send('POST', path, body, {
        ...signed(signer, 'POST', app.url + path, signedBody),
        ...type,
      });
    const good = await send(form('front'), form('front'));
    expect(good.status, JSON.stringify(good.body)).toBe(200);
    expect(refusalOf(await send(form('back'), form('front')))).toBe('401 signature_invalid');
    // What stands behind the end of a form is no part of it, but of the body.
    const longer = new Uint8Array(Buffer.concat([form('front'), Buffer.from('more')]));
    expect(refusalOf(await send(longer, form('front')))).toBe('401 signature_invalid');
    const octets = await desk.send('POST', path, new Uint8Array(IMAGE), {
      'content-type': 'application/octet-stream',
    });
    expect(octets.status, JSON.stringify(octets.body)).toBe(200);
    const unknown = signed(signer, 'POST', app.url + path, IMAGE, {
      fields: { 'content-digest': digestOf(IMAGE).replace('sha-256', 'sha') },
    });
    const reply = await new UserCaller(app.url).send('POST', path, new Uint8Array(IMAGE), {
      ...unknown,
      'content-type': 'application/octet-stream',
    });
    expect(refusalOf(reply)).toBe('401 signature_invalid');
  });
});
