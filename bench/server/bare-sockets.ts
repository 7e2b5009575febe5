/**
 * Bare socket.io, to compare the service with: rooms that anyone may join, and messages that go to all in a room,
 * as events of the same shape and size as those of the chat. Says that it listens as the service does.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from 'socket.io';

interface Message {
  readonly room_id: string;
  readonly text: string;
}

const http = createServer();
const server = new Server(http, { serveClient: false });
let sequence = 0;

server.of('/chat').on('connection', (socket) => {
  socket.on('room.join', async ({ room_id }: Message, acknowledge: (answer: object) => void) => {
    await socket.join(room_id);
    acknowledge({ data: { room_id } });
  });
  socket.on('message.send', ({ room_id, text }: Message, acknowledge: (answer: object) => void) => {
    const event = eventOf(room_id, text);
    acknowledge({ data: event.data });
    server.of('/chat').to(room_id).emit('message.new', event);
  });
});

http.listen(0, '127.0.0.1', () => {
  const { port } = http.address() as AddressInfo;
  process.stdout.write(`Tradepost serves http://127.0.0.1:${port}\n`);
});
process.once('SIGTERM', () => process.exit(0));

function eventOf(roomId: string, text: string) {
  const now = new Date().toISOString();
  return {
    type: 'message.new',
    room_id: roomId,
    sequence: ++sequence,
    created_at: now,
    data: {
      message_id: `msg_${String(sequence).padStart(11, '0')}`,
      room_id: roomId,
      sequence,
      author: 'client:maker',
      text,
      parent_id: null,
      client_message_id: null,
      reactions: [],
      created_at: now,
      edited_at: null,
      deleted_at: null,
    },
  };
}
