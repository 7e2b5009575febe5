import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, MoreThan, Raw } from 'typeorm';
import type { Act } from '../../../kit/audit/audit-entry.js';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, type Page, pageOf, type PageQueryDto } from '../../../kit/http/pagination.js';
import { parseUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import { personOf, type Principal } from '../../../kit/security/principal.js';
import { roomIdOf, roomNotFound } from '../log/room-access.js';
import type { RoomChange } from '../log/room-change.js';
import { RoomWriter } from '../log/room-writer.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { ChatBanEntity } from '../records/chat-member.entity.js';
import { ChatRoomEntity } from '../records/chat-room.entity.js';
import { type BanDto, type BanMemberDto, toBanDto } from './ban.dto.js';
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
    const { manager } = this.dataSource;
    if (!(await manager.existsBy(ChatRoomEntity, { roomId }))) throw roomNotFound();
    const rows = await manager.find(ChatBanEntity, {
      where: {
        roomId,
        memberKey: MoreThan(after),
        bannedUntil: Raw((time) => `${time} > clock_timestamp()`),
      },
      order: { memberKey: 'ASC' },
      take: limit + 1,
    });
    const names = await this.directory.namesOf(rows.map(({ memberKey }) => memberKey));
    return pageOf(
      rows,
      limit,
      ({ memberKey }) => [memberKey],
      (row) => toBanDto(row, room, nameIn(names, row.memberKey)),
    );
  }

  /**
   * Takes somebody out of a room, and keeps them out until then; a new ban replaces the one before. Throws `not_found`
   * (404) also for an unknown member, `validation_failed` for a time that is past, and `conflict` (409) for a direct
   * room, which belongs to its two members.
   */
  async ban(principal: Principal, room: string, { member, until, reason }: BanMemberDto): Promise<BanDto> {
    const target = await this.find(member);
    return this.writer.change(roomIdOf(room), async (change) => {
      const { manager, roomId, now } = change;
      requireShared(change);
      requireAhead(until, change);
      const present = (await change.membersOf([target.key])).get(target.key);
      const place = { roomId, memberKey: target.key };
      const ban = { bannedUntil: new Date(parseUtcTime(until)!), reason, bannedBy: personOf(principal) };
      const row: ChatBanEntity = { ...place, ...ban, bannedAt: now };
      await manager.upsert(ChatBanEntity, { ...row }, ['roomId', 'memberKey']);
      // Their sockets and streams hear of it, in whichever process, and end.
      if (present !== undefined) await removeMember(change, target);
      if (present?.role === 'owner') await handOver(change, this.directory);
      await this.audit.record(manager, entryOf(change.room, { member: target.name, until, reason }));
      return toBanDto(row, change.room, target.name);
    });
  }

  /** Lets somebody come back, who has to join anew. Throws `not_found` (404) also for who is not banned. */
  async lift(room: string, name: string): Promise<void> {
    const target = await this.find(name);
    await this.writer.change(roomIdOf(room), async (change) => {
      const { manager, roomId, now } = change;
      const bannedUntil = MoreThan(now);
      const lifted = await manager.delete(ChatBanEntity, { roomId, memberKey: target.key, bannedUntil });
      if (lifted.affected === 0)
        throw new ApiError(NOT_FOUND, `${target.name} is not banned from this room.`);
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
    if (found === undefined) throw new ApiError(NOT_FOUND, `There is nobody called ${name}.`);
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
