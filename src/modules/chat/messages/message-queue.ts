import { Injectable } from '@nestjs/common';
import { GroupCommit } from '../../../kit/database/group-commit.js';
import { RATE_LIMITED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { RoomWriter } from '../log/room-writer.js';
import { storeMessages, type Draft } from './message-batch.js';
import type { MessageDto } from '../records/message.dto.js';

const BATCH_MAX = 250;
/** Of one room. */
const WAITING_MAX = 5_000;

type RoomQueue = GroupCommit<Draft, Replayable<MessageDto>>;

/** Stores the messages of a room that come at the same time in one transaction; each room has its own queue. */
@Injectable()
export class MessageQueue {
  private readonly rooms = new Map<string, RoomQueue>();

  constructor(private readonly writer: RoomWriter) {}

  /** Answers when the message is stored for good. Throws what `MessagesService.send` does. */
  send(roomId: string, draft: Draft): Promise<Replayable<MessageDto>> {
    const queue = this.rooms.get(roomId) ?? this.queueFor(roomId);
    return queue.add(draft);
  }

  private queueFor(roomId: string): RoomQueue {
    const queue = new GroupCommit<Draft, Replayable<MessageDto>>(
      {
        batchMax: BATCH_MAX,
        waitingMax: WAITING_MAX,
        refuse: tooManyWaiting,
        onIdle: () => this.rooms.delete(roomId),
      },
      // The batch is taken once it is the room's turn: what came while others had theirs goes with it.
      (take) => this.writer.changeForMany(roomId, (change) => storeMessages(change, take())),
    );
    this.rooms.set(roomId, queue);
    return queue;
  }
}

function tooManyWaiting(): ApiError {
  return new ApiError(RATE_LIMITED, 'Too many messages wait for this room; wait a second and try again.', {
    headers: { 'Retry-After': '1' },
  });
}
