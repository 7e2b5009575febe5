import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Row } from '../../../kit/database/rows.js';
import { BackgroundLoop } from '../../../kit/jobs/background-loop.js';
import type { WebhookEvent } from '../../../kit/webhooks/webhook-event-type.js';
import { type Listener, Webhooks } from '../../../kit/webhooks/webhooks.js';
import { apiKeyKeyOf } from '../../auth/api-keys/api-keys.service.js';
import type { ChatEventEntity } from '../records/chat-event.entity.js';
import type { MessageDto } from '../records/message.dto.js';
import { MESSAGE_NEW, messageEventKeyOf } from './message-events.js';

const LOOK_EVERY_MS = 500;
const ROOMS_PER_ROUND = 50;
const EVENTS_PER_ROOM = 200;

/**
 * Rooms with unannounced events. A new listener's room starts where the listener joined the room or began to listen.
 * New listeners are noticed within a second or so, so searching back to that place is short.
 */
const ROOMS_TO_ANNOUNCE = `
  WITH listener AS (
    SELECT principal, member_key, since FROM unnest($1::text[], $2::text[], $3::timestamptz[])
      AS listener (principal, member_key, since)
  ), heard AS (
    SELECT member.room_id, json_agg(json_build_object(
        'principal', principal, 'joinedAt', member.joined_sequence, 'isMuted', member.notifications_muted
      )) AS listeners,
      min(CASE WHEN member.joined_at > since THEN member.joined_sequence ELSE coalesce((
        SELECT event.sequence FROM chat_events event
        WHERE event.room_id = member.room_id AND event.created_at <= since
        ORDER BY event.sequence DESC LIMIT 1
      ), 0) END) FILTER (WHERE announced.room_id IS NULL) AS beginning,
      min(announced.sequence) AS announced_up_to
    FROM listener
    JOIN chat_members member ON member.member_key = listener.member_key
    JOIN chat_rooms room ON room.room_id = member.room_id
    LEFT JOIN chat_announced_rooms announced ON announced.room_id = member.room_id
    WHERE announced.room_id IS NULL OR announced.sequence < room.sequence
    GROUP BY member.room_id
  ), others AS (
    SELECT room.room_id, '[]'::json AS listeners, coalesce(announced.sequence, (
        SELECT event.sequence FROM chat_events event
        WHERE event.room_id = room.room_id AND event.created_at <= $4::timestamptz
        ORDER BY event.sequence DESC LIMIT 1
      ), 0) AS announced_up_to
    FROM chat_rooms room LEFT JOIN chat_announced_rooms announced USING (room_id)
    WHERE $4::timestamptz IS NOT NULL AND (announced.room_id IS NULL OR announced.sequence < room.sequence)
      AND room.room_id NOT IN (SELECT room_id FROM heard)
  )
  SELECT room_id AS "roomId", listeners, coalesce(announced_up_to, beginning) AS "announcedUpTo"
  FROM (SELECT room_id, listeners, announced_up_to, beginning FROM heard
    UNION ALL SELECT room_id, listeners, announced_up_to, NULL FROM others) AS rooms
  ORDER BY room_id LIMIT ${ROOMS_PER_ROUND}`;

interface RoomListener {
  readonly principal: string;
  readonly joinedAt: number;
  readonly isMuted: boolean;
}

interface RoomToAnnounce {
  readonly roomId: string;
  readonly listeners: readonly RoomListener[];
  readonly announcedUpTo: string;
}

type LogRow = Row<ChatEventEntity, 'sequence' | 'type' | 'createdAt'> & { readonly data: MessageDto };

/**
 * Tells webhooks of new messages, off the path of messages: it follows the logs of the rooms that somebody who
 * listens is a member of, by a durable place in each.
 */
@Injectable()
export class MessageAnnouncer {
  readonly duty = new BackgroundLoop({ name: 'MessageAnnouncer', everyMs: LOOK_EVERY_MS }, () =>
    this.dataSource.transaction((manager) => this.announceNext(manager)),
  );
  /** The listeners of the last check; undefined before the first. */
  private principals: ReadonlySet<string> | undefined;
  /** Whether a plugin listened then, to all rooms. */
  private wasListenedTo: boolean | undefined;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly webhooks: Webhooks,
  ) {}

  /** Tells of a bounded number of events, and answers whether more are left. */
  private async announceNext(manager: EntityManager): Promise<boolean> {
    const listeners = await this.webhooks.listenersOf(manager, [MESSAGE_NEW]);
    // A plugin hears of all rooms.
    const listenedSince = await this.webhooks.listenedSince(manager, [MESSAGE_NEW]);
    await this.forgetUnheard(manager, listeners, listenedSince !== null);
    if (listeners.length === 0 && listenedSince === null) return false;
    const rooms = await manager.query<RoomToAnnounce[]>(ROOMS_TO_ANNOUNCE, [
      listeners.map(({ principal }) => principal),
      listeners.map(memberKeyOf),
      listeners.map(({ since }) => since),
      listenedSince,
    ]);
    let isMoreLeft = rooms.length === ROOMS_PER_ROUND;
    for (const room of rooms) {
      if (await this.announce(manager, room, listenedSince !== null)) isMoreLeft = true;
    }
    return isMoreLeft;
  }

  /** Forgets the rooms without listeners: a listener who returns later does not get what came in between. */
  private async forgetUnheard(
    manager: EntityManager,
    listeners: readonly Listener[],
    isListenedTo: boolean,
  ): Promise<void> {
    const before = this.principals;
    const principals = new Set(listeners.map(({ principal }) => principal));
    const isSame = before?.size === principals.size && [...principals].every((each) => before.has(each));
    if (isSame && isListenedTo === this.wasListenedTo) return;
    this.wasListenedTo = isListenedTo;
    this.principals = principals;
    if (isListenedTo) return;
    await manager.query(
      `DELETE FROM chat_announced_rooms announced WHERE NOT EXISTS (
         SELECT FROM chat_members member
         WHERE member.room_id = announced.room_id AND member.member_key = ANY ($1::text[]))`,
      [listeners.map(memberKeyOf)],
    );
  }

  private async announce(
    manager: EntityManager,
    { roomId, listeners, announcedUpTo }: RoomToAnnounce,
    isListenedTo: boolean,
  ): Promise<boolean> {
    const rows = await manager.query<LogRow[]>(
      `SELECT sequence, type, data, created_at FROM chat_events
       WHERE room_id = $1 AND sequence > $2 ORDER BY sequence LIMIT ${EVENTS_PER_ROOM}`,
      [roomId, announcedUpTo],
    );
    const events = rows.flatMap((row) => eventOf(row, listeners, isListenedTo) ?? []);
    await this.webhooks.publish(manager, ...events);
    await manager.query(
      `INSERT INTO chat_announced_rooms (room_id, sequence) VALUES ($1, $2)
       ON CONFLICT (room_id) DO UPDATE SET sequence = excluded.sequence`,
      [roomId, rows.at(-1)?.sequence ?? announcedUpTo],
    );
    return rows.length === EVENTS_PER_ROOM;
  }
}

/** As whom the chat knows somebody who listens: API keys speak as their owners. */
function memberKeyOf({ principal, accountOwner }: Listener): string {
  return principal.startsWith(apiKeyKeyOf('')) ? accountOwner : principal;
}

/** Undefined for events other than messages, and for messages that nobody is told of. */
function eventOf(
  { sequence, type, data, created_at }: LogRow,
  listeners: readonly RoomListener[],
  isListenedTo: boolean,
): WebhookEvent | undefined {
  if (type !== MESSAGE_NEW.name) return undefined;
  const principals = listeners
    .filter(({ joinedAt, isMuted }) => !isMuted && joinedAt < Number(sequence))
    .map(({ principal }) => principal);
  if (principals.length === 0 && !isListenedTo) return undefined;
  const key = messageEventKeyOf(data.message_id);
  return { type: MESSAGE_NEW, data, audience: { principals }, at: created_at, key };
}
