import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { PeerCounts, type SharedCounts } from '../../../kit/peers/peer-counts.js';
import { RoomFeed } from '../log/room-feed.js';
import { memberKeyOf, partsOfMemberKey } from './room-member-key.js';

/** The most member names in one event. */
export const NAMES_MAX = 100;
/** Changes in a shorter time are sent together. */
const SEND_EVERY_MS_MIN = 250;
/** Per notified member: larger rooms send less often, so that the cost stays the same. */
const SEND_EVERY_MS_A_MEMBER = 2;

/** The presence of one room. */
class PresentRoom {
  /** How many connections each member has, to whatever process. */
  readonly connections = new Map<string, number>();
  /** Who was connected at the last event. */
  readonly announced = new Set<string>();
  /** Who connected or disconnected since then, perhaps both. */
  readonly changed = new Set<string>();
  timer: NodeJS.Timeout | undefined;
}

/**
 * Knows which members are connected to rooms, by sockets or streams, to this process or another, and tells it to
 * those who follow them here.
 */
@Injectable()
export class RoomPresence implements OnModuleDestroy {
  private readonly rooms = new Map<string, PresentRoom>();
  private readonly shared: SharedCounts;

  constructor(
    private readonly feed: RoomFeed,
    peers: PeerCounts,
  ) {
    this.shared = peers.share('present', (key, delta) => this.count(...partsOfMemberKey(key), delta));
  }

  onModuleDestroy(): void {
    for (const { timer } of this.rooms.values()) clearTimeout(timer);
    this.rooms.clear();
  }

  /** One more connection of the member. Every call is answered by one of `leave`. */
  enter(roomId: string, member: string): void {
    this.count(roomId, member, 1);
    this.shared.add(memberKeyOf(roomId, member), 1);
  }

  leave(roomId: string, member: string): void {
    if (this.rooms.get(roomId)?.connections.has(member) !== true) return;
    this.count(roomId, member, -1);
    this.shared.add(memberKeyOf(roomId, member), -1);
  }

  /** Who is connected now: the total count, and up to a limit of names. */
  onlineIn(roomId: string): { online: string[]; online_count: number } {
    const connections = this.rooms.get(roomId)?.connections ?? new Map<string, number>();
    return { online: [...connections.keys()].slice(0, NAMES_MAX), online_count: connections.size };
  }

  private count(roomId: string, member: string, delta: number): void {
    let room = this.rooms.get(roomId);
    if (room === undefined) this.rooms.set(roomId, (room = new PresentRoom()));
    const count = (room.connections.get(member) ?? 0) + delta;
    if (count > 0) room.connections.set(member, count);
    else room.connections.delete(member);
    this.noteChange(roomId, room, member);
  }

  private noteChange(roomId: string, room: PresentRoom, member: string): void {
    room.changed.add(member);
    const delayMs = Math.max(SEND_EVERY_MS_MIN, room.connections.size * SEND_EVERY_MS_A_MEMBER);
    room.timer ??= setTimeout(() => this.send(roomId, room), delayMs).unref();
  }

  private send(roomId: string, room: PresentRoom): void {
    room.timer = undefined;
    const online = [...room.changed].filter(
      (name) => room.connections.has(name) && !room.announced.has(name),
    );
    const offline = [...room.changed].filter(
      (name) => !room.connections.has(name) && room.announced.has(name),
    );
    room.changed.clear();
    for (const member of online) room.announced.add(member);
    for (const member of offline) room.announced.delete(member);
    if (room.connections.size === 0) this.rooms.delete(roomId);
    if (online.length + offline.length === 0) return;
    this.feed.pass({
      type: 'presence.changed',
      room_id: roomId,
      created_at: new Date().toISOString(),
      data: {
        online: online.slice(0, NAMES_MAX),
        offline: offline.slice(0, NAMES_MAX),
        online_count: room.connections.size,
      },
    });
  }
}
