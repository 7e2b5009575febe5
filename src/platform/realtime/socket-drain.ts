import type { Socket } from 'socket.io';
import { waitingPackets } from './end-socket.js';

/** Resolves when nothing waits for the client any more, or when it is gone. */
export async function drained({ conn }: Pick<Socket, 'conn'>): Promise<void> {
  if (waitingPackets(conn).length === 0) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      conn.off('drain', done);
      conn.off('close', done);
      resolve();
    };
    conn.on('drain', done);
    conn.on('close', done);
  });
}
