import { Injectable } from '@nestjs/common';
import { ApiError } from '../../../platform/http/errors.js';
import type { Replayable } from '../../../platform/http/idempotency/replay.js';
import { RoomWriter } from '../log/room-writer.js';
import { storeMessages, type Draft, type Sent } from './message-batch.js';
import type { MessageDto } from '../records/message.dto.js';

const BATCH_MAX = 250;
/** Of one room. */
const WAITING_MAX = 5_000;

interface Waiting {
  readonly draft: Draft;
  readonly resolve: (sent: Replayable<MessageDto>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Group commit of a room's messages: those that come while one transaction runs are stored together by the
 * next one. So a busy room is as fast as the database is with batches, and a quiet one waits for nobody.
 */
@Injectable()
export class MessageQueue {
  private readonly rooms = new Map<string, Waiting[]>();

  constructor(private readonly writer: RoomWriter) {}

  /** Answers when the message is stored for good. Throws what `MessagesService.send` does. */
  send(roomId: string, draft: Draft): Promise<Replayable<MessageDto>> {
    return new Promise((resolve, reject) => {
      const queue = this.rooms.get(roomId);
      if (queue === undefined) {
        this.rooms.set(roomId, [{ draft, resolve, reject }]);
        void this.work(roomId);
      } else if (queue.length < WAITING_MAX) queue.push({ draft, resolve, reject });
      else reject(tooManyWaiting());
    });
  }

  /** Stores what waits for the room, batch by batch, until nothing does. */
  private async work(roomId: string): Promise<void> {
    for (let queue = this.rooms.get(roomId); queue?.[0] !== undefined; queue = this.rooms.get(roomId)) {
      await this.storeNext(roomId, queue);
    }
    this.rooms.delete(roomId);
  }

  private async storeNext(roomId: string, queue: Waiting[]): Promise<void> {
    let batch: Waiting[] = [];
    try {
      const sent = await this.writer.changeForMany(roomId, (change) => {
        // Only now: whoever came while others had their turn goes with it.
        batch = queue.splice(0, BATCH_MAX);
        return storeMessages(
          change,
          batch.map(({ draft }) => draft),
        );
      });
      batch.forEach((waiting, place) => settle(waiting, sent[place]));
    } catch (error) {
      // The turn itself may have been refused: then it was the turn of the first one only.
      if (batch.length === 0) batch = queue.splice(0, 1);
      for (const { reject } of batch) reject(error);
    }
  }
}

function settle({ resolve, reject }: Waiting, sent: Sent | undefined): void {
  if (sent === undefined) reject(new Error('a message was neither stored nor refused'));
  else if (sent instanceof ApiError) reject(sent);
  else resolve(sent);
}

function tooManyWaiting(): ApiError {
  return new ApiError('rate_limited', 'Too many messages wait for this room; wait a second and try again.', {
    headers: { 'Retry-After': '1' },
  });
}
