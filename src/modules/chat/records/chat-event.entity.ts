import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import type { RoomEventData, RoomEventType } from './chat-event.js';
import { ChatRoomEntity } from './chat-room.entity.js';

/** An entry of a room's log. It is never changed, but that the text of a deleted message is taken out. */
@Entity('chat_events')
@Index('chat_events_edits', ['messageId'], { where: `type = 'message.updated'` })
export class ChatEventEntity {
  @PrimaryColumn({ name: 'room_id', type: 'bigint', primaryKeyConstraintName: 'chat_events_pkey' })
  roomId: string;

  @ManyToOne(() => ChatRoomEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'room_id', foreignKeyConstraintName: 'chat_events_room_id_fkey' })
  readonly room?: Relation<ChatRoomEntity>;

  @PrimaryColumn({ name: 'sequence', type: 'bigint', primaryKeyConstraintName: 'chat_events_pkey' })
  sequence: string;

  @Column({ name: 'type', type: 'text' })
  type: RoomEventType;

  /** The message of the event; null for events about members. */
  @Column({ name: 'message_id', type: 'bigint', nullable: true })
  messageId: string | null;

  /** As published, with its members in the same order. */
  @Column({ name: 'data', type: 'json' })
  data: RoomEventData[RoomEventType];

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;
}
