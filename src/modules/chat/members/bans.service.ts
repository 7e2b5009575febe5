import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Act } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { parseUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { roomIdOf, roomNotFound } from '../log/room-access.js';
import type { RoomChange } from '../log/room-change.js';
import { RoomWriter } from '../log/room-writer.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { type BanDto, type BanMemberDto, type BanRow, toBanDto } from './ban.dto.js';
import { MemberDirectory, nameIn } from './member-directory.js';
import { handOver, mute, removeMember } from './membership.js';
import { requireShared } from './standing.js';

/** Whom operators keep out of rooms, or from writing in them. All methods throw `not_found` (404) for an unknown room. */
@Injectable()
export class BansService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly writer: RoomWriter,
    private readonly directory: MemberDirectory,
    private readonly audit: AuditLog,
  ) {}

  /** By the keys of the members. Bans that are over are left out. Throws `invalid_cursor`. */
  async list(room: string, { limit, cursor }: PageQueryDto): Promise<Page<BanDto>> {
    const roomId = roomIdOf(room);
    const [after] = decodeCursor(cursor, ['text']) ?? [''];
    const known = await this.dataSource.query<unknown[]>('SELECT FROM chat_rooms WHERE room_id = $1', [
      roomId,
    ]);
    if (known.length === 0) throw roomNotFound();
    const rows = await this.dataSource.query<BanRow[]>(
      `SELECT member_key, banned_until, reason, banned_by, banned_at FROM chat_bans
       WHERE room_id = $1 AND member_key > $2 AND banned_until > clock_timestamp() ORDER BY member_key LIMIT $3`,
      [roomId, after, limit + 1],
    );
    const names = await this.directory.namesOf(rows.map(({ member_key: key }) => key));
    return pageOf(
      rows,
      limit,
      ({ member_key: key }) => [key],
      (row) => toBanDto(row, room, nameIn(names, row.member_key)),
    );
  }

  /**
   * Takes somebody out of a room, and keeps them out until then; a new ban replaces the one before. Throws `not_found`
   * (404) also for an unknown member, `validation_failed` for a time that is past, and `conflict` (409) for a direct
   * room, which belongs to its two members.
   */
  async ban(principal: Principal, room: string, { member, until, reason }: BanMemberDto): Promise<BanDto> {
    const target = await this.find(member);
    const row = { banned_until: new Date(parseUtcTime(until)!), reason, banned_by: personOf(principal) };
    return this.writer.change(roomIdOf(room), async (change) => {
      const { manager, roomId, now } = change;
      requireShared(change);
      requireAhead(until, change);
      const present = (await change.membersOf([target.key])).get(target.key);
      await manager.query(
        `INSERT INTO chat_bans (room_id, member_key, banned_until, reason, banned_by, banned_at)
         VALUES ($1, $2, $3, $4, $5, $6)
         ON CONFLICT (room_id, member_key) DO UPDATE SET banned_until = excluded.banned_until,
           reason = excluded.reason, banned_by = excluded.banned_by, banned_at = excluded.banned_at`,
        [roomId, target.key, row.banned_until, reason, row.banned_by, now],
      );
      // Their sockets and streams hear of it, in whichever process, and end.
      if (present !== undefined) await removeMember(change, target);
      if (present?.role === 'owner') await handOver(change, this.directory);
      await this.audit.record(manager, entryOf(change.room, { member: target.name, until, reason }));
      return toBanDto({ ...row, member_key: target.key, banned_at: now }, change.room, target.name);
    });
  }

  /** Lets somebody come back, who has to join anew. Throws `not_found` (404) also for who is not banned. */
  async lift(room: string, name: string): Promise<void> {
    const target = await this.find(name);
    await this.writer.change(roomIdOf(room), async (change) => {
      const { manager, roomId, now } = change;
      const [, lifted] = await manager.query<[unknown, number]>(
        'DELETE FROM chat_bans WHERE room_id = $1 AND member_key = $2 AND banned_until > $3',
        [roomId, target.key, now],
      );
      if (lifted === 0) throw new ApiError('not_found', `${target.name} is not banned from this room.`);
      await this.audit.record(manager, entryOf(change.room, { member: target.name }));
    });
  }

  /**
   * Lets somebody read, but not write, until then; a new mute replaces the one before. Throws `not_found` (404) also for
   * an unknown member, `validation_failed` for a time that is past, and `conflict` (409) for a direct room.
   */
  async mute(room: string, { member, until, reason }: BanMemberDto): Promise<void> {
    const target = await this.find(member);
    await this.writer.change(roomIdOf(room), async (change) => {
      requireShared(change);
      requireAhead(until, change);
      await mute(change, target.key, until);
      await this.audit.record(
        change.manager,
        entryOf(change.room, { member: target.name, muted_until: until, reason }),
      );
    });
  }

  /** Ends a mute, whoever made it. Throws `not_found` (404) for an unknown member. */
  async unmute(room: string, name: string): Promise<void> {
    const target = await this.find(name);
    await this.writer.change(roomIdOf(room), async (change) => {
      await mute(change, target.key, null);
      await this.audit.record(
        change.manager,
        entryOf(change.room, { member: target.name, muted_until: null }),
      );
    });
  }

  private async find(name: string): Promise<ChatIdentity> {
    const found = await this.directory.find(name);
    if (found === undefined) throw new ApiError('not_found', `There is nobody called ${name}.`);
    return found;
  }
}

function requireAhead(until: string, { now }: RoomChange): void {
  if (new Date(parseUtcTime(until)!) > now) return;
  throw ApiError.validation([{ field: 'until', message: 'until must be ahead' }]);
}

function entryOf(room: string, details: Act['details']): Act {
  return { target: { type: 'room', id: room }, details };
}
