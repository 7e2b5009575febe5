import { Injectable } from '@nestjs/common';
import { ConcurrencyLimit } from '../../../platform/concurrency-limit.js';

const WAITING_PER_ROOM_MAX = 1_000;

/**
 * Lets changes of one room run one after the other in this process. The lock of the room's row does so among
 * all processes, but who waits for it holds a connection: a busy room would take them all.
 */
@Injectable()
export class RoomQueue {
  private readonly rooms = new Map<string, { readonly limit: ConcurrencyLimit; takers: number }>();

  /** Rejects as the work does, and with `rate_limited` (429) where too much waits for the room. */
  async take<T>(roomId: string, work: () => Promise<T>): Promise<T> {
    let room = this.rooms.get(roomId);
    if (room === undefined) this.rooms.set(roomId, (room = { limit: newLimit(), takers: 0 }));
    room.takers++;
    try {
      return await room.limit.take(work);
    } finally {
      if (--room.takers === 0) this.rooms.delete(roomId);
    }
  }
}

function newLimit(): ConcurrencyLimit {
  return new ConcurrencyLimit(1, WAITING_PER_ROOM_MAX);
}
