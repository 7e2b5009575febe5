import {
  Check,
  Column,
  Entity,
  Index,
  JoinColumn,
  ManyToOne,
  PrimaryColumn,
  PrimaryGeneratedColumn,
  Unique,
  type Relation,
} from 'typeorm';
import { ChatRoomEntity } from './chat-room.entity.js';

/** How often a message was reacted to with one emoji. */
export interface ReactionCount {
  readonly emoji: string;
  readonly count: number;
}

/** A message. A deleted message keeps its place without its content. */
@Entity('chat_messages')
@Unique('chat_messages_sequence', ['roomId', 'sequence'])
@Check('chat_messages_text_check', '(text IS NULL) = (deleted_at IS NOT NULL)')
@Index('chat_messages_client_id', ['roomId', 'authorKey', 'clientMessageId'], {
  unique: true,
  where: 'client_message_id IS NOT NULL',
})
@Index('chat_messages_thread', ['parentId', 'sequence'], { where: 'parent_id IS NOT NULL' })
@Index('chat_messages_author', ['authorKey', 'messageId'])
@Index('chat_messages_search', ['search'], { type: 'gin' })
export class ChatMessageEntity {
  @PrimaryGeneratedColumn('identity', {
    name: 'message_id',
    type: 'bigint',
    generatedIdentity: 'ALWAYS',
    primaryKeyConstraintName: 'chat_messages_pkey',
  })
  readonly messageId: string;

  @Column({ name: 'room_id', type: 'bigint' })
  roomId: string;

  @ManyToOne(() => ChatRoomEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'room_id', foreignKeyConstraintName: 'chat_messages_room_id_fkey' })
  readonly room?: Relation<ChatRoomEntity>;

  /** The sequence of the event that first announced it. */
  @Column({ name: 'sequence', type: 'bigint' })
  sequence: string;

  @Column({ name: 'author_key', type: 'text' })
  authorKey: string;

  /** Unique in the room among the author's messages, for good. */
  @Column({ name: 'client_message_id', type: 'text', nullable: true })
  clientMessageId: string | null;

  /** A digest of what was sent under the id, to tell a repeat from another message; gone with the text. */
  @Column({ name: 'fingerprint', type: 'text', nullable: true })
  fingerprint: string | null;

  /** The message whose thread it belongs to; null for one that belongs to none, or begins one. */
  @Column({ name: 'parent_id', type: 'bigint', nullable: true })
  parentId: string | null;

  @ManyToOne(() => ChatMessageEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'parent_id', foreignKeyConstraintName: 'chat_messages_parent_id_fkey' })
  readonly parent?: Relation<ChatMessageEntity> | null;

  /** Plain text, as it was written; null once it is deleted. */
  @Column({ name: 'text', type: 'text', nullable: true })
  text: string | null;

  @Column({ name: 'reply_count', type: 'integer', default: 0 })
  replyCount: number;

  /** How often each emoji stands in `chat_reactions`, in the order in which they came first. */
  @Column({ name: 'reactions', type: 'jsonb', default: [] })
  reactions: ReactionCount[];

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;

  @Column({ name: 'edited_at', type: 'timestamptz', precision: 3, nullable: true })
  editedAt: Date | null;

  @Column({ name: 'deleted_at', type: 'timestamptz', precision: 3, nullable: true })
  deletedAt: Date | null;

  /** The words of the text without regard to language, and where it stands; see `searchVector`. */
  @Column({ name: 'search', type: 'tsvector', nullable: true, select: false })
  readonly search?: string | null;
}

/** A reaction of one member to one message. */
@Entity('chat_reactions')
@Index('chat_reactions_member', ['memberKey', 'messageId'])
export class ChatReactionEntity {
  @PrimaryColumn({ name: 'message_id', type: 'bigint', primaryKeyConstraintName: 'chat_reactions_pkey' })
  messageId: string;

  @ManyToOne(() => ChatMessageEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'message_id', foreignKeyConstraintName: 'chat_reactions_message_id_fkey' })
  readonly message?: Relation<ChatMessageEntity>;

  @PrimaryColumn({ name: 'member_key', type: 'text', primaryKeyConstraintName: 'chat_reactions_pkey' })
  memberKey: string;

  @PrimaryColumn({ name: 'emoji', type: 'text', primaryKeyConstraintName: 'chat_reactions_pkey' })
  emoji: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3, default: () => 'now()' })
  readonly createdAt: Date;
}
