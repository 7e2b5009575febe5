import type { EntityManager } from 'typeorm';
import { formatId } from '../../../domain/ids.js';
import type { RoomEvent, RoomEventData, RoomEventType } from '../records/chat-event.js';
import type { MemberRole } from '../records/chat-member.entity.js';
import type { RoomType } from '../records/chat-room.entity.js';
import { roomNotFound } from './room-access.js';
import { toRoomEvent } from './room-log.js';

interface LockedRow {
  readonly type: RoomType;
  readonly sequence: string;
  readonly members_count: number;
  readonly now: Date;
}

interface MemberRow {
  readonly member_key: string;
  readonly role: MemberRole;
  readonly muted_until: Date | null;
  readonly read_sequence: string;
}

/** A member as a change finds it. */
export interface LockedMember {
  readonly key: string;
  readonly role: MemberRole;
  readonly mutedUntil: Date | null;
  readonly readSequence: number;
}

/**
 * A change of a room while its transaction runs. It holds the lock of the room's row, so what it reads of the
 * room, its members and its messages stays so, and what it appends to the log comes next there.
 */
export class RoomChange {
  /** The public id. */
  readonly room: string;
  private readonly appended: { readonly event: RoomEvent; readonly messageId: string | null }[] = [];
  private membersDelta = 0;

  private constructor(
    readonly manager: EntityManager,
    readonly roomId: string,
    readonly type: RoomType,
    /** Before the change. */
    private readonly firstSequence: number,
    private readonly membersBefore: number,
    /** When it happens, by the clock of the database, to the millisecond. */
    readonly now: Date,
  ) {
    this.room = formatId('rom', Number(roomId));
  }

  /** Locks the room for the transaction of `manager`. Throws `not_found` (404). */
  static async begin(manager: EntityManager, roomId: string): Promise<RoomChange> {
    const [row] = await manager.query<LockedRow[]>(
      `SELECT type, sequence, members_count, clock_timestamp()::timestamptz(3) AS now
       FROM chat_rooms WHERE room_id = $1 FOR NO KEY UPDATE`,
      [roomId],
    );
    if (row === undefined) throw roomNotFound();
    return new RoomChange(manager, roomId, row.type, Number(row.sequence), row.members_count, row.now);
  }

  /** The sequence that the next appended event will have. */
  get nextSequence(): number {
    return this.firstSequence + this.appended.length + 1;
  }

  get membersCount(): number {
    return this.membersBefore + this.membersDelta;
  }

  /** The appended events, oldest first. */
  get events(): readonly RoomEvent[] {
    return this.appended.map(({ event }) => event);
  }

  /** Appends an event; `messageId` is the number of its message. */
  append<Type extends RoomEventType>(
    type: Type,
    data: RoomEventData[Type],
    messageId: string | null = null,
  ): void {
    this.appended.push({
      event: toRoomEvent(this.room, type, this.nextSequence, this.now, data),
      messageId,
    });
  }

  countMembers(delta: number): void {
    this.membersDelta += delta;
  }

  /** Those of the given keys that are in the room, by key. */
  async membersOf(keys: readonly string[]): Promise<ReadonlyMap<string, LockedMember>> {
    const rows = await this.manager.query<MemberRow[]>(
      `SELECT member.member_key, member.role, mute.muted_until, member.read_sequence
       FROM chat_members member LEFT JOIN chat_mutes mute USING (room_id, member_key)
       WHERE member.room_id = $1 AND member.member_key = ANY($2::text[])`,
      [this.roomId, [...new Set(keys)]],
    );
    return new Map(
      rows.map((row) => [
        row.member_key,
        {
          key: row.member_key,
          role: row.role,
          mutedUntil: row.muted_until,
          readSequence: Number(row.read_sequence),
        },
      ]),
    );
  }

  /** Writes the log and the room. Nothing may be appended afterwards. */
  async finish(): Promise<void> {
    if (this.appended.length === 0) return;
    await this.manager.query(
      `WITH room AS (
         UPDATE chat_rooms SET sequence = sequence + $2, members_count = members_count + $3
         WHERE room_id = $1
       )
       INSERT INTO chat_events (room_id, sequence, type, message_id, data, created_at)
       SELECT $1, event.sequence, event.type, event.message_id, event.data, $8
       FROM unnest($4::bigint[], $5::text[], $6::bigint[], $7::json[])
         AS event (sequence, type, message_id, data)`,
      [
        this.roomId,
        this.appended.length,
        this.membersDelta,
        this.appended.map(({ event }) => event.sequence),
        this.appended.map(({ event }) => event.type),
        this.appended.map(({ messageId }) => messageId),
        this.appended.map(({ event }) => JSON.stringify(event.data)),
        this.now,
      ],
    );
  }
}
