import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ApiError } from '../../../platform/http/errors.js';
import { toApiError } from '../../../platform/server/exception.filter.js';
import { Peers } from '../../../platform/peers/peers.js';
import { Turns } from '../../../platform/turns.js';
import { RoomLog } from './room-log.js';
import type { ChatEvent, PassingEvent, RoomEvent } from '../records/chat-event.js';
import type { RoomFollower, RoomFollowing, RoomOutlet } from './room-following.js';
import { RoomOrder } from './room-order.js';

/** How many events a client that has fallen behind is sent before it is asked whether it keeps up. */
const PAGE_EVENTS = 100;
/** The events of transactions that commit together may come in another order; a gap usually closes by itself. */
const GAP_PATIENCE_MS = 20;
/** How soon rooms are compared with their logs, for events whose writer never learned that they were committed. */
const COMPARE_EVERY_MS = 2_000;
/** Pages read at once, so that thousands who come back together leave connections to others. */
const READING_MAX = 4;
const WAITING_TO_READ_MAX = 100_000;

const TOPIC = 'chat';

/** How far the log of a room goes by now: what happened is read from there. */
interface Grown {
  readonly room: string;
  readonly sequence: number;
}

/** A room that somebody follows. */
class FollowedRoom {
  readonly order: RoomOrder;
  readonly followings = new Set<Following>();
  gapTimer: NodeJS.Timeout | undefined;
  filling: Promise<void> | null = null;

  constructor(
    readonly id: string,
    head: number,
  ) {
    this.order = new RoomOrder(head);
  }
}

/** Its position counts while the client catches up; then it is the room's. */
interface Following {
  readonly follower: RoomFollower;
  /** What the member had the right to see when it began: a removal before that has been taken back since. */
  readonly admittedAt: number;
  position: number;
  state: 'catching up' | 'live' | 'paused' | 'ended';
}

/**
 * Tells the events of rooms to those who follow them: each once, in the order of the room's log, and none
 * left out. Who comes with a position is sent the log from there, at its own pace, and then joins the others
 * at the seam. Everything that is told was committed. What other processes commit is read from the log as soon
 * as they say so, or within some seconds where they cannot.
 */
@Injectable()
export class RoomFeed implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(RoomFeed.name);
  private readonly outlets: RoomOutlet[] = [];
  private readonly rooms = new Map<string, FollowedRoom>();
  private readonly reading = new Turns(READING_MAX, WAITING_TO_READ_MAX);
  private comparing: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: RoomLog,
    private readonly peers: Peers,
  ) {}

  async onModuleInit(): Promise<void> {
    this.comparing = setInterval(() => void this.compareWithLogs(), COMPARE_EVERY_MS).unref();
    this.peers.onReached(() => void this.compareWithLogs());
    await this.peers.listen(TOPIC, ({ room, sequence }: Grown) => this.expect(room, sequence));
  }

  onModuleDestroy(): void {
    clearInterval(this.comparing);
    for (const { gapTimer } of this.rooms.values()) clearTimeout(gapTimer);
    this.rooms.clear();
  }

  addOutlet(outlet: RoomOutlet): void {
    this.outlets.push(outlet);
  }

  /** Takes the events of a transaction that has committed, in whatever order transactions hand them over. */
  committed(events: readonly RoomEvent[]): void {
    for (const event of events) {
      const room = this.rooms.get(event.room_id);
      if (room !== undefined) this.take(room, [event]);
    }
    const last = events.at(-1);
    if (last === undefined) return;
    this.peers.say(TOPIC, { room: last.room_id, sequence: last.sequence } satisfies Grown);
  }

  /** Tells those who follow a room now what is not kept. */
  pass(event: PassingEvent): void {
    this.publish(event);
  }

  /**
   * Has the follower told every event of the room after `position`. `admittedAt` is the room's sequence when
   * the member was found to be allowed to read it, and at least `position`.
   */
  follow(roomId: string, follower: RoomFollower, position: number, admittedAt: number): RoomFollowing {
    let room = this.rooms.get(roomId);
    if (room === undefined) this.rooms.set(roomId, (room = new FollowedRoom(roomId, admittedAt)));
    const following: Following = { follower, admittedAt, position, state: 'catching up' };
    room.followings.add(following);
    room.order.expect(admittedAt);
    void this.catchUp(room, following);
    return {
      pause: () => this.pause(room, following),
      resume: () => {
        if (following.state !== 'paused') return;
        following.state = 'catching up';
        void this.catchUp(room, following);
      },
      stop: () => this.stop(room, following),
    };
  }

  private pause(room: FollowedRoom, following: Following): void {
    if (following.state !== 'live') return;
    following.state = 'paused';
    following.position = room.order.head;
    following.follower.setLive(false);
  }

  private stop(room: FollowedRoom, following: Following): void {
    if (following.state === 'live') following.follower.setLive(false);
    following.state = 'ended';
    room.followings.delete(following);
    if (room.followings.size > 0 || this.rooms.get(room.id) !== room) return;
    clearTimeout(room.gapTimer);
    this.rooms.delete(room.id);
  }

  private async catchUp(room: FollowedRoom, following: Following): Promise<void> {
    const { follower } = following;
    try {
      while (following.state === 'catching up') {
        if (following.position === room.order.head) {
          following.state = 'live';
          follower.setLive(true);
          return;
        }
        const page = await this.pageAfter(room, following.position);
        if (isOver(following)) return;
        const removal = page.findIndex((event) => isRemovalOf(following, event));
        const events = removal < 0 ? page : page.slice(0, removal + 1);
        following.position = events.at(-1)?.sequence ?? following.position;
        await follower.send(events);
        if (removal >= 0) this.end(room, following, null);
      }
    } catch (error) {
      const reason = toApiError(error);
      this.logger.warn({ err: error, msg: `the log of ${room.id} could not be read` });
      this.end(room, following, reason);
    }
  }

  /** From memory where it reaches: then nothing can happen between the last page and joining the others. */
  private async pageAfter(room: FollowedRoom, sequence: number): Promise<readonly RoomEvent[]> {
    if (sequence > room.order.head) await this.fill(room);
    const known = room.order.after(sequence, PAGE_EVENTS);
    if (known !== undefined) return known;
    return this.readLog(room, sequence);
  }

  private take(room: FollowedRoom, events: readonly RoomEvent[]): void {
    for (const event of events) room.order.add(event);
    for (let event = room.order.next(); event !== undefined; event = room.order.next()) {
      this.publish(event);
      if (event.type === 'member.removed') this.remove(room, event);
    }
    if (room.order.hasGap) room.gapTimer ??= this.fillLater(room, GAP_PATIENCE_MS);
  }

  private fillLater(room: FollowedRoom, delayMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      room.gapTimer = undefined;
      this.fill(room).catch((error: unknown) => {
        this.logger.warn({ err: error, msg: `a gap in ${room.id} could not be filled` });
        if (this.rooms.get(room.id) === room) room.gapTimer = this.fillLater(room, COMPARE_EVERY_MS);
      });
    }, delayMs).unref();
  }

  /** Tells from the log what has not come by itself. */
  private async fill(room: FollowedRoom): Promise<void> {
    room.filling ??= this.readGap(room).finally(() => {
      room.filling = null;
    });
    await room.filling;
  }

  private async readGap(room: FollowedRoom): Promise<void> {
    while (room.order.hasGap && this.rooms.get(room.id) === room) {
      await this.readLog(room, room.order.head);
    }
  }

  /** What it reads is news to the room as well, where nobody has told it yet. */
  private async readLog(room: FollowedRoom, sequence: number): Promise<readonly RoomEvent[]> {
    const page = await this.reading.take(() => this.log.read(room.id, sequence, PAGE_EVENTS));
    if (page.length === 0) throw new Error(`The log of ${room.id} ends at ${sequence}, and should go on`);
    this.take(room, page);
    return page;
  }

  /** Another process has committed: nobody here will hand it over, so there is nothing to be patient for. */
  private expect(roomId: string, sequence: number): void {
    const room = this.rooms.get(roomId);
    if (room === undefined) return;
    room.order.expect(sequence);
    if (!room.order.hasGap) return;
    clearTimeout(room.gapTimer);
    room.gapTimer = this.fillLater(room, 0);
  }

  private async compareWithLogs(): Promise<void> {
    if (this.rooms.size === 0) return;
    try {
      for (const [roomId, head] of await this.log.heads([...this.rooms.keys()])) {
        const room = this.rooms.get(roomId);
        if (room === undefined) continue;
        room.order.expect(head);
        this.take(room, []);
      }
    } catch (error) {
      this.logger.warn({ err: error, msg: 'rooms could not be compared with their logs' });
    }
  }

  /** Everyone who follows has had the removal; who was removed gets nothing that comes after it. */
  private remove(room: FollowedRoom, event: RoomEvent<'member.removed'>): void {
    for (const following of room.followings) {
      if (!isRemovalOf(following, event)) continue;
      this.end(room, following, following.state === 'live' ? null : noLongerThere(room.id));
    }
  }

  private end(room: FollowedRoom, following: Following, reason: ApiError | null): void {
    if (following.state === 'ended') return;
    this.stop(room, following);
    following.follower.end(reason);
  }

  private publish(event: ChatEvent): void {
    for (const outlet of this.outlets) outlet.publish(event);
  }
}

function noLongerThere(roomId: string): ApiError {
  return new ApiError('not_found', `You are no longer a member of ${roomId}, and read it no more.`);
}

function isOver({ state }: Following): boolean {
  return state === 'ended';
}

function isRemovalOf({ follower, admittedAt }: Following, event: RoomEvent): boolean {
  return (
    event.type === 'member.removed' && event.data.member === follower.member && event.sequence > admittedAt
  );
}
