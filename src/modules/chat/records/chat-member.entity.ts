import { Entity, ForeignKey, Index, Unique } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';
import { ChatRoomEntity } from './chat-room.entity.js';

export const ROOM_ROLES = ['owner', 'moderator', 'member'] as const;

/** From who may do everything to who may only speak. */
export type RoomRole = (typeof ROOM_ROLES)[number];

/** A member of a room. Leaving deletes the row. */
@Entity('chat_members')
@Unique('chat_members_joined', ['roomId', 'joinedSequence'])
@Index('chat_members_member', ['memberKey', 'roomId'])
export class ChatMemberEntity {
  @key.bigint() @ForeignKey(() => ChatRoomEntity, { onDelete: 'CASCADE' }) roomId: string;
  /** The key of a principal, see `ChatIdentity`. */
  @key.text() memberKey: string;
  @column.text({ oneOf: ROOM_ROLES }) role: RoomRole;
  /** Set by the member: no notifications of this room. */
  @column.boolean({ default: false }) notificationsMuted: boolean;
  /** The sequence of the event that announced the join. */
  @column.bigint() joinedSequence: string;
  /** Up to where it has read the room; what it wrote itself counts as read with all before. */
  @column.bigint() readSequence: string;
  @column.msTime({ default: NOW }) readonly joinedAt: Date;
}

/** Somebody whom operators keep out of a room: no member of it, who cannot become one for a while. */
@Entity('chat_bans')
export class ChatBanEntity {
  @key.bigint() @ForeignKey(() => ChatRoomEntity, { onDelete: 'CASCADE' }) roomId: string;
  @key.text() memberKey: string;
  @column.msTime() bannedUntil: Date;
  /** Why, in the operator's words. */
  @column.text() reason: string;
  /** The person, see `personOf`. */
  @column.text() bannedBy: string;
  @column.msTime() bannedAt: Date;
}

/** Somebody who may read a room but not write in it for a while. It lasts whether or not one leaves meanwhile. */
@Entity('chat_mutes')
export class ChatMuteEntity {
  @key.bigint() @ForeignKey(() => ChatRoomEntity, { onDelete: 'CASCADE' }) roomId: string;
  @key.text() memberKey: string;
  @column.msTime() mutedUntil: Date;
}
