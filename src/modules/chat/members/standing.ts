import { FORBIDDEN, CONFLICT } from '../../../kit/http/error-codes.js';
import { MEMBER_BANNED } from '../errors.js';
import { ApiError } from '../../../kit/http/errors.js';
import { joinFirst, roomNotFound } from '../log/room-access.js';
import type { RoomType } from '../records/chat-room.entity.js';
import { MEMBER_ROLES, type MemberRole } from '../records/chat-member.entity.js';

interface Muteable {
  readonly mutedUntil: Date | null;
}

/** A room, with what is known of those whom it keeps out. */
interface GuardedRoom {
  readonly type: RoomType;
  bannedUntil(key: string): Date | null;
}

/**
 * Somebody in its room. Throws `member_banned` (403) for who is kept out of it, `not_found` (404) where a room that is
 * not public has no such member, and `forbidden` (403) where it is public.
 */
export function requireInRoom<Member>(
  room: GuardedRoom,
  members: ReadonlyMap<string, Member>,
  key: string,
): Member {
  const member = members.get(key);
  if (member !== undefined) return member;
  requireNotBanned(room, key);
  throw room.type === 'public' ? joinFirst() : roomNotFound();
}

/** Throws `member_banned` (403). */
export function requireNotBanned(room: GuardedRoom, key: string): void {
  const until = room.bannedUntil(key);
  if (until === null) return;
  throw new ApiError(
    MEMBER_BANNED,
    `An operator keeps this member out of the room until ${until.toISOString()}.`,
  );
}

/** Throws `forbidden` (403) for a member that is muted now. */
export function requireUnmuted({ mutedUntil }: Muteable, now: Date): void {
  if (mutedUntil === null || mutedUntil <= now) return;
  throw new ApiError(FORBIDDEN, `You are muted in this room until ${mutedUntil.toISOString()}.`);
}

/** Throws `conflict` (409) for a direct room, in which operators have no say: it belongs to its two members. */
export function requireShared({ type }: Pick<GuardedRoom, 'type'>): void {
  if (type !== 'direct') return;
  throw new ApiError(CONFLICT, 'A direct room belongs to its two members. Lock the user instead.');
}

/** Whether a role may do what only moderators and owners may. */
export function isModerating(role: MemberRole): boolean {
  return role !== 'member';
}

/** Whether somebody of this role may remove or mute somebody of that one: moderators only members, owners all. */
export function mayDiscipline(role: MemberRole, other: MemberRole): boolean {
  return role === 'owner' || MEMBER_ROLES.indexOf(role) < MEMBER_ROLES.indexOf(other);
}
