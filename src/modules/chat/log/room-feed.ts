import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Broadcast } from '../../../kit/realtime/broadcast.js';
import type { Connection } from '../../../kit/realtime/connection.js';
import { Peers } from '../../../kit/peers/peers.js';
import type { Owner } from '../../../kit/turns/owner.js';
import { TurnQueue } from '../../../kit/turns/turn-queue.js';
import { roomNotFound } from './room-access.js';
import { RoomLog } from './room-log.js';
import type { ChatEvent, PassingEvent, RoomEvent } from '../records/chat-event.js';
import { RoomOrder } from './room-order.js';
import { type AdmittedRoom, type RoomSource, RoomSubscription } from './room-subscription.js';

/** How many events a client that has fallen behind is sent before it is asked whether it keeps up. */
const PAGE_EVENTS = 100;
/** The events of transactions that commit together may come in another order; a gap usually closes by itself. */
const GAP_PATIENCE_MS = 20;
/** How soon rooms are compared with their logs, for events whose writer never learned that they were committed. */
const COMPARE_EVERY_MS = 2_000;
/** Pages read at once, so that thousands who come back together leave connections to others. */
const READING_BOUNDS = { runningMax: 4, ownerRunningMax: 2, waitingMax: 100_000, ownerWaitingMax: 10_000 };

const TOPIC = 'chat';

/** The current end of a room's log, from which events are read. */
interface Grown {
  readonly room: string;
  readonly sequence: number;
}

/** A room that has subscriptions. */
class SubscribedRoom {
  readonly order: RoomOrder;
  readonly subscriptions = new Set<RoomSubscription>();
  gapTimer: NodeJS.Timeout | undefined;
  filling: Promise<void> | null = null;

  constructor(
    readonly id: string,
    head: number,
  ) {
    this.order = new RoomOrder(head);
  }
}

/**
 * Publishes the events of rooms to their subscriptions: each once, in the order of the room's log, and none
 * left out. A client that comes with a cursor is sent the log from there, at its own pace, and then joins the others
 * at the seam. Everything that is sent was committed. What other processes commit is read from the log as soon
 * as they say so, or within some seconds where they cannot.
 */
@Injectable()
export class RoomFeed implements OnModuleInit, OnModuleDestroy {
  readonly broadcast = new Broadcast();
  private readonly logger = new Logger(RoomFeed.name);
  private readonly rooms = new Map<string, SubscribedRoom>();
  private readonly reading = new TurnQueue(READING_BOUNDS);
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

  /** Publishes what is not kept. */
  pass(event: PassingEvent): void {
    this.send(event);
  }

  /**
   * A subscription to every event of the room after the cursor, in place of the one that the connection has. It sends
   * nothing until it is started.
   */
  subscribe(room: AdmittedRoom, connection: Connection, onEnd: () => void): RoomSubscription {
    const subscription = new RoomSubscription(room, connection, onEnd);
    connection.carry(subscription);
    return subscription;
  }

  start(subscription: RoomSubscription): void {
    if (subscription.isEnded) return;
    const { roomId, sequence } = subscription.room;
    let room = this.rooms.get(roomId);
    if (room === undefined) this.rooms.set(roomId, (room = new SubscribedRoom(roomId, sequence)));
    room.subscriptions.add(subscription);
    room.order.expect(sequence);
    subscription.start(this.sourceOf(room));
  }

  private sourceOf(room: SubscribedRoom): RoomSource {
    return {
      get head() {
        return room.order.head;
      },
      pageAfter: (sequence, owner) => this.pageAfter(room, sequence, owner),
      join: (connection) => this.broadcast.join(room.id, connection),
      leave: (connection) => this.broadcast.leave(room.id, connection),
      forget: (subscription) => this.forget(room, subscription),
    };
  }

  private forget(room: SubscribedRoom, subscription: RoomSubscription): void {
    room.subscriptions.delete(subscription);
    if (room.subscriptions.size > 0 || this.rooms.get(room.id) !== room) return;
    clearTimeout(room.gapTimer);
    this.rooms.delete(room.id);
  }

  /** From memory where it reaches: then nothing can happen between the last page and joining the others. */
  private async pageAfter(
    room: SubscribedRoom,
    sequence: number,
    owner: Owner,
  ): Promise<readonly RoomEvent[]> {
    if (sequence > room.order.head) await this.fill(room);
    const known = room.order.after(sequence, PAGE_EVENTS);
    if (known !== undefined) return known;
    return this.readLog(room, sequence, owner);
  }

  private take(room: SubscribedRoom, events: readonly RoomEvent[]): void {
    for (const event of events) room.order.add(event);
    for (let event = room.order.next(); event !== undefined; event = room.order.next()) {
      this.send(event);
      if (event.type !== 'member.removed') continue;
      for (const subscription of room.subscriptions) subscription.endIfRemovedBy(event);
    }
    if (room.order.hasGap) room.gapTimer ??= this.fillLater(room, GAP_PATIENCE_MS);
  }

  private fillLater(room: SubscribedRoom, delayMs: number): NodeJS.Timeout {
    return setTimeout(() => {
      room.gapTimer = undefined;
      this.fill(room).catch((error: unknown) => {
        this.logger.warn({ err: error, msg: `a gap in ${room.id} could not be filled` });
        if (this.rooms.get(room.id) === room) room.gapTimer = this.fillLater(room, COMPARE_EVERY_MS);
      });
    }, delayMs).unref();
  }

  /** Sends from the log what has not come by itself. */
  private async fill(room: SubscribedRoom): Promise<void> {
    room.filling ??= this.readGap(room).finally(() => {
      room.filling = null;
    });
    await room.filling;
  }

  private async readGap(room: SubscribedRoom): Promise<void> {
    while (room.order.hasGap && this.rooms.get(room.id) === room) {
      // All who follow the room wait for it, so it is the turn of the room.
      await this.readLog(room, room.order.head, ['rooms', room.id]);
    }
  }

  /** What it reads is news to the room as well, where it was not sent yet. */
  private async readLog(room: SubscribedRoom, sequence: number, owner: Owner): Promise<readonly RoomEvent[]> {
    const page = await this.reading.take(owner, () => this.log.read(room.id, sequence, PAGE_EVENTS));
    if (page.length === 0) {
      if (!(await this.log.heads([room.id])).has(room.id)) throw roomNotFound();
      throw new Error(`The log of ${room.id} ends at ${sequence}, and should go on`);
    }
    this.take(room, page);
    return page;
  }

  /** Another process has committed these events; nothing of this process will follow, so read them at once. */
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
      const followed = [...this.rooms.values()];
      const heads = await this.log.heads(followed.map(({ id }) => id));
      for (const room of followed) {
        if (this.rooms.get(room.id) !== room) continue;
        const head = heads.get(room.id);
        if (head === undefined) {
          for (const subscription of room.subscriptions) subscription.endAsGone();
          continue;
        }
        room.order.expect(head);
        this.take(room, []);
      }
    } catch (error) {
      this.logger.warn({ err: error, msg: 'rooms could not be compared with their logs' });
    }
  }

  private send(event: ChatEvent): void {
    this.broadcast.send(event.room_id, event);
  }
}
