import { Entity, ForeignKey } from 'typeorm';
import { column, key } from '../../../kit/database/columns.js';
import { ChatRoomEntity } from '../records/chat-room.entity.js';

/** How far a room's messages were published to webhooks, for rooms with listening members. */
@Entity('chat_announced_rooms')
export class ChatAnnouncedRoomEntity {
  @key.bigint() @ForeignKey(() => ChatRoomEntity, { onDelete: 'CASCADE' }) roomId: string;
  @column.bigint() sequence: string;
}
