import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Row } from '../../kit/database/rows.js';
import { everyItem } from '../../kit/personal-data/pages.js';
import { type DataOwner, PersonalDataRegistry } from '../../kit/personal-data/personal-data.js';
import { OwnMessages } from './messages/own-messages.js';
import type { ChatReactionEntity } from './records/chat-message.entity.js';
import type { ChatIdentity } from './records/chat-identity.js';
import { RoomReader } from './rooms/room-reader.js';
import { MESSAGE_IDS } from './ids.js';

const PAGE_ROWS = 500;

type ReactionRow = Row<ChatReactionEntity, 'messageId' | 'emoji' | 'createdAt'>;

/**
 * Exports what users say in rooms, and not what others say there. Erasing takes the text of their messages; their places
 * stay, so that the rooms' logs have no gaps.
 */
@Injectable()
export class ChatPersonalData {
  constructor(
    data: PersonalDataRegistry,
    private readonly rooms: RoomReader,
    private readonly messages: OwnMessages,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {
    data.exports(
      {
        name: 'chat_rooms',
        holds: 'rooms that you are in, and what you are there',
        rows: (owner) => this.roomsOf(owner),
      },
      {
        name: 'chat_messages',
        holds: 'every message that you wrote; deleted ones without their text',
        rows: (owner) => this.messages.of(identityOf(owner)),
      },
      {
        name: 'chat_reactions',
        holds: 'your reactions to messages',
        rows: (owner) => this.reactionsOf(owner),
      },
    );
    data.erases({
      name: 'chat_messages',
      due: 'closing',
      erase: (owner) => this.messages.deleteAll(identityOf(owner)),
    });
  }

  private async *roomsOf(owner: DataOwner): AsyncGenerator<object> {
    const reader = identityOf(owner);
    const rooms = everyItem((page) => this.rooms.list(reader, { ...page, member: 'me' }));
    for await (const { room_id, type, name, membership, created_at } of rooms) {
      yield { room_id, type, name, membership, created_at };
    }
  }

  private async *reactionsOf({ key }: DataOwner): AsyncGenerator<object> {
    let rows: ReactionRow[];
    let last: ReactionRow | undefined;
    do {
      rows = await this.dataSource.query<ReactionRow[]>(
        `SELECT message_id, emoji, created_at FROM chat_reactions
         WHERE member_key = $1 AND (message_id, emoji) > ($2::bigint, $3)
         ORDER BY message_id, emoji LIMIT ${PAGE_ROWS}`,
        [key, last?.message_id ?? '0', last?.emoji ?? ''],
      );
      for (const { message_id: messageId, emoji, created_at: createdAt } of rows) {
        const message_id = MESSAGE_IDS.format(Number(messageId));
        yield { message_id, emoji, created_at: createdAt.toISOString() };
      }
      last = rows.at(-1);
    } while (rows.length === PAGE_ROWS);
  }
}

function identityOf({ key, username }: DataOwner): ChatIdentity {
  return { key, name: username };
}
