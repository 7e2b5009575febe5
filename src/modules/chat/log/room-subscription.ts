import { Logger } from '@nestjs/common';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Connection, Subscription } from '../../../kit/realtime/connection.js';
import { encodeEvent } from '../../../kit/realtime/encoded-event.js';
import { toApiError } from '../../../kit/server/exception.filter.js';
import { type Owner, presentOwner } from '../../../kit/turns/owner.js';
import { roomNotFound } from './room-access.js';
import type { RoomEvent } from '../records/chat-event.js';

/** A room that somebody may follow, as it was when that was found out. */
export interface AdmittedRoom {
  /** The public id. */
  readonly roomId: string;
  /** The name of who follows: a member, or who reads a public room. */
  readonly member: string;
  /** Whether it is a member of the room, whose presence others see. */
  readonly isMember: boolean;
  /** The room's sequence: a removal before it has been taken back since. */
  readonly sequence: number;
  /** The last sequence that the client has: it is sent what comes after. */
  readonly cursor: number;
}

/** What the feed has of a room for its subscriptions. */
export interface RoomSource {
  /** The sequence of the last event that was sent. */
  readonly head: number;
  pageAfter(sequence: number, owner: Owner): Promise<readonly RoomEvent[]>;
  /** From now on the connection is sent what the room is sent. */
  join(connection: Connection): void;
  leave(connection: Connection): void;
  forget(subscription: RoomSubscription): void;
}

/**
 * One client's subscription to one room. The client gets the log from its cursor at its own pace, and then live events.
 * A slow client gets nothing until it catches up, and then what it missed.
 */
export class RoomSubscription implements Subscription {
  private static readonly logger = new Logger(RoomSubscription.name);
  readonly key: string;
  private state: 'new' | 'catching up' | 'live' | 'paused' | 'ended' = 'new';
  private cursor: number;
  /** Who asked for it, and waits for its pages. */
  private readonly owner = presentOwner();
  private source: RoomSource | undefined;

  constructor(
    readonly room: AdmittedRoom,
    private readonly connection: Connection,
    private readonly onEnd: () => void,
  ) {
    this.key = room.roomId;
    this.cursor = room.cursor;
  }

  get isEnded(): boolean {
    return this.state === 'ended';
  }

  start(source: RoomSource): void {
    this.source = source;
    this.catchUp(source);
  }

  pause(): void {
    const { source } = this;
    if (this.state !== 'live' || source === undefined) return;
    this.state = 'paused';
    this.cursor = source.head;
    source.leave(this.connection);
    this.connection.whenCaughtUp(() => {
      if (this.state === 'paused') this.catchUp(source);
    });
  }

  end(): void {
    if (this.state === 'ended') return;
    if (this.state === 'live') this.source?.leave(this.connection);
    this.state = 'ended';
    this.connection.release(this);
    this.source?.forget(this);
    this.onEnd();
  }

  /** The event was sent: a member that was removed gets nothing that comes after it. */
  endIfRemovedBy(event: RoomEvent<'member.removed'>): void {
    if (this.isRemovedBy(event)) this.finish(this.state === 'live' ? null : noLongerThere(this.key));
  }

  /** The room was deleted. */
  endAsGone(): void {
    this.finish(roomNotFound());
  }

  private catchUp(source: RoomSource): void {
    this.state = 'catching up';
    this.sendPages(source).catch((error: unknown) => {
      RoomSubscription.logger.warn({ err: error, msg: `the log of ${this.key} could not be read` });
      this.finish(toApiError(error));
    });
  }

  private async sendPages(source: RoomSource): Promise<void> {
    while (this.state === 'catching up') {
      if (this.cursor === source.head) {
        this.state = 'live';
        source.join(this.connection);
        return;
      }
      const page = await source.pageAfter(this.cursor, this.owner);
      if (this.isEnded) return;
      const removal = page.findIndex((event) => this.isRemovedBy(event));
      const events = removal < 0 ? page : page.slice(0, removal + 1);
      this.cursor = events.at(-1)?.sequence ?? this.cursor;
      for (const event of events) this.connection.send(encodeEvent(event));
      await this.connection.drained();
      if (removal >= 0) this.finish(null);
    }
  }

  /** `reason` is null if the client's last event says why. */
  private finish(reason: ApiError | null): void {
    if (this.state === 'ended') return;
    this.end();
    // Such a failure is ours and not about this room alone: the client may connect again, and say what it has.
    if (reason !== null && reason.status >= 500) this.connection.fail(reason);
    else this.connection.endSubscription(reason);
  }

  private isRemovedBy(event: RoomEvent): boolean {
    const { member, sequence } = this.room;
    return event.type === 'member.removed' && event.data.member === member && event.sequence > sequence;
  }
}

function noLongerThere(roomId: string): ApiError {
  return new ApiError(NOT_FOUND, `You are no longer a member of ${roomId}, and read it no more.`);
}
