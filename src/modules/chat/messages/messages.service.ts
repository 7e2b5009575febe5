import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../kit/audit/audit-log.js';
import { Filters } from '../../../kit/filters/filters.js';
import { FORBIDDEN, CONFLICT, NOT_FOUND, LIMIT_EXCEEDED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { MemberDirectory, nameIn } from '../members/member-directory.js';
import { isModerating, requireInRoom, requireShared, requireUnmuted } from '../members/standing.js';
import { roomIdOf } from '../log/room-access.js';
import type { LockedMember, RoomChange } from '../log/room-change.js';
import { RoomWriter } from '../log/room-writer.js';
import { storeMessages } from './message-batch.js';
import { deleteMessage } from './message-deletion.js';
import { placesOf, searchVector } from './search-vector.js';
import { MessageQueue } from './message-queue.js';
import {
  MESSAGE_COLUMNS,
  toMessageDto,
  EditMessageDto,
  type MessageDto,
  type MessageRow,
  SendMessageDto,
} from '../records/message.dto.js';
import { MESSAGE_IDS } from '../ids.js';

/** Each edit is kept in the log of the room. */
const EDITS_MAX = 100;

/**
 * Members' operations on messages. All methods throw `not_found` (404) for a room or a message that the caller cannot
 * see, `forbidden` (403) for a public room that it is not a member of, and `rate_limited` (429) if too many changes
 * wait for the room.
 */
@Injectable()
export class MessagesService {
  constructor(
    private readonly writer: RoomWriter,
    private readonly queue: MessageQueue,
    private readonly answers: AnswerTransaction,
    private readonly directory: MemberDirectory,
    private readonly audit: AuditLog,
    private readonly filters: Filters,
  ) {}

  /**
   * Sends a message; `replayed` where it was there already. Throws also `forbidden` (403) while muted, `conflict`
   * (409) for a `client_message_id` of another message and for a deleted parent, and `unprocessable` (422) for a
   * parent that is in a thread itself, and what filters refuse with.
   */
  async send(author: ChatIdentity, room: string, body: SendMessageDto): Promise<Replayable<MessageDto>> {
    const facts = { author: author.name, room };
    return this.store(author, room, await this.filters.pass('messages', body, facts, SendMessageDto));
  }

  /** As `send`, without filters: for what the service itself says. */
  async store(author: ChatIdentity, room: string, body: SendMessageDto): Promise<Replayable<MessageDto>> {
    const roomId = roomIdOf(room);
    const draft = { author, body };
    if (!this.answers.isNeeded) return this.queue.send(roomId, draft);
    // A recorded answer goes into the transaction of what it tells, so this one cannot go with others.
    let replayed = false;
    const message = await this.writer.change(roomId, async (change) => {
      const [sent] = await storeMessages(change, [draft]);
      if (sent === undefined) throw new Error('a message was neither stored nor refused');
      if (sent instanceof ApiError) throw sent;
      replayed = sent.replayed;
      return sent.body;
    });
    return { body: message, replayed };
  }

  /**
   * Changes the text of one's own message. Throws also `forbidden` (403) while muted, `conflict` (409) for a
   * deleted one, and `limit_exceeded` (422) for one that was changed too often, and what filters refuse with.
   */
  async edit(author: ChatIdentity, room: string, message: string, body: EditMessageDto): Promise<MessageDto> {
    const facts = { author: author.name, room };
    const { text } = await this.filters.pass('messages', body, facts, EditMessageDto);
    return this.writer.change(roomIdOf(room), async (change) => {
      const { row, member } = await this.lock(change, author, message);
      requireUnmuted(member, change.now);
      if (row.author_key !== author.key) {
        throw new ApiError(FORBIDDEN, 'Only who wrote a message can change what it says.');
      }
      if (row.deleted_at !== null) throw new ApiError(CONFLICT, 'The message was deleted.');
      if (row.text === text && body.fields === undefined)
        return toMessageDto(row, author.name, change.fields);
      await requireFewEdits(change, row.message_id);
      const fields = body.fields === undefined ? row.fields : { ...row.fields, ...body.fields };
      await change.manager.query(
        `UPDATE chat_messages SET text = $2, search = ${searchVector('$2', '$4::text[]')}, edited_at = $3, fields = $5
         WHERE message_id = $1`,
        [row.message_id, text, change.now, placesOf(change), fields === null ? null : JSON.stringify(fields)],
      );
      const edited = toMessageDto(
        { ...row, text, fields, edited_at: change.now },
        author.name,
        change.fields,
      );
      change.append('message.updated', edited, row.message_id);
      return edited;
    });
  }

  /**
   * Deletes one's own message, or as a moderator anyone's. Its place remains; its content is removed from the log as
   * well. Idempotent. Throws also `forbidden` (403) for another's message.
   */
  async remove(remover: ChatIdentity, room: string, message: string): Promise<void> {
    await this.writer.change(roomIdOf(room), async (change) => {
      const { row, member } = await this.lock(change, remover, message);
      if (row.author_key !== remover.key && !isModerating(member.role)) {
        throw new ApiError(FORBIDDEN, 'Only its author and moderators can delete a message.');
      }
      await this.delete(change, row);
    });
  }

  /**
   * Deletes a message of any author for an operator, which is recorded. Throws `not_found` (404), and `conflict` (409)
   * for a direct room, which belongs to its two members.
   */
  async moderate(room: string, message: string): Promise<void> {
    await this.writer.change(roomIdOf(room), async (change) => {
      requireShared(change);
      const row = await lockedMessage(change, message);
      const author = await this.delete(change, row);
      await this.audit.record(change.manager, {
        target: { type: 'room', id: change.room },
        details: { message_id: message, author },
      });
    });
  }

  /** Once; answers its author's name. */
  private async delete(change: RoomChange, row: MessageRow): Promise<string> {
    const names = await this.directory.namesOf([row.author_key], change.manager);
    const author = nameIn(names, row.author_key);
    await deleteMessage(change, row, author);
    return author;
  }

  private async lock(
    change: RoomChange,
    identity: ChatIdentity,
    message: string,
  ): Promise<{ row: MessageRow; member: LockedMember }> {
    const members = await change.membersOf([identity.key]);
    const member = requireInRoom(change, members, identity.key);
    return { row: await lockedMessage(change, message), member };
  }
}

/** A message of the room, as it is until the change has ended. Throws `not_found` (404). */
export async function lockedMessage({ manager, roomId }: RoomChange, message: string): Promise<MessageRow> {
  const [row] = await manager.query<MessageRow[]>(
    `SELECT ${MESSAGE_COLUMNS} FROM chat_messages message WHERE message_id = $1 AND room_id = $2`,
    [MESSAGE_IDS.parse(message), roomId],
  );
  if (row === undefined) throw messageNotFound();
  return row;
}

export function messageNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such message in this room.');
}

async function requireFewEdits({ manager }: RoomChange, messageId: string): Promise<void> {
  const [{ edits }] = await manager.query<[{ edits: number }]>(
    `SELECT count(*)::integer AS edits FROM chat_events WHERE message_id = $1 AND type = 'message.updated'`,
    [messageId],
  );
  if (edits < EDITS_MAX) return;
  throw new ApiError(LIMIT_EXCEEDED, `A message can be changed ${EDITS_MAX} times; write a new one.`);
}
