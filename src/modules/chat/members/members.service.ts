import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { FORBIDDEN, CONFLICT, NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../kit/http/pagination.js';
import { RoomAccess, roomNotFound } from '../log/room-access.js';
import type { RoomChange } from '../log/room-change.js';
import { RoomWriter } from '../log/room-writer.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { ChatMemberEntity } from '../records/chat-member.entity.js';
import { MemberDirectory, nameIn } from './member-directory.js';
import {
  MEMBER_COLUMNS,
  toMemberDto,
  toOwnMemberDto,
  type ChangeMemberDto,
  type MemberDto,
  type MemberRow,
} from './member.dto.js';
import {
  addMember,
  changeMember,
  findMember,
  handOver,
  mute,
  readMember,
  removeMember,
} from './membership.js';
import { isModerating, mayDiscipline, requireInRoom } from './standing.js';

/**
 * Members of rooms. All methods take the public id of a room and throw `not_found` (404) if the caller cannot see it,
 * and `rate_limited` (429) if too many changes wait for the room.
 */
@Injectable()
export class MembersService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly access: RoomAccess,
    private readonly writer: RoomWriter,
    private readonly directory: MemberDirectory,
  ) {}

  /** Those who came last first. Throws `invalid_cursor` (400). */
  async list(reader: ChatIdentity, room: string, { limit, cursor }: PageQueryDto): Promise<Page<MemberDto>> {
    const { roomId } = await this.access.requireReadable(reader, room);
    const [before] = decodeCursor(cursor, ['integer']) ?? [];
    const rows = await this.dataSource.query<MemberRow[]>(
      `SELECT ${MEMBER_COLUMNS}
       FROM chat_members member LEFT JOIN chat_mutes mute USING (room_id, member_key)
       WHERE member.room_id = $1 AND ($2::bigint IS NULL OR member.joined_sequence < $2)
       ORDER BY member.joined_sequence DESC LIMIT $3`,
      [roomId, before, limit + 1],
    );
    const names = await this.directory.namesOf(rows.map((row) => row.member_key));
    return pageOf(
      rows,
      limit,
      (row) => [Number(row.joined_sequence)],
      (row) => toMemberDto(row, nameIn(names, row.member_key)),
    );
  }

  /**
   * Enters a public room; `replayed` for who is in the room already, whatever its type. Throws `limit_exceeded`
   * (422) where the room is full.
   */
  async join(identity: ChatIdentity, room: string): Promise<Replayable<MemberDto>> {
    const { roomId, type } = await this.access.requireReadable(identity, room);
    // Thousands who come back together must not wait for each other, and mostly they are members already.
    const known = await findMember(this.dataSource.manager, roomId, identity.key);
    if (known !== undefined) return { body: toOwnMemberDto(known, identity.name), replayed: true };
    // A member who was just removed from a private room must not rejoin this way.
    if (type !== 'public') throw roomNotFound();
    let replayed = true;
    const body = await this.writer.change(roomId, async (change) => {
      const members = await change.membersOf([identity.key]);
      if (!members.has(identity.key)) {
        replayed = false;
        // Somebody has to look after a room that everyone had left.
        await addMember(change, identity, change.membersCount === 0 ? 'owner' : 'member');
      }
      return toOwnMemberDto(await readMember(change, identity.key), identity.name);
    });
    return { body, replayed };
  }

  /**
   * Adds a member, which owners and moderators may do, or oneself as `join` does; `replayed` for a member already.
   * Throws `not_found` (404) also for a name without an active identity, `forbidden` (403), and `limit_exceeded` (422).
   */
  async add(adder: ChatIdentity, room: string, name: string): Promise<Replayable<MemberDto>> {
    const added = name === 'me' ? adder : await this.directory.findActive(name);
    if (added?.key === adder.key) return this.join(adder, room);
    const { roomId } = await this.access.requireJoined(adder, room);
    let replayed = true;
    const body = await this.writer.change(roomId, async (change) => {
      const members = await change.membersOf([adder.key, ...(added === undefined ? [] : [added.key])]);
      // Checked first: a caller without the right to add must not learn which names exist.
      requireModerating(requireInRoom(change, members, adder.key).role);
      if (added === undefined) throw nobodyCalled(name);
      if (!members.has(added.key)) {
        replayed = false;
        await addMember(change, added, 'member');
      }
      return toMemberDto(await readMember(change, added.key), added.name);
    });
    return { body, replayed };
  }

  /**
   * Changes a member's role, or one's own preferences. Throws `not_found` (404) if not a member, and `forbidden` (403).
   */
  async update(actor: ChatIdentity, room: string, name: string, body: ChangeMemberDto): Promise<MemberDto> {
    const { roomId } = await this.access.requireJoined(actor, room);
    const target = await this.findIn(actor, name);
    return this.writer.change(roomId, async (change) => {
      const members = await change.membersOf([actor.key, target.key]);
      const { role } = requireInRoom(change, members, actor.key);
      const other = members.get(target.key);
      if (other === undefined) throw nobodyCalled(name);
      const isOneself = actor.key === target.key;
      if (body.role != null) {
        if (role !== 'owner') throw new ApiError(FORBIDDEN, 'Only owners of a room give roles.');
        await giveRole(change, target, other.role, body.role);
      }
      if (body.muted_until !== undefined) {
        if (isOneself || !mayDiscipline(role, other.role)) throw notYours();
        await mute(change, target.key, body.muted_until);
      }
      if (body.notifications_muted != null) {
        if (!isOneself) throw new ApiError(FORBIDDEN, 'Everyone decides about their own notifications.');
        await changeMember(change, target.key, { notificationsMuted: body.notifications_muted });
      }
      const row = await readMember(change, target.key);
      return isOneself ? toOwnMemberDto(row, target.name) : toMemberDto(row, target.name);
    });
  }

  /**
   * Removes a member, or leaves the room. If the only owner goes, the earliest moderator becomes owner, else the
   * earliest member. Throws `not_found` (404) if not a member, `forbidden` (403), and `conflict` (409) for a direct
   * room, which cannot be left.
   */
  async remove(actor: ChatIdentity, room: string, name: string): Promise<void> {
    const { roomId, type } = await this.access.requireJoined(actor, room);
    if (type === 'direct') throw new ApiError(CONFLICT, 'A direct room belongs to its two members for good.');
    const target = await this.findIn(actor, name);
    await this.writer.change(roomId, async (change) => {
      const members = await change.membersOf([actor.key, target.key]);
      const { role } = requireInRoom(change, members, actor.key);
      const other = members.get(target.key);
      if (other === undefined) throw nobodyCalled(name);
      if (actor.key !== target.key && !mayDiscipline(role, other.role)) throw notYours();
      await removeMember(change, target);
      if (other.role === 'owner') await handOver(change, this.directory);
    });
  }

  private async findIn(actor: ChatIdentity, name: string): Promise<ChatIdentity> {
    const found = name === 'me' ? actor : await this.directory.find(name);
    if (found === undefined) throw nobodyCalled(name);
    return found;
  }
}

async function giveRole(
  change: RoomChange,
  target: ChatIdentity,
  before: MemberRow['role'],
  role: MemberRow['role'],
): Promise<void> {
  if (role === before) return;
  await changeMember(change, target.key, { role });
  change.append('member.added', { member: target.name, role });
  // An owner may step down only if another owner remains.
  if (before === 'owner') await requireOwner(change);
}

async function requireOwner({ manager, roomId }: RoomChange): Promise<void> {
  if (await manager.existsBy(ChatMemberEntity, { roomId, role: 'owner' })) return;
  throw new ApiError(CONFLICT, 'A room needs an owner: make somebody else one first.');
}

function requireModerating(role: MemberRow['role']): void {
  if (!isModerating(role)) {
    throw new ApiError(FORBIDDEN, 'Only owners and moderators bring others into a room.');
  }
}

function notYours(): ApiError {
  return new ApiError(
    FORBIDDEN,
    'Moderators mute and remove members, owners everyone; nobody mutes oneself.',
  );
}

function nobodyCalled(name: string): ApiError {
  return new ApiError(NOT_FOUND, `There is no member called ${name}.`);
}
