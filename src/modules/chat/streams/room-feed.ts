import { Injectable } from '@nestjs/common';
import type { RoomEvent } from './chat-event.js';

/** Tells committed events to those who follow their rooms: each once, and in the order of the room's log. */
@Injectable()
export class RoomFeed {
  /** Takes events whose transaction has committed; in whatever order transactions hand them over. Never throws. */
  committed(_events: readonly RoomEvent[]): void {}
}
