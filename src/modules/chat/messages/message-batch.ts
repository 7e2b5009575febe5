import { hash } from 'node:crypto';
import { changedFields } from '../../../domain/fields.js';
import type { Row } from '../../../kit/database/rows.js';
import { NOT_FOUND, UNPROCESSABLE, CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import type { ChatMessageEntity } from '../records/chat-message.entity.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { requireInRoom, requireUnmuted } from '../members/standing.js';
import type { LockedMember, RoomChange } from '../log/room-change.js';
import { placesOf, searchVector } from './search-vector.js';
import {
  MESSAGE_COLUMNS,
  toMessageDto,
  type MessageDto,
  type MessageRow,
  type SendMessageDto,
} from '../records/message.dto.js';
import { MESSAGE_IDS } from '../ids.js';

/** A message that somebody wants to send. */
export interface Draft {
  readonly author: ChatIdentity;
  readonly body: SendMessageDto;
}

/** What became of a draft: the message, new or sent before, or why it was refused. */
export type Sent = Replayable<MessageDto> | ApiError;

/**
 * A message that came before under the id of a draft. A deleted one has no fingerprint, and is the answer to whatever
 * comes under its id.
 */
type KnownRow = MessageRow & Row<ChatMessageEntity, 'fingerprint'>;

type ParentRow = Pick<MessageRow, 'message_id' | 'parent_id' | 'deleted_at'>;

/** A draft that nothing speaks against. */
interface Accepted extends Draft {
  readonly parentId: string | null;
  readonly fingerprint: string | null;
}

/** What drafts are judged by. */
interface Surroundings {
  /** By their keys. */
  readonly members: ReadonlyMap<string, LockedMember>;
  /** By `idKeyOf`. */
  readonly known: ReadonlyMap<string, KnownRow>;
  /** By their numbers. */
  readonly parents: ReadonlyMap<string, ParentRow>;
}

/**
 * Stores messages of one room, each with its event, and returns the result of each in order. A refusal does not affect
 * the others.
 */
export async function storeMessages(change: RoomChange, drafts: readonly Draft[]): Promise<Sent[]> {
  const batch = new MessageBatch(change, {
    members: await change.membersOf(drafts.map(({ author }) => author.key)),
    known: await readKnown(change, drafts),
    parents: await readParents(change, drafts),
  });
  const verdicts = drafts.map((draft) => batch.judge(draft));
  const stored = await batch.store();
  return verdicts.map((verdict) => {
    if (!('place' in verdict)) return verdict;
    const body = stored[verdict.place];
    if (body === undefined) throw new Error('fewer messages were stored than accepted');
    return { body, replayed: verdict.replayed };
  });
}

/** Where an accepted draft stands among those that are stored; `replayed` for a repeat of one before it. */
interface Place {
  readonly place: number;
  readonly replayed: boolean;
}

class MessageBatch {
  private readonly accepted: Accepted[] = [];
  private readonly placesOfIds = new Map<string, number>();

  constructor(
    private readonly change: RoomChange,
    private readonly surroundings: Surroundings,
  ) {}

  judge(draft: Draft): Place | Sent {
    try {
      return this.accept(draft);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  async store(): Promise<MessageDto[]> {
    if (this.accepted.length === 0) return [];
    const firstSequence = this.change.nextSequence;
    const rows = await insert(this.change, this.accepted, firstSequence);
    return this.accepted.map((accepted, place) => {
      const sequence = String(firstSequence + place);
      const messageId = rows.get(sequence);
      if (messageId === undefined) throw new Error(`no message was stored at ${sequence}`);
      const message = toMessageDto(
        this.newRow(accepted, messageId, sequence),
        accepted.author.name,
        this.change.fields,
      );
      this.change.append('message.new', message, messageId);
      return message;
    });
  }

  private accept(draft: Draft): Place | Sent {
    const { author, body } = draft;
    const member = requireInRoom(this.change, this.surroundings.members, author.key);
    const fingerprint = body.client_message_id == null ? null : fingerprintOf(body);
    // A repeat is answered whatever has become of its author's rights since.
    const repeated = this.findRepeated(draft, fingerprint);
    if (repeated !== undefined) return repeated;
    requireUnmuted(member, this.change.now);
    const parentId = this.requireParent(body.parent_id ?? null);
    const place = this.accepted.push({ author, body, parentId, fingerprint }) - 1;
    if (fingerprint !== null) this.placesOfIds.set(idKeyOf(draft), place);
    return { place, replayed: false };
  }

  private findRepeated(draft: Draft, fingerprint: string | null): Place | Sent | undefined {
    if (fingerprint === null) return undefined;
    const idKey = idKeyOf(draft);
    const known = this.surroundings.known.get(idKey);
    if (known !== undefined) {
      if (known.fingerprint !== null && known.fingerprint !== fingerprint) throw idTaken();
      return { body: toMessageDto(known, draft.author.name, this.change.fields), replayed: true };
    }
    const place = this.placesOfIds.get(idKey);
    if (place === undefined) return undefined;
    if (this.accepted[place]?.fingerprint !== fingerprint) throw idTaken();
    return { place, replayed: true };
  }

  private requireParent(parent: string | null): string | null {
    if (parent === null) return null;
    const parentId = String(MESSAGE_IDS.parse(parent));
    const row = this.surroundings.parents.get(parentId);
    if (row === undefined) throw new ApiError(NOT_FOUND, 'The room has no message of that parent_id.');
    if (row.parent_id !== null) {
      throw new ApiError(UNPROCESSABLE, 'A thread has no threads: name the message that began it.');
    }
    if (row.deleted_at !== null) throw new ApiError(CONFLICT, 'The message was deleted.');
    return parentId;
  }

  private newRow({ author, body, parentId }: Accepted, messageId: string, sequence: string): MessageRow {
    return {
      message_id: messageId,
      room_id: this.change.roomId,
      sequence,
      author_key: author.key,
      client_message_id: body.client_message_id ?? null,
      parent_id: parentId,
      text: body.text,
      reply_count: 0,
      reactions: [],
      fields: body.fields ?? null,
      created_at: this.change.now,
      edited_at: null,
      deleted_at: null,
    };
  }
}

async function readKnown(
  { manager, roomId }: RoomChange,
  drafts: readonly Draft[],
): Promise<ReadonlyMap<string, KnownRow>> {
  const named = drafts.filter(({ body }) => body.client_message_id != null);
  if (named.length === 0) return new Map();
  const rows = await manager.query<(KnownRow & { client_message_id: string })[]>(
    `SELECT ${MESSAGE_COLUMNS}, message.fingerprint
     FROM unnest($2::text[], $3::text[]) AS draft (author_key, client_message_id)
       JOIN chat_messages message ON message.room_id = $1 AND message.author_key = draft.author_key
         AND message.client_message_id = draft.client_message_id`,
    [roomId, named.map(({ author }) => author.key), named.map(({ body }) => body.client_message_id)],
  );
  return new Map(rows.map((row) => [`${row.author_key} ${row.client_message_id}`, row]));
}

async function readParents(
  { manager, roomId }: RoomChange,
  drafts: readonly Draft[],
): Promise<ReadonlyMap<string, ParentRow>> {
  const ids = drafts
    .map(({ body }) => (body.parent_id == null ? undefined : MESSAGE_IDS.parse(body.parent_id)))
    .filter((id) => id !== undefined);
  if (ids.length === 0) return new Map();
  const rows = await manager.query<ParentRow[]>(
    `SELECT message_id, parent_id, deleted_at FROM chat_messages
     WHERE message_id = ANY($1::bigint[]) AND room_id = $2`,
    [ids, roomId],
  );
  return new Map(rows.map((row) => [row.message_id, row]));
}

/**
 * Writes the messages, counts them in their threads, and takes each author's word for it that it has read what
 * was there. Gives the numbers of the messages by their sequences.
 */
async function insert(
  change: RoomChange,
  accepted: readonly Accepted[],
  firstSequence: number,
): Promise<ReadonlyMap<string, string>> {
  const rows = await change.manager.query<{ message_id: string; sequence: string }[]>(
    `WITH stored AS (
       INSERT INTO chat_messages
         (room_id, sequence, author_key, client_message_id, fingerprint, parent_id, text, search, created_at, fields)
       SELECT $1, $2::bigint + draft.place - 1, draft.author_key, draft.client_message_id, draft.fingerprint,
         draft.parent_id, draft.text, ${searchVector('draft.text', '$9::text[]')}, $3, draft.fields::jsonb
       FROM unnest($4::text[], $5::text[], $6::text[], $7::bigint[], $8::text[], $10::text[]) WITH ORDINALITY
         AS draft (author_key, client_message_id, fingerprint, parent_id, text, fields, place)
       ORDER BY draft.place
       RETURNING message_id, sequence, author_key, parent_id
     ), read AS (
       UPDATE chat_members member SET read_sequence = latest.sequence
       FROM (SELECT author_key, max(sequence) AS sequence FROM stored GROUP BY author_key) latest
       WHERE member.room_id = $1 AND member.member_key = latest.author_key
     ), replied AS (
       UPDATE chat_messages parent SET reply_count = parent.reply_count + thread.replies
       FROM (SELECT parent_id, count(*)::integer AS replies FROM stored GROUP BY parent_id) thread
       WHERE parent.message_id = thread.parent_id
     )
     SELECT message_id, sequence FROM stored`,
    [
      change.roomId,
      firstSequence,
      change.now,
      accepted.map(({ author }) => author.key),
      accepted.map(({ body }) => body.client_message_id ?? null),
      accepted.map(({ fingerprint }) => fingerprint),
      accepted.map(({ parentId }) => parentId),
      accepted.map(({ body }) => body.text),
      placesOf(change),
      accepted.map(({ body }) => (body.fields === undefined ? null : JSON.stringify(body.fields))),
    ],
  );
  return new Map(rows.map(({ message_id: messageId, sequence }) => [sequence, messageId]));
}

/** The unique key within a room; ids have no blanks. */
function idKeyOf({ author, body }: Draft): string {
  return `${author.key} ${body.client_message_id}`;
}

function fingerprintOf({ text, parent_id, fields }: SendMessageDto): string {
  const given = fields === undefined ? [] : [changedFields(null, fields)];
  return hash('sha256', JSON.stringify([text, parent_id ?? null, ...given]), 'base64url');
}

function idTaken(): ApiError {
  return new ApiError(CONFLICT, 'Another message of yours in this room has that client_message_id.');
}
