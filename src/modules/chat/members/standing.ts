import { ApiError } from '../../../platform/http/errors.js';
import { joinFirst, roomNotFound } from '../log/room-access.js';
import type { RoomType } from '../records/chat-room.entity.js';
import { MEMBER_ROLES, type MemberRole } from '../records/chat-member.entity.js';

interface Muteable {
  readonly mutedUntil: Date | null;
}

/**
 * Somebody in its room. Throws `not_found` (404) where a room that is not public has no such member, and
 * `forbidden` (403) where it is public.
 */
export function requireInRoom<Member>(room: { readonly type: RoomType }, member: Member | undefined): Member {
  if (member !== undefined) return member;
  throw room.type === 'public' ? joinFirst() : roomNotFound();
}

/** Throws `forbidden` (403) for a member that is muted now. */
export function requireUnmuted({ mutedUntil }: Muteable, now: Date): void {
  if (mutedUntil === null || mutedUntil <= now) return;
  throw new ApiError('forbidden', `You are muted in this room until ${mutedUntil.toISOString()}.`);
}

/** Whether a role may do what only moderators and owners may. */
export function isModerating(role: MemberRole): boolean {
  return role !== 'member';
}

/** Whether somebody of this role may remove or mute somebody of that one: moderators only members, owners all. */
export function mayDiscipline(role: MemberRole, other: MemberRole): boolean {
  return role === 'owner' || MEMBER_ROLES.indexOf(role) < MEMBER_ROLES.indexOf(other);
}
