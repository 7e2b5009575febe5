import type { EntityManager } from 'typeorm';
import type { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import type { Row } from '../../../kit/database/rows.js';
import type { RoomEvent, RoomEventData, RoomEventType } from '../records/chat-event.js';
import type { RoomRole } from '../records/chat-member.entity.js';
import type { ChatRoomEntity, RoomType } from '../records/chat-room.entity.js';
import { roomNotFound } from './room-access.js';
import { toRoomEvent } from './room-log.js';
import { ROOM_IDS } from '../ids.js';

type LockedRow = Row<ChatRoomEntity, 'type' | 'sequence' | 'membersCount'> & { readonly now: Date };

interface StandingRow {
  readonly member_key: string;
  /** Null for who is not in the room. */
  readonly role: RoomRole | null;
  readonly muted_until: Date | null;
  readonly read_sequence: string;
  /** Null for who is not banned now. */
  readonly banned_until: Date | null;
}

/** A member as a change finds it. */
export interface LockedMember {
  readonly key: string;
  readonly role: RoomRole;
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
  private readonly bans = new Map<string, Date>();
  private membersDelta = 0;

  private constructor(
    readonly manager: EntityManager,
    /** Those of plugins. */
    readonly fields: FieldCatalogue,
    readonly roomId: string,
    readonly type: RoomType,
    /** Before the change. */
    private readonly firstSequence: number,
    private readonly membersBefore: number,
    /** When it happens, by the clock of the database, to the millisecond. */
    readonly now: Date,
  ) {
    this.room = ROOM_IDS.format(Number(roomId));
  }

  /** Locks the room for the transaction of `manager`. Throws `not_found` (404). */
  static async begin(manager: EntityManager, roomId: string, fields: FieldCatalogue): Promise<RoomChange> {
    const [row] = await manager.query<LockedRow[]>(
      `SELECT type, sequence, members_count, clock_timestamp()::timestamptz(3) AS now
       FROM chat_rooms WHERE room_id = $1 FOR NO KEY UPDATE`,
      [roomId],
    );
    if (row === undefined) throw roomNotFound();
    return new RoomChange(
      manager,
      fields,
      roomId,
      row.type,
      Number(row.sequence),
      row.members_count,
      row.now,
    );
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
    const rows = await this.manager.query<StandingRow[]>(
      `SELECT asked.member_key, member.role, mute.muted_until, member.read_sequence, ban.banned_until
       FROM unnest($2::text[]) AS asked (member_key)
         LEFT JOIN chat_members member ON member.room_id = $1 AND member.member_key = asked.member_key
         LEFT JOIN chat_mutes mute ON mute.room_id = $1 AND mute.member_key = asked.member_key
         LEFT JOIN chat_bans ban
           ON ban.room_id = $1 AND ban.member_key = asked.member_key AND ban.banned_until > $3`,
      [this.roomId, [...new Set(keys)], this.now],
    );
    const members = new Map<string, LockedMember>();
    for (const { member_key: key, role, muted_until: mutedUntil, ...row } of rows) {
      if (row.banned_until !== null) this.bans.set(key, row.banned_until);
      if (role !== null) members.set(key, { key, role, mutedUntil, readSequence: Number(row.read_sequence) });
    }
    return members;
  }

  /** Until when one of those that `membersOf` was asked for may not come in; null for who may. */
  bannedUntil(key: string): Date | null {
    return this.bans.get(key) ?? null;
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
