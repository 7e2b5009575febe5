import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { PeerCounts, type SharedCounts } from '../../../kit/peers/peer-counts.js';
import type { PassingEventType } from '../records/chat-event.js';
import { RoomFeed } from '../log/room-feed.js';
import { memberKeyOf, partsOfMemberKey } from './room-member-key.js';

/** Typing ends after this time without a new message. Clients repeat it every few seconds. */
const TYPING_MS = 6_000;
/** More typists are not sent: who they are no longer matters, and the cost would grow with the square. */
const TYPISTS_MAX = 20;

/** Somebody who types in a room, by one connection. */
interface Typist {
  readonly member: string;
  readonly timer: NodeJS.Timeout;
}

/**
 * Knows who types in rooms, through this process or another, and tells it to those who follow them here: once when
 * it begins, once when it ends.
 */
@Injectable()
export class RoomTyping implements OnModuleDestroy {
  /** Of each room, the typists by their connections. */
  private readonly rooms = new Map<string, Map<object, Typist>>();

  /** By how many connections members type that other processes have, by `memberKeyOf`. */
  private readonly elsewhere = new Map<string, number>();
  private readonly shared: SharedCounts;

  constructor(
    private readonly feed: RoomFeed,
    peers: PeerCounts,
  ) {
    this.shared = peers.share('typing', (key, delta) => this.countElsewhere(key, delta));
  }

  onModuleDestroy(): void {
    for (const typists of this.rooms.values()) for (const { timer } of typists.values()) clearTimeout(timer);
    this.rooms.clear();
  }

  /** The member types on this connection, until it stops or the time runs out. */
  start(roomId: string, member: string, connection: object): void {
    const typists = this.rooms.get(roomId) ?? new Map<object, Typist>();
    const typist = typists.get(connection);
    if (typist !== undefined) {
      typist.timer.refresh();
      return;
    }
    if (typists.size >= TYPISTS_MAX) return;
    const wasTyping = this.isTyping(roomId, member);
    const timer = setTimeout(() => this.stop(roomId, connection), TYPING_MS).unref();
    this.rooms.set(roomId, typists.set(connection, { member, timer }));
    this.shared.add(memberKeyOf(roomId, member), 1);
    if (!wasTyping) this.send('typing.start', roomId, member);
  }

  stop(roomId: string, connection: object): void {
    const typists = this.rooms.get(roomId);
    const typist = typists?.get(connection);
    if (typists === undefined || typist === undefined) return;
    clearTimeout(typist.timer);
    typists.delete(connection);
    if (typists.size === 0) this.rooms.delete(roomId);
    this.shared.add(memberKeyOf(roomId, typist.member), -1);
    if (!this.isTyping(roomId, typist.member)) this.send('typing.stop', roomId, typist.member);
  }

  /** The connection is gone. */
  stopAllOf(connection: object): void {
    for (const [roomId, typists] of [...this.rooms])
      if (typists.has(connection)) this.stop(roomId, connection);
  }

  private send(type: Exclude<PassingEventType, 'presence.changed'>, roomId: string, member: string): void {
    this.feed.pass({ type, room_id: roomId, created_at: new Date().toISOString(), data: { member } });
  }

  private countElsewhere(key: string, delta: number): void {
    const [roomId, member] = partsOfMemberKey(key);
    const wasTyping = this.isTyping(roomId, member);
    const count = (this.elsewhere.get(key) ?? 0) + delta;
    if (count > 0) this.elsewhere.set(key, count);
    else this.elsewhere.delete(key);
    const isTyping = this.isTyping(roomId, member);
    if (isTyping !== wasTyping) this.send(isTyping ? 'typing.start' : 'typing.stop', roomId, member);
  }

  private isTyping(roomId: string, member: string): boolean {
    if (this.elsewhere.has(memberKeyOf(roomId, member))) return true;
    for (const typist of this.rooms.get(roomId)?.values() ?? []) if (typist.member === member) return true;
    return false;
  }
}
