import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FixListener } from '../../../plugins/fix/connection/fix-listener.js';
import FixPlugin from '../../../plugins/fix/index.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { newUser } from '../../support/clients/accounts-client.js';
import { FixClient, type FixKey, fixKeyOf } from '../../support/clients/fix-client.js';
import { eventually } from '../../support/eventually.js';

const PER_ADDRESS = 20;
const SILENT = 25;

interface FixApp {
  readonly app: TestApp;
  readonly listener: FixListener;
  readonly port: number;
  readonly key: FixKey;
}

async function startFix(environment: Record<string, string> = {}): Promise<FixApp> {
  const app = await startTestApp({ plugins: [FixPlugin], environment: { FIX_PORT: '0', ...environment } });
  const listener = app.app.nest.get(FixListener, { strict: false });
  return { app, listener, port: listener.port!, key: await fixKeyOf(await newUser(app, 'trader')) };
}

/** Sockets that say nothing, or no more than a proxy does for them. */
async function silent(port: number, count: number, header = ''): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await once(socket, 'connect');
    if (header !== '') socket.write(header);
    sockets.push(socket.resume());
  }
  return sockets;
}

const openOf = (sockets: readonly Socket[]): number[] =>
  sockets.flatMap((socket, place) => (socket.closed ? [] : [place]));

describe('sockets that do not log on', () => {
  let fix: FixApp;
  beforeAll(async () => {
    fix = await startFix();
  });
  afterAll(async () => {
    await fix.app.close();
  });

  const keyOf = async (name: string): Promise<FixKey> => fixKeyOf(await newUser(fix.app, name));
  const noneConnected = (): Promise<void> =>
    eventually(() => fix.listener.connectionCount === 0, 'all connections are gone');

  it('do not shut FIX: 25 of them are silent, and a client logs on', async () => {
    const sockets = await silent(fix.port, SILENT);
    const client = await FixClient.connect(fix.port, 'REAL', fix.key);
    await client.logOn({ isReset: true });
    await eventually(() => openOf(sockets).length < PER_ADDRESS, 'the oldest have made room');
    // The oldest went, the latest stay.
    expect(openOf(sockets)).toEqual(
      Array.from({ length: PER_ADDRESS - 1 }, (_, i) => SILENT - PER_ADDRESS + 1 + i),
    );
    for (const socket of sockets) socket.destroy();
    client.close();
    await noneConnected();
  });

  it('are counted apart from those that have', async () => {
    const client = await FixClient.connect(fix.port, 'FIRST', fix.key);
    await client.logOn({ isReset: true });
    const sockets = await silent(fix.port, SILENT);
    await eventually(() => openOf(sockets).length === PER_ADDRESS, 'the oldest have made room');
    client.send('1', { 112: 'still here' });
    await client.expect({ 35: 0, 112: 'still here' });
    for (const socket of sockets) socket.destroy();
    client.close();
    await noneConnected();
  });

  it('log on together no more than one address may', async () => {
    const [key, lateKey] = [await keyOf('together'), await keyOf('late')];
    const early = await Promise.all(
      Array.from({ length: PER_ADDRESS }, (_, i) => FixClient.connect(fix.port, `TOGETHER-${i}`, key)),
    );
    const first = early.slice(0, PER_ADDRESS - 1);
    for (const client of first) await client.logOn({ isReset: true });
    const late = await FixClient.connect(fix.port, 'LATE', lateKey);
    await early.at(-1)!.logOn({ isReset: true });
    late.sendLogOn();
    await late.expect({ 35: 5, 58: 'There are too many sessions.' });
    await late.disconnected();
    for (const client of early) client.close();
    await noneConnected();
  });

  it('cannot say that they come from elsewhere, where no proxy is set', async () => {
    const client = await FixClient.connect(fix.port, 'SPOOFED', fix.key);
    client.sendBytes('PROXY TCP4 203.0.113.5 192.0.2.1 40000 9878\r\n');
    client.sendLogOn();
    await client.disconnected();
    expect(client.received).toEqual([]);
  });
});

describe('FIX behind a proxy', () => {
  let fix: FixApp;
  let bound: FixKey;
  beforeAll(async () => {
    fix = await startFix({ FIX_PROXY_PROTOCOL_FROM: '127.0.0.1, 10.0.0.0/8' });
    const user = await newUser(fix.app, 'bound');
    const { body } = await user.post('/auth/api-keys', {
      name: 'fix',
      scopes: ['markets:trade', 'account:read'],
      signing: 'hmac-sha256',
      allowed_addresses: ['203.0.113.5'],
    });
    bound = { apiKey: body.api_key, secret: body.secret };
  });
  afterAll(async () => {
    await fix.app.close();
  });

  const headerOf = (address: string): string => `PROXY TCP4 ${address} 192.0.2.1 40000 9878\r\n`;

  it('takes the address of the client from the PROXY header', async () => {
    const client = await FixClient.connect(fix.port, 'PROXIED', bound);
    client.sendBytes(headerOf('203.0.113.5'));
    await client.logOn();
    client.close();
    const other = await FixClient.connect(fix.port, 'ELSEWHERE', bound);
    other.sendBytes(headerOf('203.0.113.6'));
    other.sendLogOn();
    await other.expect({ 35: 5, 58: 'The log-on is refused.' });
    other.close();
  });

  it('reads a header that comes in pieces, with the Logon behind it, and version 2', async () => {
    const pieces = await FixClient.connect(fix.port, 'PIECES', bound);
    pieces.socket.setNoDelay(true);
    pieces.sendBytes('PROXY TCP4 203.0.');
    pieces.sendBytes('113.5 192.0.2.1 40000 9878\r');
    pieces.sendBytes(`\n${pieces.encode({ 35: 'A', 98: 0, 108: 30 })}`);
    await pieces.expect({ 35: 'A' });
    pieces.close();
    const binary = await FixClient.connect(fix.port, 'BINARY', bound);
    const begin = Buffer.from('0d0a0d0a000d0a515549540a2111000c', 'hex');
    binary.sendBytes(Buffer.concat([begin, Buffer.from([203, 0, 113, 5, 192, 0, 2, 1, 156, 64, 38, 150])]));
    await binary.logOn();
    binary.close();
  });

  it('gives each client address a share of the sockets that are silent', async () => {
    const attacker = await silent(fix.port, SILENT, headerOf('198.51.100.9'));
    const client = await FixClient.connect(fix.port, 'SHARE', bound);
    client.sendBytes(headerOf('203.0.113.5'));
    await eventually(() => openOf(attacker).length === PER_ADDRESS, 'the oldest of the attacker are gone');
    await client.logOn();
    for (const socket of attacker) socket.destroy();
    client.close();
  });

  it('hangs up on a header that is malformed, or missing', async () => {
    for (const bytes of ['PROXY TCP4 203.0.113.500 192.0.2.1 1 2\r\n', 'GET / HTTP/1.1\r\n\r\n']) {
      const client = await FixClient.connect(fix.port, 'MALFORMED', fix.key);
      client.sendBytes(bytes);
      await client.disconnected();
      expect(client.received).toEqual([]);
    }
    const direct = await FixClient.connect(fix.port, 'DIRECT', fix.key);
    direct.sendLogOn();
    await direct.disconnected();
    expect(direct.received).toEqual([]);
  });
});

describe('FIX whose proxies are elsewhere', () => {
  it('believes no header of others', async () => {
    const fix = await startFix({ FIX_PROXY_PROTOCOL_FROM: '10.0.0.0/8' });
    try {
      const client = await FixClient.connect(fix.port, 'SPOOFED', fix.key);
      client.sendBytes('PROXY TCP4 203.0.113.5 192.0.2.1 40000 9878\r\n');
      client.sendLogOn();
      await client.disconnected();
      expect(client.received).toEqual([]);
    } finally {
      await fix.app.close();
    }
  });
});
