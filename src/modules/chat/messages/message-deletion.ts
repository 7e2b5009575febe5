import type { RoomChange } from '../log/room-change.js';
import { toMessageDto, type MessageRow } from '../records/message.dto.js';

/** Takes the content of a message away, and tells the room. Its place stays. Does nothing for a deleted one. */
export async function deleteMessage(change: RoomChange, row: MessageRow, author: string): Promise<void> {
  if (row.deleted_at !== null) return;
  await erase(change, row);
  const rest = { ...row, text: null, reactions: [], fields: null, deleted_at: change.now };
  change.append('message.deleted', toMessageDto(rest, author, change.fields), row.message_id);
}

/** Removes the content and reactions of the message from all tables. */
async function erase({ manager, roomId, now }: RoomChange, row: MessageRow): Promise<void> {
  await manager.query(
    `WITH reactions AS (
       DELETE FROM chat_reactions WHERE message_id = $1
     ), erased_events AS (
       UPDATE chat_events SET data = jsonb_set(data::jsonb - $5::text[], '{text}', 'null')::json
       WHERE (room_id = $2 AND sequence = $3) OR (message_id = $1 AND type = 'message.updated')
     )
     UPDATE chat_messages
     SET text = NULL, search = NULL, fingerprint = NULL, reactions = '[]', fields = NULL, deleted_at = $4
     WHERE message_id = $1`,
    [row.message_id, roomId, row.sequence, now, Object.keys(row.fields ?? {})],
  );
}
