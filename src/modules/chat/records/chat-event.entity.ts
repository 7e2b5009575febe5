import { Column, Entity, ForeignKey, Index } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import type { RoomEventData, RoomEventType } from './chat-event.js';
import { ChatRoomEntity } from './chat-room.entity.js';

/** An entry of a room's log. It is never changed, but that the text of a deleted message is taken out. */
@Entity('chat_events')
@Index('chat_events_edits', ['messageId'], { where: `type = 'message.updated'` })
export class ChatEventEntity {
  @key.bigint() @ForeignKey(() => ChatRoomEntity, { onDelete: 'CASCADE' }) roomId: string;
  @key.bigint() sequence: string;
  @column.text() type: RoomEventType;
  /** The message of the event; null for events about members. */
  @column.bigint({ nullable: true }) messageId: string | null;
  /** As sent, with its members in the same order. */
  @Column({ name: 'data', type: 'json' }) data: RoomEventData[RoomEventType];
  @column.msTime() createdAt: Date;
}
