import {
  Check,
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  Unique,
  type Relation,
} from 'typeorm';
import { ChatRoomEntity } from './chat-room.entity.js';

export const MEMBER_ROLES = ['owner', 'moderator', 'member'] as const;

/** From who may do everything to who may only speak. */
export type MemberRole = (typeof MEMBER_ROLES)[number];

/** A member of a room. Leaving deletes the row. */
@Entity('chat_members')
@Unique('chat_members_joined', ['roomId', 'joinedSequence'])
@Check('chat_members_role_check', `role IN ('owner', 'moderator', 'member')`)
@Index('chat_members_member', ['memberKey', 'roomId'])
export class ChatMemberEntity {
  @PrimaryColumn({ name: 'room_id', type: 'bigint', primaryKeyConstraintName: 'chat_members_pkey' })
  roomId: string;

  @ManyToOne(() => ChatRoomEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'room_id', foreignKeyConstraintName: 'chat_members_room_id_fkey' })
  readonly room?: Relation<ChatRoomEntity>;

  /** The key of a principal, see `ChatIdentity`. */
  @PrimaryColumn({ name: 'member_key', type: 'text', primaryKeyConstraintName: 'chat_members_pkey' })
  memberKey: string;

  @Column({ name: 'role', type: 'text' })
  role: MemberRole;

  /** Set by the member: no notifications of this room. */
  @Column({ name: 'notifications_muted', type: 'boolean', default: false })
  notificationsMuted: boolean;

  /** The sequence of the event that announced the join. */
  @Column({ name: 'joined_sequence', type: 'bigint' })
  joinedSequence: string;

  /** Up to where it has read the room; what it wrote itself counts as read with all before. */
  @Column({ name: 'read_sequence', type: 'bigint' })
  readSequence: string;

  @Column({ name: 'joined_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly joinedAt: Date;
}

/** Somebody whom operators keep out of a room: no member of it, who cannot become one for a while. */
@Entity('chat_bans')
export class ChatBanEntity {
  @PrimaryColumn({ name: 'room_id', type: 'bigint', primaryKeyConstraintName: 'chat_bans_pkey' })
  roomId: string;

  @ManyToOne(() => ChatRoomEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'room_id', foreignKeyConstraintName: 'chat_bans_room_id_fkey' })
  readonly room?: Relation<ChatRoomEntity>;

  @PrimaryColumn({ name: 'member_key', type: 'text', primaryKeyConstraintName: 'chat_bans_pkey' })
  memberKey: string;

  @Column({ name: 'banned_until', type: 'timestamptz', precision: 3 })
  bannedUntil: Date;

  /** Why, in the operator's words. */
  @Column({ name: 'reason', type: 'text' })
  reason: string;

  /** The person, see `personOf`. */
  @Column({ name: 'banned_by', type: 'text' })
  bannedBy: string;

  @Column({ name: 'banned_at', type: 'timestamptz', precision: 3 })
  bannedAt: Date;
}

/** Somebody who may read a room but not write in it for a while. It lasts whether or not one leaves meanwhile. */
@Entity('chat_mutes')
export class ChatMuteEntity {
  @PrimaryColumn({ name: 'room_id', type: 'bigint', primaryKeyConstraintName: 'chat_mutes_pkey' })
  roomId: string;

  @ManyToOne(() => ChatRoomEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'room_id', foreignKeyConstraintName: 'chat_mutes_room_id_fkey' })
  readonly room?: Relation<ChatRoomEntity>;

  @PrimaryColumn({ name: 'member_key', type: 'text', primaryKeyConstraintName: 'chat_mutes_pkey' })
  memberKey: string;

  @Column({ name: 'muted_until', type: 'timestamptz', precision: 3 })
  mutedUntil: Date;
}
