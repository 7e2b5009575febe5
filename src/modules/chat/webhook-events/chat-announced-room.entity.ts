import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn, type Relation } from 'typeorm';
import { ChatRoomEntity } from '../records/chat-room.entity.js';

/** How far a room's messages were published to webhooks, for rooms with listening members. */
@Entity('chat_announced_rooms')
export class ChatAnnouncedRoomEntity {
  @PrimaryColumn({
    name: 'room_id',
    type: 'bigint',
    primaryKeyConstraintName: 'chat_announced_rooms_pkey',
  })
  roomId: string;

  @ManyToOne(() => ChatRoomEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'room_id', foreignKeyConstraintName: 'chat_announced_rooms_room_id_fkey' })
  readonly room?: Relation<ChatRoomEntity>;

  @Column({ name: 'sequence', type: 'bigint' })
  sequence: string;
}
