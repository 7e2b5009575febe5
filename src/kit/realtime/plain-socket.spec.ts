import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { StreamClient } from '../../../test/support/clients/stream-client.js';
import { eventually } from '../../../test/support/eventually.js';
import { PlainSocket } from './plain-socket.js';

const TEXT = JSON.stringify('x'.repeat(64 * 1_024));
/** More than the buffers of the system and the backlog together take. */
const TEXTS_MAX = 1_000;

describe('PlainSocket', () => {
  let server: WebSocketServer;
  beforeAll(async () => {
    server = new WebSocketServer({ port: 0 });
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const connect = async (): Promise<{ client: StreamClient; socket: PlainSocket }> => {
    const connected = once(server, 'connection');
    const client = await StreamClient.open(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [webSocket] = (await connected) as ConstructorParameters<typeof PlainSocket>;
    const options = { address: '127.0.0.1', framesPerSecondMax: 5, pingEveryMs: 60_000 };
    return { client, socket: new PlainSocket(webSocket, options) };
  };

  it('disconnects a client that does not read, and slows no other', async () => {
    const slow = await connect();
    const quick = await connect();
    slow.client.pause();
    let sent = 0;
    while (slow.socket.isOpen && sent < TEXTS_MAX) {
      slow.socket.send(TEXT);
      quick.socket.send(TEXT);
      sent++;
      await eventually(() => expect(quick.client.received).toHaveLength(sent));
    }
    expect(slow.socket.isOpen).toBe(false);
    expect(sent).toBeLessThan(TEXTS_MAX);
    expect(quick.socket.isOpen).toBe(true);
    quick.client.close();
    slow.client.close();
  });
});
