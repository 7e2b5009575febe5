import type { ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { type AccountEvent, type OrderBook, type RoomEvent, TradepostClient } from '@tradepost/client';
import { Server } from 'socket.io';
import { afterEach, describe, expect, it } from 'vitest';
import { FakeService, json, refuse } from '../support/fake-service.js';

let service: FakeService;
let sockets: Server | undefined;
afterEach(async () => {
  await sockets?.close();
  sockets = undefined;
  if (service.server.listening) await service.stop();
});

function update(sequence: number, previous = sequence - 1, note = ''): string {
  const data = { previous_sequence: previous, orders: [], fills: [], balances: [{ asset: note }] };
  const event = { type: 'account.update', account_id: 'acc_1', sequence, created_at: '', data };
  return `id: ${sequence}\nevent: account.update\ndata: ${JSON.stringify(event)}\n\n`;
}

function snapshot(sequence: number | undefined, note: string, isLast: boolean): string {
  const data = { reason: 'subscribed', orders: [], balances: [{ asset: note }], is_last: isLast };
  const event = { type: 'account.snapshot', account_id: 'acc_1', sequence, created_at: '', data };
  return `event: account.snapshot\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Writes byte strings one by one, then ends the connection. */
function stream(response: ServerResponse, chunks: readonly (string | Uint8Array)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  const next = (i: number): void => {
    if (i === chunks.length) response.destroy();
    else response.write(chunks[i]!, () => setTimeout(next, 5, i + 1));
  };
  next(0);
}

/** The sequences of the events up to one of them. */
async function follow(until: number, after?: number): Promise<AccountEvent[]> {
  const events: AccountEvent[] = [];
  for await (const event of new TradepostClient({ url: service.url }).account({ after, silenceMsMax: 300 })) {
    events.push(event);
    if (event.sequence >= until) break;
  }
  return events;
}

const sequencesOf = (events: readonly AccountEvent[]): number[] => events.map(({ sequence }) => sequence);
const lastIds = (): unknown[] => service.asked.map(({ headers }) => headers['last-event-id']);

describe('an account’s stream', () => {
  it('resumes after a cut in the middle of an event, and of a character', async () => {
    const told = Buffer.from(update(2, 1, 'é€𝄞'));
    const inCharacter = told.indexOf('𝄞') + 2;
    service = await FakeService.start((response, _asked, index) => {
      if (index === 0) stream(response, [snapshot(1, '', true), told.subarray(0, 30)]);
      else if (index === 1) stream(response, [told.subarray(0, inCharacter)]);
      else stream(response, [told.subarray(0, inCharacter), told.subarray(inCharacter), update(3)]);
    });
    const events = await follow(3);
    expect(sequencesOf(events)).toEqual([1, 2, 3]);
    expect(events[1]!.data.balances).toEqual([{ asset: 'é€𝄞' }]);
    expect(lastIds()).toEqual([undefined, '1', '1']);
  });

  it('gives a snapshot whole or not at all', async () => {
    service = await FakeService.start((response, _asked, index) => {
      const parts = [
        snapshot(undefined, 'a', false),
        snapshot(undefined, 'b', false),
        snapshot(7, 'c', true),
      ];
      stream(response, index === 0 ? parts.slice(0, 2) : parts);
    });
    const [event] = await follow(7);
    expect(event).toMatchObject({
      sequence: 7,
      data: { balances: [{ asset: 'a' }, { asset: 'b' }, { asset: 'c' }] },
    });
    expect(lastIds()).toEqual([undefined, undefined]);
  });

  it('tells nothing twice, and asks again for what is missing', async () => {
    service = await FakeService.start((response, _asked, index) => {
      if (index === 0) stream(response, [update(6), update(6), update(8, 7)]);
      else stream(response, [update(6), update(8, 6), update(9)]);
    });
    expect(sequencesOf(await follow(9, 5))).toEqual([6, 8, 9]);
    expect(lastIds()).toEqual(['5', '6']);
  });

  it('asks for a snapshot where the service cannot fill a gap', async () => {
    service = await FakeService.start((response, { headers }) => {
      stream(response, headers['last-event-id'] === undefined ? [snapshot(20, '', true)] : [update(20, 15)]);
    });
    expect(await follow(20, 5)).toMatchObject([{ type: 'account.snapshot', sequence: 20 }]);
    expect(lastIds()).toEqual(['5', '5', '5', undefined]);
  });

  it('comes back from silence, garbage, HTML and a gateway', async () => {
    service = await FakeService.start((response, _asked, index) => {
      if (index === 0) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      else if (index === 1) stream(response, ['event: account.update\ndata: {"sequence":\n\n']);
      else if (index === 2) stream(response, ['event: account.update\ndata: null\n\n', '\u0000'.repeat(999)]);
      else if (index === 3) response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
      else if (index === 4) response.writeHead(502).end();
      else stream(response, [update(6)]);
    });
    expect(sequencesOf(await follow(6, 5))).toEqual([6]);
    expect(new Set(lastIds())).toEqual(new Set(['5']));
  });

  it('waits before each connection while the service is down, and asks once for each', async () => {
    service = await FakeService.start((response, _asked, index) => {
      if (index < 4) refuse(response, 503, 'temporarily_unavailable');
      else stream(response, [snapshot(1, '', true)]);
    });
    const states: boolean[] = [];
    const client = new TradepostClient({ url: service.url });
    for await (const { sequence } of client.account({ onConnection: (isLive) => states.push(isLive) })) {
      if (sequence === 1) break;
    }
    expect(states).toEqual([false, false, false, false, true]);
    expect(service.asked).toHaveLength(5);
  });

  it('ends where the service refuses it', async () => {
    service = await FakeService.start((response) => refuse(response, 403, 'insufficient_scope'));
    await expect(follow(1)).rejects.toMatchObject({ code: 'insufficient_scope', status: 403 });
    expect(service.asked).toHaveLength(1);
  });
});

/** A service with sockets; `serve` gets each connection to the namespace. */
async function startSockets(
  namespace: string,
  serve: (socket: Parameters<Parameters<Server['on']>[1]>[0], index: number) => void,
): Promise<void> {
  service = await FakeService.start((response, { path }) => {
    const after = Number(new URL(path, 'http://localhost').searchParams.get('after'));
    json(response, 200, { data: LOG.filter(({ sequence }) => sequence > after), next_cursor: null });
  });
  let connections = 0;
  sockets = new Server(service.server, { transports: ['websocket'] });
  sockets.of(namespace).on('connection', (socket) => serve(socket, connections++));
}

const LOG = Array.from({ length: 6 }, (_, i) => ({
  type: 'message.new',
  room_id: 'rom_1',
  sequence: i + 1,
  created_at: '',
  data: { text: `message ${i + 1}` },
}));

const SNAPSHOT = { bids: [['9', '1', 1]], asks: [['10', '1', 1]] };

function bookEvent(
  type: string,
  sequence: number,
  levels: object,
  figures: string,
  previous?: number,
): object {
  const checksum = crc32(figures).toString(16).padStart(8, '0');
  const data = { ...levels, checksum, previous_sequence: previous };
  return { type, market_id: 'M', sequence, created_at: '', data };
}

async function books(until: number): Promise<OrderBook[]> {
  const seen: OrderBook[] = [];
  for await (const book of new TradepostClient({ url: service.url }).book('M')) {
    seen.push({ ...book, sequence: book.sequence, bids: [...book.bids], asks: [...book.asks] });
    if (book.sequence >= until) return [...seen.slice(0, -1), book];
  }
  return seen;
}

describe('a book', () => {
  const first = bookEvent('l2.snapshot', 1, SNAPSHOT, '9:1:10:1');

  it.each([
    ['an update is missing', bookEvent('l2.update', 3, { bids: [], asks: [] }, '9:1:10:1', 2)],
    ['a checksum differs', bookEvent('l2.update', 2, { bids: [['9.5', '1', 1]], asks: [] }, '0', 1)],
  ])('is taken anew where %s', async (_what, bad) => {
    const messages: string[] = [];
    await startSockets('/markets', (socket) => {
      socket.on('unsubscribe', (_body: unknown, answer: (data: object) => void) => {
        messages.push('unsubscribe');
        answer({ data: {} });
      });
      socket.on('subscribe', (_body: unknown, answer: (data: object) => void) => {
        const isAgain = messages.includes('unsubscribe');
        messages.push('subscribe');
        answer({ data: {} });
        if (!isAgain) {
          socket.emit('l2.snapshot', first);
          socket.emit('l2.update', bad);
          return;
        }
        socket.emit('l2.snapshot', bookEvent('l2.snapshot', 4, SNAPSHOT, '9:1:10:1'));
        // More decimals and digits than a float holds, and out of order.
        const levels = {
          bids: [
            ['9.000000000000000002', '1', 1],
            ['9.000000000000000001', '2', 1],
            ['9', '0', 0],
          ],
          asks: [['9.5', '3', 2]],
        };
        const figures = '9.000000000000000002:1:9.5:3:9.000000000000000001:2:10:1';
        socket.emit('l2.update', bookEvent('l2.update', 5, levels, figures, 4));
      });
    });
    const book = (await books(5)).at(-1)!;
    expect(messages).toEqual(['subscribe', 'unsubscribe', 'subscribe']);
    expect(book.resyncs).toBe(1);
    expect(book.bids.map(([price]) => price)).toEqual(['9.000000000000000002', '9.000000000000000001']);
    expect(book.asks.map(([price]) => price)).toEqual(['9.5', '10']);
  });

  it('is given up where no copy is right', async () => {
    await startSockets('/markets', (socket) => {
      socket.on('unsubscribe', (_body: unknown, answer: (data: object) => void) => answer({ data: {} }));
      socket.on('subscribe', (_body: unknown, answer: (data: object) => void) => {
        answer({ data: {} });
        socket.emit('l2.snapshot', bookEvent('l2.snapshot', 1, SNAPSHOT, 'wrong'));
      });
    });
    await expect(books(1)).rejects.toMatchObject({ code: 'stream_out_of_sync' });
  });

  it('comes back after lost connections, and ends where it is refused', async () => {
    await startSockets('/markets', (socket, index) => {
      socket.on('subscribe', (_body: unknown, answer: (data: object) => void) => {
        if (index === 0) socket.conn.close();
        else if (index === 1) socket.disconnect(true);
        else if (index === 2) {
          answer({ data: {} });
          socket.emit('l2.snapshot', { type: 'l2.snapshot', market_id: 'M', data: 'garbage' });
          socket.emit('l2.snapshot', first);
        } else answer({ error: { code: 'market_not_found', message: 'None.', request_id: 'r' } });
      });
    });
    expect((await books(1)).at(-1)).toMatchObject({ sequence: 1, bids: SNAPSHOT.bids });
    await expect(books(1)).rejects.toMatchObject({ code: 'market_not_found' });
  });
});

describe('a room', () => {
  it('fills a gap from the log, and joins again from its last event', async () => {
    const offsets: unknown[] = [];
    await startSockets('/chat', (socket, index) => {
      socket.on('room.join', ({ offset }: { offset: number }, answer: (data: object) => void) => {
        offsets.push(offset);
        answer({ data: { room_id: 'rom_1', sequence: 1 } });
        if (index === 0) {
          for (const at of [0, 0]) socket.emit('message.new', LOG[at]);
          socket.emit('message.new', LOG[3]);
          return;
        }
        // First without what not even the log has yet.
        for (const sequence of index === 1 ? [8] : [7, 8])
          socket.emit('message.new', { ...LOG[5], sequence });
      });
      if (index === 0) setTimeout(() => socket.disconnect(true), 200);
    });
    const events: RoomEvent[] = [];
    const client = new TradepostClient({ url: service.url });
    for await (const event of client.room('rom_1', { after: 0 })) {
      events.push(event);
      if (event.sequence === 7) break;
    }
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(offsets).toEqual([0, 6, 6]);
  });
});
