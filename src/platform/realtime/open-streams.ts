import { Injectable } from '@nestjs/common';

/**
 * Connections that would stay open for ever: sockets and event streams. They are ended when the service
 * stops, or its last requests would seem never to finish.
 */
@Injectable()
export class OpenStreams {
  private readonly ends = new Set<() => void>();

  /** Has `end` called when the service stops; returns the way to take that back. */
  add(end: () => void): () => void {
    this.ends.add(end);
    return () => this.ends.delete(end);
  }

  endAll(): void {
    for (const end of this.ends) end();
    this.ends.clear();
  }
}
