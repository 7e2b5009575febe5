import { Injectable } from '@nestjs/common';
import { CONFLICT, LIMIT_EXCEEDED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { requireInRoom, requireUnmuted } from '../members/standing.js';
import { roomIdOf } from '../log/room-access.js';
import type { RoomChange } from '../log/room-change.js';
import { RoomWriter } from '../log/room-writer.js';
import type { ReactionCount } from '../records/chat-message.entity.js';
import type { MessageRow } from '../records/message.dto.js';
import { lockedMessage } from './messages.service.js';

/** Different emojis on one message. */
const EMOJIS_PER_MESSAGE_MAX = 20;

/**
 * Members' reactions to messages: each emoji once. Both methods are idempotent, and throw `not_found` (404) for a room
 * or a message that the caller cannot see, `forbidden` (403) for a public room that it is not a member of and while
 * muted, and `rate_limited` (429) if too many changes wait for the room.
 */
@Injectable()
export class ReactionsService {
  constructor(private readonly writer: RoomWriter) {}

  /** Throws also `conflict` (409) for a deleted message, and `limit_exceeded` (422) for an emoji too many. */
  async add(identity: ChatIdentity, room: string, message: string, emoji: string): Promise<void> {
    await this.writer.change(roomIdOf(room), async (change) => {
      const row = await this.lock(change, identity, message);
      if (row.deleted_at !== null) throw new ApiError(CONFLICT, 'The message was deleted.');
      const added = await change.manager.query<unknown[]>(
        `INSERT INTO chat_reactions (message_id, member_key, emoji, created_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT DO NOTHING RETURNING message_id`,
        [row.message_id, identity.key, emoji, change.now],
      );
      if (added.length === 0) return;
      const reactions = counted(row.reactions, emoji, 1);
      if (reactions.length > EMOJIS_PER_MESSAGE_MAX) {
        throw new ApiError(
          LIMIT_EXCEEDED,
          `A message takes at most ${EMOJIS_PER_MESSAGE_MAX} different emojis; use one that is there.`,
        );
      }
      await store(change, row, reactions);
      change.append('reaction.new', { message_id: message, emoji, member: identity.name }, row.message_id);
    });
  }

  /** Takes one's own reaction back. */
  async remove(identity: ChatIdentity, room: string, message: string, emoji: string): Promise<void> {
    await this.writer.change(roomIdOf(room), async (change) => {
      const row = await this.lock(change, identity, message);
      const [, removed] = await change.manager.query<[unknown, number]>(
        'DELETE FROM chat_reactions WHERE message_id = $1 AND member_key = $2 AND emoji = $3',
        [row.message_id, identity.key, emoji],
      );
      if (removed === 0) return;
      await store(change, row, counted(row.reactions, emoji, -1));
      change.append(
        'reaction.deleted',
        { message_id: message, emoji, member: identity.name },
        row.message_id,
      );
    });
  }

  private async lock(change: RoomChange, identity: ChatIdentity, message: string): Promise<MessageRow> {
    const members = await change.membersOf([identity.key]);
    requireUnmuted(requireInRoom(change, members, identity.key), change.now);
    return lockedMessage(change, message);
  }
}

/** The counts after adding or removing a reaction; an emoji with count zero is dropped. */
function counted(reactions: readonly ReactionCount[], emoji: string, delta: 1 | -1): ReactionCount[] {
  if (!reactions.some((reaction) => reaction.emoji === emoji)) return [...reactions, { emoji, count: delta }];
  return reactions
    .map((reaction) => (reaction.emoji === emoji ? { emoji, count: reaction.count + delta } : reaction))
    .filter(({ count }) => count > 0);
}

async function store(
  { manager }: RoomChange,
  { message_id: messageId }: MessageRow,
  reactions: readonly ReactionCount[],
): Promise<void> {
  await manager.query('UPDATE chat_messages SET reactions = $2::jsonb WHERE message_id = $1', [
    messageId,
    JSON.stringify(reactions),
  ]);
}
