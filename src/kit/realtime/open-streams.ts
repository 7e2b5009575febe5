import { Injectable } from '@nestjs/common';

/**
 * Connections that stay open indefinitely: sockets and event streams. They are closed when the service stops; otherwise
 * its shutdown would wait for them.
 */
@Injectable()
export class OpenStreams {
  private readonly ends = new Set<() => void>();

  /** Calls `end` when the service stops; returns a function that cancels this. */
  add(end: () => void): () => void {
    this.ends.add(end);
    return () => this.ends.delete(end);
  }

  endAll(): void {
    for (const end of this.ends) end();
    this.ends.clear();
  }
}
