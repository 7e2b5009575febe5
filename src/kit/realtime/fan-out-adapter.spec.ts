import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, type Socket as ServerSocket } from 'socket.io';
import { Manager, type Socket } from 'socket.io-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitingPackets } from './end-socket.js';
import { FanOutAdapter } from './fan-out-adapter.js';
import { eventually } from '../../../test/support/eventually.js';

/** Where the length of a frame needs more bytes, and a letter of several bytes. */
const TEXTS = [0, 90, 100, 110, 65_000, 65_500, 65_530, 200_000].map((length) => `${'x'.repeat(length)}ä€😀`);

describe('FanOutAdapter', () => {
  let http: HttpServer;
  let server: Server;
  let url: string;
  const managers: Manager[] = [];

  beforeEach(async () => {
    http = createServer();
    server = new Server(http, { adapter: FanOutAdapter, serveClient: false });
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    for (const manager of managers.splice(0)) manager._close();
    await server.close();
  });

  /** A client in the room, both ends of it, and what it has been told. */
  async function newMember(
    transports: string[] = ['websocket'],
    room = 'room',
  ): Promise<{ client: Socket; socket: ServerSocket; told: unknown[] }> {
    const connected = once(server.of('/crowd'), 'connection') as Promise<[ServerSocket]>;
    const manager = new Manager(url, { transports, upgrade: false, reconnection: false });
    managers.push(manager);
    const client = manager.socket('/crowd');
    const told: unknown[] = [];
    client.onAny((type: string, content: unknown) => told.push([type, content]));
    const [socket] = await connected;
    await socket.join(room);
    return { client, socket, told };
  }

  function tell(text: unknown, room = 'room'): void {
    server.of('/crowd').to(room).emit('news', text);
  }

  function news(...texts: unknown[]): unknown[] {
    return texts.map((text) => ['news', text]);
  }

  it('tells all who are in the room, those who poll too, whatever the length', async () => {
    const members = [await newMember(), await newMember(), await newMember(['polling'])];
    const stranger = await newMember(['websocket'], 'another room');
    for (const text of TEXTS) tell(text);
    for (const { told } of members) await eventually(() => expect(told).toEqual(news(...TEXTS)));
    expect(stranger.told).toEqual([]);
  });

  it('keeps the order of what a socket is told by itself and with its room', async () => {
    const { client, socket, told } = await newMember();
    const acknowledged = new Promise<number>((resolve) => {
      socket.on('count', (acknowledge: (told: number) => void) => acknowledge(99));
      client.emit('count', resolve);
    });
    const expected: unknown[] = [];
    for (let i = 0; i < 600; i++) {
      // Longer than what a connection takes at once, so that some wait in the queue and others go past it.
      const text = `${i} ${'x'.repeat(i % 7 === 0 ? 20_000 : 10)}`;
      if (i % 3 === 0) socket.emit('news', text);
      else tell(text);
      expected.push(...news(text));
      if (i % 50 === 0) await new Promise(setImmediate);
    }
    await eventually(() => expect(told).toEqual(expected));
    expect(await acknowledged).toBe(99);
  });

  it('leaves what a client does not read in the queue that tells how far behind it is', async () => {
    const { client, socket, told } = await newMember();
    const { ws } = client.io.engine.transport as unknown as { ws: { pause(): void; resume(): void } };
    ws.pause();
    const text = 'x'.repeat(64 * 1024);
    let sent = 0;
    while (waitingPackets(socket.conn).length < 20 && sent < 2_000) {
      tell(text);
      sent++;
      await new Promise(setImmediate);
    }
    expect(waitingPackets(socket.conn).length).toBe(20);
    ws.resume();
    await eventually(() => expect(told).toHaveLength(sent));
  });

  it('says nothing to who has left, and to who was disconnected', async () => {
    const [first, second, third] = [await newMember(), await newMember(), await newMember()];
    await first.socket.leave('room');
    second.socket.disconnect(true);
    tell('after');
    await eventually(() => expect(third.told).toEqual(news('after')));
    expect([first.told, second.told]).toEqual([[], []]);
  });

  it('does as socket.io does with binary data, several rooms, exceptions and what may get lost', async () => {
    const [first, second] = [await newMember(), await newMember(['websocket'], 'another room')];
    const namespace = server.of('/crowd');
    tell(Buffer.from('binary'));
    namespace.to(['room', 'another room']).emit('news', 'both');
    namespace.to('room').except(first.socket.id).emit('news', 'nobody');
    tell('last');
    await eventually(() => expect(first.told).toEqual(news(Buffer.from('binary'), 'both', 'last')));
    namespace.to('another room').volatile.emit('news', 'volatile');
    await eventually(() => expect(second.told).toEqual(news('both', 'volatile')));
  });

  it('tells those who listen to what goes out', async () => {
    const { socket, told } = await newMember();
    const seen: unknown[] = [];
    socket.onAnyOutgoing((type: string, content: unknown) => seen.push([type, content]));
    tell('heard');
    await eventually(() => expect(told).toEqual(news('heard')));
    expect(seen).toEqual(news('heard'));
  });
});
