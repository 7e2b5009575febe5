import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { PassingEventType } from './chat-event.js';
import { RoomFeed } from './room-feed.js';

/** Who says nothing more of it has stopped typing. Clients say it again every few seconds. */
const TYPING_MS = 6_000;
/** Of more at once nobody is told: who writes no longer matters, and the cost would grow with the square. */
const TYPISTS_MAX = 20;

/** Knows who types in rooms, and tells it to those who follow them: once when it begins, once when it ends. */
@Injectable()
export class RoomTyping implements OnModuleDestroy {
  private readonly rooms = new Map<string, Map<string, NodeJS.Timeout>>();

  constructor(private readonly feed: RoomFeed) {}

  onModuleDestroy(): void {
    for (const typists of this.rooms.values()) for (const timer of typists.values()) clearTimeout(timer);
    this.rooms.clear();
  }

  start(roomId: string, member: string): void {
    let typists = this.rooms.get(roomId);
    if (typists === undefined) this.rooms.set(roomId, (typists = new Map<string, NodeJS.Timeout>()));
    const timer = typists.get(member);
    if (timer !== undefined) {
      timer.refresh();
      return;
    }
    if (typists.size >= TYPISTS_MAX) return;
    typists.set(
      member,
      setTimeout(() => this.stop(roomId, member), TYPING_MS),
    );
    this.tell('typing.start', roomId, member);
  }

  stop(roomId: string, member: string): void {
    const typists = this.rooms.get(roomId);
    const timer = typists?.get(member);
    if (typists === undefined || timer === undefined) return;
    clearTimeout(timer);
    typists.delete(member);
    if (typists.size === 0) this.rooms.delete(roomId);
    this.tell('typing.stop', roomId, member);
  }

  private tell(type: Exclude<PassingEventType, 'presence.changed'>, roomId: string, member: string): void {
    this.feed.pass({ type, room_id: roomId, created_at: new Date().toISOString(), data: { member } });
  }
}
