import { Check, Entity, Index, Unique } from 'typeorm';
import { NOW, column, key } from '../../../kit/database/columns.js';

export const ROOM_TYPES = ['public', 'private', 'direct'] as const;

/** `public` is open to everyone, `private` to its members, and `direct` is the one room that two have together. */
export type RoomType = (typeof ROOM_TYPES)[number];

/** A room of the chat. Whatever changes it, its members or its messages locks this row first. */
@Entity('chat_rooms')
@Unique('chat_rooms_direct_key', ['directKey'])
@Check('chat_rooms_direct_check', `(type = 'direct') = (direct_key IS NOT NULL)`)
@Check('chat_rooms_name_check', `(type = 'direct') = (name IS NULL)`)
@Index('chat_rooms_public', ['roomId'], { where: `type = 'public'` })
@Index('chat_rooms_creator', ['createdBy'], { where: `type <> 'direct'` })
export class ChatRoomEntity {
  @key.identity() readonly roomId: string;
  @column.text({ oneOf: ROOM_TYPES }) type: RoomType;
  /** Null for a direct room, which everyone knows by the name of the other. */
  @column.text({ nullable: true }) name: string | null;
  /** The keys of the two members of a direct room, in one order: what makes it the only one of theirs. */
  @column.text({ nullable: true }) directKey: string | null;
  /** That of the room's last event; 0 before the first. */
  @column.bigint({ default: 0 }) sequence: string;
  @column.integer({ default: 0 }) membersCount: number;
  /** The key of the principal who made the room. */
  @column.text() createdBy: string;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
}
