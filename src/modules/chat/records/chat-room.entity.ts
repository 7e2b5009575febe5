import { Check, Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

export const ROOM_TYPES = ['public', 'private', 'direct'] as const;

/** `public` is open to everyone, `private` to its members, and `direct` is the one room that two have together. */
export type RoomType = (typeof ROOM_TYPES)[number];

/** A room of the chat. Whatever changes it, its members or its messages locks this row first. */
@Entity('chat_rooms')
@Unique('chat_rooms_direct_key', ['directKey'])
@Check('chat_rooms_type_check', `type IN ('public', 'private', 'direct')`)
@Check('chat_rooms_direct_check', `(type = 'direct') = (direct_key IS NOT NULL)`)
@Check('chat_rooms_name_check', `(type = 'direct') = (name IS NULL)`)
@Index('chat_rooms_public', ['roomId'], { where: `type = 'public'` })
@Index('chat_rooms_creator', ['createdBy'], { where: `type <> 'direct'` })
export class ChatRoomEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'room_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'chat_rooms_pkey',
  })
  readonly roomId: string;

  @Column({ name: 'type', type: 'text' })
  type: RoomType;

  /** Null for a direct room, which everyone knows by the name of the other. */
  @Column({ name: 'name', type: 'text', nullable: true })
  name: string | null;

  /** The keys of the two members of a direct room, in one order: what makes it the only one of theirs. */
  @Column({ name: 'direct_key', type: 'text', nullable: true })
  directKey: string | null;

  /** That of the room's last event; 0 before the first. */
  @Column({ name: 'sequence', type: 'bigint', default: 0 })
  sequence: string;

  @Column({ name: 'members_count', type: 'integer', default: 0 })
  membersCount: number;

  /** The key of the principal who made the room. */
  @Column({ name: 'created_by', type: 'text' })
  createdBy: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;
}
