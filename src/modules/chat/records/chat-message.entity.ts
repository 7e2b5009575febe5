import { Check, Column, Entity, ForeignKey, Index, Unique } from 'typeorm';
import type { FieldChanges } from '../../../domain/fields.js';
import { NOW, column, key } from '../../../kit/database/columns.js';
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
  @key.identity() readonly messageId: string;
  @column.bigint() @ForeignKey(() => ChatRoomEntity, { onDelete: 'CASCADE' }) roomId: string;
  /** The sequence of the event that first announced it. */
  @column.bigint() sequence: string;
  @column.text() authorKey: string;
  /** Unique in the room among the author's messages, for good. */
  @column.text({ nullable: true }) clientMessageId: string | null;
  /** A digest of what was sent under the id, to tell a repeat from another message; gone with the text. */
  @column.text({ nullable: true }) fingerprint: string | null;
  /** The message whose thread it belongs to; null for one that belongs to none, or begins one. */
  @column.bigint({ nullable: true })
  @ForeignKey(() => ChatMessageEntity, { onDelete: 'CASCADE' })
  parentId: string | null;
  /** Plain text, as it was written; null once it is deleted. */
  @column.text({ nullable: true }) text: string | null;
  @column.integer({ default: 0 }) replyCount: number;
  /** How often each emoji stands in `chat_reactions`, in the order in which they came first. */
  @column.json({ default: [] }) reactions: ReactionCount[];
  /** What plugins keep with it; a field that was removed is null, so that its deletion finds it in events. */
  @column.json({ nullable: true }) fields: FieldChanges | null;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
  @column.msTime({ nullable: true }) editedAt: Date | null;
  @column.msTime({ nullable: true }) deletedAt: Date | null;
  /** The words of the text without regard to language, and where it stands; see `searchVector`. */
  @Column({ name: 'search', type: 'tsvector', nullable: true, select: false })
  readonly search?: string | null;
}

/** A reaction of one member to one message. */
@Entity('chat_reactions')
@Index('chat_reactions_member', ['memberKey', 'messageId'])
export class ChatReactionEntity {
  @key.bigint() @ForeignKey(() => ChatMessageEntity, { onDelete: 'CASCADE' }) messageId: string;
  @key.text() memberKey: string;
  @key.text() emoji: string;
  @column.msTime({ default: NOW }) readonly createdAt: Date;
}
