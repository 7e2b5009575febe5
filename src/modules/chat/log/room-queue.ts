import { Injectable } from '@nestjs/common';
import { presentOwner } from '../../../kit/turns/owner.js';
import { TurnQueues } from '../../../kit/turns/turn-queues.js';

const ROOM_BOUNDS = { runningMax: 1, ownerRunningMax: 1, waitingMax: 1_000, ownerWaitingMax: 500 };

/**
 * Lets changes of one room run one after the other in this process, by turns between those who make them. The lock of
 * the room's row does so among all processes, but who waits for it holds a connection: a busy room would take them all.
 */
@Injectable()
export class RoomQueue {
  private readonly rooms = new TurnQueues(ROOM_BOUNDS);

  /** Rejects as the work does, and with `rate_limited` (429) where too much waits for the room. */
  take<T>(roomId: string, work: () => Promise<T>, owner = presentOwner()): Promise<T> {
    return this.rooms.take(roomId, owner, work);
  }
}
