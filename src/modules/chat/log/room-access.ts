import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { NOT_FOUND, FORBIDDEN } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { MemberRole } from '../records/chat-member.entity.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import type { RoomType } from '../records/chat-room.entity.js';
import { ROOM_IDS } from '../ids.js';

/** What somebody is in a room. */
export interface Membership {
  readonly role: MemberRole;
  /** Until then it may not write, edit or react; null for who was never muted. */
  readonly mutedUntil: Date | null;
}

/** A room that somebody may read. */
export interface ReadableRoom {
  /** The number behind the public id, as a bigint's text. */
  readonly roomId: string;
  /** The public id: `rom_…`. */
  readonly publicId: string;
  readonly type: RoomType;
  /** Of the last event. */
  readonly sequence: number;
  /** Null for who reads a public room without being in it. */
  readonly membership: Membership | null;
}

/** A room that somebody is in. */
export type JoinedRoom = ReadableRoom & { readonly membership: Membership };

interface AccessRow {
  readonly type: RoomType;
  readonly sequence: string;
  readonly role: MemberRole | null;
  readonly muted_until: Date | null;
}

/** Who may read which room. A room without access counts as not found. */
@Injectable()
export class RoomAccess {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** A public room, or one that the reader is in, by its public id. Throws `not_found` (404). */
  async requireReadable(reader: ChatIdentity, room: string): Promise<ReadableRoom> {
    const roomId = roomIdOf(room);
    const { rows } = await this.pool.query<AccessRow>(
      `SELECT room.type, room.sequence, member.role, mute.muted_until
       FROM chat_rooms room
         LEFT JOIN chat_members member ON member.room_id = room.room_id AND member.member_key = $2
         LEFT JOIN chat_mutes mute ON mute.room_id = room.room_id AND mute.member_key = $2
       WHERE room.room_id = $1 AND (room.type = 'public' OR member.role IS NOT NULL)`,
      [roomId, reader.key],
    );
    const [row] = rows;
    if (row === undefined) throw roomNotFound();
    return {
      roomId,
      publicId: ROOM_IDS.format(Number(roomId)),
      type: row.type,
      sequence: Number(row.sequence),
      membership: row.role === null ? null : { role: row.role, mutedUntil: row.muted_until },
    };
  }

  /** Throws `not_found` (404), and `forbidden` (403) for a public room that the reader is not in. */
  async requireJoined(reader: ChatIdentity, room: string): Promise<JoinedRoom> {
    const readable = await this.requireReadable(reader, room);
    const { membership } = readable;
    if (membership === null) throw joinFirst();
    return { ...readable, membership };
  }
}

/** The number behind a room's public id. Throws `not_found` (404) for what was never one. */
export function roomIdOf(room: string): string {
  const roomId = ROOM_IDS.parse(room);
  if (roomId === undefined) throw roomNotFound();
  return String(roomId);
}

export function roomNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such room. See GET /chat/rooms.');
}

export function joinFirst(): ApiError {
  return new ApiError(FORBIDDEN, 'Join the room first: POST /chat/rooms/{room_id}/members.');
}
