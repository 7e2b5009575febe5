import type { Socket } from 'socket.io';

/** What engine.io tells of a connection to nobody else. */
interface Connection {
  /** What it has not handed to the transport yet. */
  readonly writeBuffer: readonly unknown[];
  on(event: 'drain' | 'close', listener: () => void): void;
  off(event: 'drain' | 'close', listener: () => void): void;
}

/** Resolves when nothing waits for the client any more, or when it is gone. */
export async function drained(socket: Pick<Socket, 'conn'>): Promise<void> {
  const connection = socket.conn as unknown as Connection;
  if (connection.writeBuffer.length === 0) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      connection.off('drain', done);
      connection.off('close', done);
      resolve();
    };
    connection.on('drain', done);
    connection.on('close', done);
  });
}
