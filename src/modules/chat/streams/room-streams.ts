import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Response } from 'express';
import { type ApiError, errorEnvelope } from '../../../platform/http/errors.js';
import { type EncodedEvent, encodeEvent, type EventStream } from '../../../platform/realtime/event-stream.js';
import { EventStreams } from '../../../platform/realtime/event-streams.js';
import { CHAT_REQUIREMENT } from './chat-channels.js';
import type { ChatEvent, PassingEvent, RoomEvent } from '../records/chat-event.js';
import type { AdmittedRoom } from './room-admission.js';
import { RoomFeed } from '../log/room-feed.js';
import type { RoomFollower, RoomFollowing, RoomOutlet } from '../log/room-following.js';
import { RoomPresence } from './room-presence.js';

/** One client's stream of one room. */
class StreamFollower implements RoomFollower {
  private readonly following: RoomFollowing;

  constructor(
    private readonly stream: EventStream,
    private readonly room: AdmittedRoom,
    feed: RoomFeed,
    private readonly onLive: (follower: StreamFollower, isLive: boolean) => void,
  ) {
    this.following = feed.follow(room.roomId, this, room.position, room.sequence);
    stream.onClose(() => this.following.stop());
  }

  get member(): string {
    return this.room.member;
  }

  async send(events: readonly RoomEvent[]): Promise<void> {
    for (const event of events) this.stream.send(encode(event));
    if (this.stream.isBehind) await new Promise<void>((resolve) => this.stream.onCaughtUp(resolve));
  }

  setLive(isLive: boolean): void {
    this.onLive(this, isLive);
  }

  publish(event: EncodedEvent): void {
    this.stream.send(event);
    if (!this.stream.isBehind) return;
    this.following.pause();
    this.stream.onCaughtUp(() => this.following.resume());
  }

  end(reason: ApiError | null): void {
    if (reason === null) this.stream.end();
    else this.stream.fail(errorEnvelope(reason, randomUUID()));
  }
}

/** Streams of rooms by server-sent events. */
@Injectable()
export class RoomStreams implements RoomOutlet, OnModuleInit {
  private readonly live = new Map<string, Set<StreamFollower>>();

  constructor(
    private readonly feed: RoomFeed,
    private readonly presence: RoomPresence,
    private readonly eventStreams: EventStreams,
  ) {}

  onModuleInit(): void {
    this.feed.addOutlet(this);
  }

  /**
   * Answers with events until the client hangs up, may read the room no longer, or the service stops. The first
   * one says who is connected, and has the client's position as its id: so whoever loses the connection before
   * anything happened comes back to the same place.
   */
  open(room: AdmittedRoom, response: Response): void {
    // Nobody would tell of the end of what has ended already.
    if (response.destroyed) return;
    const { roomId, member, isMember, position } = room;
    const stream = this.eventStreams.open(response, CHAT_REQUIREMENT);
    if (isMember) this.presence.enter(roomId, member);
    stream.onClose(() => {
      if (isMember) this.presence.leave(roomId, member);
    });
    const greeting: PassingEvent<'presence.changed'> = {
      type: 'presence.changed',
      room_id: roomId,
      created_at: new Date().toISOString(),
      data: { ...this.presence.onlineIn(roomId), offline: [] },
    };
    stream.send(encodeEvent(greeting.type, position, greeting));
    new StreamFollower(stream, room, this.feed, (follower, isLive) => this.setLive(roomId, follower, isLive));
  }

  publish(event: ChatEvent): void {
    const followers = this.live.get(event.room_id);
    if (followers === undefined) return;
    const encoded = encode(event);
    for (const follower of followers) follower.publish(encoded);
  }

  private setLive(roomId: string, follower: StreamFollower, isLive: boolean): void {
    const followers = this.live.get(roomId) ?? new Set();
    if (isLive) this.live.set(roomId, followers.add(follower));
    else if (followers.delete(follower) && followers.size === 0) this.live.delete(roomId);
  }
}

function encode(event: ChatEvent): EncodedEvent {
  return encodeEvent(event.type, 'sequence' in event ? event.sequence : undefined, event);
}
