import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import { WebhookErasure } from '../../webhooks/delivery/webhook-erasure.js';
import { RoomWriter } from '../log/room-writer.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { MESSAGE_COLUMNS, toMessageDto, type MessageDto, type MessageRow } from '../records/message.dto.js';
import { messageEventKeyOf } from '../webhook-events/message-events.js';
import { deleteMessage } from './message-deletion.js';
import { MESSAGE_IDS } from '../ids.js';

const PAGE_MESSAGES = 200;

/** The messages of one author in all rooms, those that the author has left too. */
@Injectable()
export class OwnMessages {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly writer: RoomWriter,
    private readonly webhooks: WebhookErasure,
    private readonly fields: FieldCatalogue,
  ) {}

  /** Oldest first; deleted ones without their text. */
  async *of({ key, name }: ChatIdentity): AsyncGenerator<MessageDto> {
    for await (const rows of this.pagesOf(key))
      yield* rows.map((row) => toMessageDto(row, name, this.fields));
  }

  /** Deletes all of them as their author would, and takes them out of what webhooks were sent. */
  async deleteAll({ key, name }: ChatIdentity): Promise<void> {
    for await (const rows of this.pagesOf(key)) {
      for (const roomId of new Set(rows.map((row) => row.room_id))) {
        const inRoom = rows.filter((row) => row.room_id === roomId);
        const messageIds = inRoom.map((row) => row.message_id);
        await this.deleteIn(roomId, messageIds, name);
      }
    }
  }

  private async deleteIn(roomId: string, messageIds: readonly string[], author: string): Promise<void> {
    await this.writer.changeForMany(roomId, async (change) => {
      const rows = await change.manager.query<MessageRow[]>(
        `SELECT ${MESSAGE_COLUMNS} FROM chat_messages message
         WHERE message_id = ANY($1::bigint[]) ORDER BY message_id`,
        [messageIds],
      );
      for (const row of rows) await deleteMessage(change, row, author);
      const keys = rows.map((row) => messageEventKeyOf(MESSAGE_IDS.format(Number(row.message_id))));
      await this.webhooks.eraseEvents(change.manager, keys);
    });
  }

  private async *pagesOf(authorKey: string): AsyncGenerator<MessageRow[]> {
    let rows: MessageRow[];
    let after = '0';
    do {
      rows = await this.dataSource.query<MessageRow[]>(
        `SELECT ${MESSAGE_COLUMNS} FROM chat_messages message
         WHERE author_key = $1 AND message_id > $2 ORDER BY message_id LIMIT ${PAGE_MESSAGES}`,
        [authorKey, after],
      );
      yield rows;
      after = rows.at(-1)?.message_id ?? after;
    } while (rows.length === PAGE_MESSAGES);
  }
}
