import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import { ApiError, errorEnvelope } from '../../../platform/http/errors.js';
import { endSocket } from '../../../platform/realtime/end-socket.js';
import type { AuthenticatedSocketData } from '../../../platform/realtime/socket-authentication.js';
import { SocketBacklogs } from '../../../platform/realtime/socket-backlogs.js';
import { drained } from '../../../platform/realtime/socket-drain.js';
import type { ChatEvent, RoomEvent } from '../records/chat-event.js';
import type { ChatClientEvents, ChatServerEvents } from './chat-stream.events.js';
import type { AdmittedRoom } from './room-admission.js';
import { RoomFeed } from '../log/room-feed.js';
import type { RoomFollower, RoomFollowing, RoomOutlet } from '../log/room-following.js';
import { RoomPresence } from './room-presence.js';

export type ChatNamespace = Namespace<
  ChatClientEvents,
  ChatServerEvents,
  DefaultEventsMap,
  AuthenticatedSocketData
>;
export type ChatSocket = Socket<
  ChatClientEvents,
  ChatServerEvents,
  DefaultEventsMap,
  AuthenticatedSocketData
>;

const ROOMS_MAX = 200;

/** A room that a socket follows. While it is live, the socket is in the room of socket.io that has its id. */
class SocketFollower implements RoomFollower {
  private following: RoomFollowing | undefined;
  private isOver = false;

  constructor(
    /** Without the types of its events: which event goes with which type is said by the event itself. */
    private readonly socket: Socket,
    readonly room: AdmittedRoom,
    private readonly onEnd: () => void,
  ) {}

  get member(): string {
    return this.room.member;
  }

  /** Begins once the message that asked for it has been acknowledged. */
  follow(feed: RoomFeed): void {
    setImmediate(() => {
      const { roomId, position, sequence } = this.room;
      if (!this.isOver) this.following = feed.follow(roomId, this, position, sequence);
    });
  }

  async send(events: readonly RoomEvent[]): Promise<void> {
    for (const event of events) this.socket.emit(event.type, event);
    await drained(this.socket);
  }

  setLive(isLive: boolean): void {
    // Both take effect at once; there is nothing to wait for where no other process is asked.
    if (isLive) void this.socket.join(this.room.roomId);
    else void this.socket.leave(this.room.roomId);
  }

  pause(): void {
    this.following?.pause();
  }

  resume(): void {
    this.following?.resume();
  }

  stop(): void {
    this.isOver = true;
    this.following?.stop();
  }

  end(reason: ApiError | null): void {
    this.isOver = true;
    this.onEnd();
    if (reason === null) return;
    // The failure is ours and not about this room alone: the client may connect again, and say what it has.
    if (reason.status >= 500) endSocket(this.socket, reason);
    else this.socket.emit('error', errorEnvelope(reason, randomUUID()));
  }
}

/** The rooms that sockets follow. */
@Injectable()
export class RoomSockets implements RoomOutlet, OnModuleDestroy {
  /** Without the types of its events, as the sockets of followers. */
  private namespace: Namespace | undefined;
  private readonly followers = new Map<ChatSocket, Map<string, SocketFollower>>();
  private readonly backlogs = new SocketBacklogs({
    onBehind: (socket) => this.followersOf(socket).forEach((follower) => follower.pause()),
    onCaughtUp: (socket) => this.followersOf(socket).forEach((follower) => follower.resume()),
  });

  constructor(
    private readonly feed: RoomFeed,
    private readonly presence: RoomPresence,
  ) {}

  onModuleDestroy(): void {
    this.backlogs.stop();
  }

  /** To be called once, before any socket connects. */
  serve(namespace: ChatNamespace): void {
    this.namespace = namespace;
    this.feed.addOutlet(this);
  }

  watch(socket: ChatSocket): void {
    this.followers.set(socket, new Map());
    this.backlogs.watch(socket);
    socket.once('disconnect', () => {
      for (const roomId of [...this.followersOf(socket).keys()]) this.leave(socket, roomId);
      this.followers.delete(socket);
    });
  }

  follows(socket: ChatSocket, roomId: string): boolean {
    return this.followersOf(socket).has(roomId);
  }

  /**
   * Has a socket follow a room, or follow it anew from another position, once the current message has been
   * acknowledged. Throws `limit_exceeded` (422) for too many rooms.
   */
  join(socket: ChatSocket, room: AdmittedRoom): void {
    const own = this.followers.get(socket);
    // It went away while it was let in.
    if (own === undefined) return;
    if (own.size >= ROOMS_MAX && !own.has(room.roomId)) {
      throw new ApiError(
        'limit_exceeded',
        `A socket follows at most ${ROOMS_MAX} rooms; leave one, or open another.`,
      );
    }
    this.leave(socket, room.roomId);
    const follower = new SocketFollower(socket, room, () => this.forget(socket, follower));
    own.set(room.roomId, follower);
    if (room.isMember) this.presence.enter(room.roomId, room.member);
    follower.follow(this.feed);
  }

  leave(socket: ChatSocket, roomId: string): void {
    const follower = this.followersOf(socket).get(roomId);
    if (follower === undefined) return;
    follower.stop();
    this.forget(socket, follower);
  }

  publish(event: ChatEvent): void {
    // Nothing is encoded for nobody.
    if (this.namespace?.adapter.rooms.has(event.room_id) !== true) return;
    this.namespace.to(event.room_id).emit(event.type, event);
  }

  private forget(socket: ChatSocket, { room }: SocketFollower): void {
    this.followersOf(socket).delete(room.roomId);
    if (room.isMember) this.presence.leave(room.roomId, room.member);
  }

  private followersOf(socket: Socket): Map<string, SocketFollower> {
    return this.followers.get(socket as ChatSocket) ?? new Map<string, SocketFollower>();
  }
}
