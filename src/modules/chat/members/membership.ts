/** The rows of members, as changes of their room write them. */
import type { EntityManager } from 'typeorm';
import { LIMIT_EXCEEDED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { parseUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import type { RoomChange } from '../log/room-change.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { ChatMemberEntity, ChatMuteEntity, type MemberRole } from '../records/chat-member.entity.js';
import { nameIn, type MemberDirectory } from './member-directory.js';
import { requireNotBanned } from './standing.js';
import { MEMBER_COLUMNS, type MemberRow } from './member.dto.js';

const MEMBERS_PER_ROOM_MAX = 100_000;

/**
 * Adds a new member, for whom `membersOf` was asked; earlier messages count as read. Throws `member_banned` (403), and
 * `limit_exceeded` (422) if the room is full.
 */
export async function addMember(change: RoomChange, added: ChatIdentity, role: MemberRole): Promise<void> {
  requireNotBanned(change, added.key);
  if (change.membersCount >= MEMBERS_PER_ROOM_MAX) {
    throw new ApiError(LIMIT_EXCEEDED, `A room has at most ${MEMBERS_PER_ROOM_MAX} members.`);
  }
  const { roomId, now: joinedAt } = change;
  const joinedSequence = `${change.nextSequence}`;
  const member = { roomId, memberKey: added.key, role, joinedSequence, joinedAt };
  await change.manager.insert(ChatMemberEntity, { ...member, readSequence: joinedSequence });
  change.countMembers(1);
  change.append('member.added', { member: added.name, role });
}

/** Takes a member out of the room. */
export async function removeMember(change: RoomChange, removed: ChatIdentity): Promise<void> {
  await change.manager.delete(ChatMemberEntity, { roomId: change.roomId, memberKey: removed.key });
  change.countMembers(-1);
  change.append('member.removed', { member: removed.name });
}

/** Makes a new owner for a room that lost one, unless it has another or no members are left. */
export async function handOver(change: RoomChange, directory: MemberDirectory): Promise<void> {
  const [next] = await change.manager.query<{ member_key: string; role: MemberRole }[]>(
    `SELECT member_key, role FROM chat_members WHERE room_id = $1
     ORDER BY role = 'owner' DESC, role = 'moderator' DESC, joined_sequence LIMIT 1`,
    [change.roomId],
  );
  if (next === undefined || next.role === 'owner') return;
  const names = await directory.namesOf([next.member_key], change.manager);
  await changeMember(change, next.member_key, { role: 'owner' });
  change.append('member.added', { member: nameIn(names, next.member_key), role: 'owner' });
}

/** Changes somebody who is in the room. */
export async function changeMember(
  { manager, roomId }: RoomChange,
  memberKey: string,
  changed: Partial<Pick<ChatMemberEntity, 'role' | 'notificationsMuted'>>,
): Promise<void> {
  await manager.update(ChatMemberEntity, { roomId, memberKey }, changed);
}

/** Somebody who is in the room. */
export async function readMember({ manager, roomId }: RoomChange, key: string): Promise<MemberRow> {
  const row = await findMember(manager, roomId, key);
  if (row === undefined) throw new Error(`${key} is not in room ${roomId}`);
  return row;
}

/** Somebody in a room, as the given transaction sees it; `undefined` for who is not there. */
export async function findMember(
  manager: EntityManager,
  roomId: string,
  key: string,
): Promise<MemberRow | undefined> {
  const [row] = await manager.query<MemberRow[]>(
    `SELECT ${MEMBER_COLUMNS}
     FROM chat_members member LEFT JOIN chat_mutes mute USING (room_id, member_key)
     WHERE member.room_id = $1 AND member.member_key = $2`,
    [roomId, key],
  );
  return row;
}

/** Until then the member may read, but not write; null ends it. It lasts whether or not the member is in the room. */
export async function mute(
  { manager, roomId }: RoomChange,
  key: string,
  until: string | null,
): Promise<void> {
  const member = { roomId, memberKey: key };
  if (until === null) await manager.delete(ChatMuteEntity, member);
  else {
    const mutedUntil = new Date(parseUtcTime(until) as number);
    await manager.upsert(ChatMuteEntity, { ...member, mutedUntil }, ['roomId', 'memberKey']);
  }
}
