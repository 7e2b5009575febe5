import { Injectable } from '@nestjs/common';
import type { Connection } from '../../../kit/realtime/connection.js';
import { RoomFeed } from '../log/room-feed.js';
import type { AdmittedRoom, RoomSubscription } from '../log/room-subscription.js';
import { RoomPresence } from './room-presence.js';

/** Makes subscriptions to rooms, whose members are present while they last. */
@Injectable()
export class RoomSubscriptions {
  constructor(
    private readonly feed: RoomFeed,
    private readonly presence: RoomPresence,
  ) {}

  /** It replaces the one that the connection has to the room, and sends nothing until it is started. */
  open({ roomId, ...admitted }: AdmittedRoom, connection: Connection): RoomSubscription {
    const { member, isMember } = admitted;
    if (isMember) this.presence.enter(roomId, member);
    return this.feed.subscribe({ roomId, ...admitted }, connection, () => {
      if (isMember) this.presence.leave(roomId, member);
    });
  }

  start(subscription: RoomSubscription): void {
    this.feed.start(subscription);
  }
}
