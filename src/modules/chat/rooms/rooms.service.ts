import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { FieldCatalogue } from '../../../kit/fields/field-catalogue.js';
import { DataSource, type EntityManager } from 'typeorm';
import { Filters } from '../../../kit/filters/filters.js';
import { FORBIDDEN, NOT_FOUND, LIMIT_EXCEEDED } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { AnswerTransaction } from '../../../kit/http/idempotency/answer-transaction.js';
import type { Replayable } from '../../../kit/http/idempotency/replay.js';
import type { ChatIdentity } from '../records/chat-identity.js';
import { MemberDirectory } from '../members/member-directory.js';
import { addMember } from '../members/membership.js';
import { isModerating, requireInRoom } from '../members/standing.js';
import { ChatRoomEntity, type RoomType } from '../records/chat-room.entity.js';
import { roomIdOf } from '../log/room-access.js';
import { RoomChange } from '../log/room-change.js';
import { RoomReader } from './room-reader.js';
import { RoomWriter } from '../log/room-writer.js';
import { CreateRoomDto, RenameRoomDto, type RoomDto } from './room.dto.js';
import { ROOM_IDS } from '../ids.js';

/** Rooms that one person, or program, may have made; direct ones do not count. */
const ROOMS_PER_CREATOR_MAX = 1_000;

/** How rooms come to be, and what they are called. */
@Injectable()
export class RoomsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly answers: AnswerTransaction,
    private readonly writer: RoomWriter,
    private readonly reader: RoomReader,
    private readonly directory: MemberDirectory,
    private readonly filters: Filters,
    private readonly fields: FieldCatalogue,
  ) {}

  /**
   * Creates a room; `replayed` for a direct room that the two already have. Throws `validation_failed` (400) for a name
   * or members that do not fit the type, `not_found` (404) for a member name without an active identity, and
   * `limit_exceeded` (422) for a creator with too many rooms, and what filters refuse a name with.
   */
  async create(creator: ChatIdentity, wanted: CreateRoomDto): Promise<Replayable<RoomDto>> {
    requireFitting(wanted);
    const body =
      wanted.name == null
        ? wanted
        : await this.filters.pass('rooms', wanted, { author: creator.name }, CreateRoomDto);
    const others = await this.findOthers(creator, body.members ?? []);
    if (body.type !== 'direct') {
      return { body: await this.createNamed(creator, body, others), replayed: false };
    }
    const [other, ...more] = others;
    if (other === undefined || more.length > 0) throw notOneOther();
    return this.ensureDirect(creator, other);
  }

  /** The public id of the creator's public room of that name, created if missing. */
  async ensurePublic(creator: ChatIdentity, name: string): Promise<string> {
    const known = await this.dataSource.manager.findOneBy(ChatRoomEntity, {
      createdBy: creator.key,
      type: 'public',
      name,
    });
    if (known !== null) return ROOM_IDS.format(Number(known.roomId));
    return (await this.createNamed(creator, { type: 'public', name }, [])).room_id;
  }

  /**
   * Throws `not_found` (404), and `forbidden` (403) for who is not an owner or moderator, and what filters refuse with.
   */
  async rename(actor: ChatIdentity, room: string, body: RenameRoomDto): Promise<RoomDto> {
    const { name } = await this.filters.pass('rooms', body, { author: actor.name }, RenameRoomDto);
    return this.writer.change(roomIdOf(room), async (change) => {
      const members = await change.membersOf([actor.key]);
      const { role } = requireInRoom(change, members, actor.key);
      if (!isModerating(role)) {
        throw new ApiError(FORBIDDEN, 'Only owners and moderators of a room give it a name.');
      }
      await change.manager.update(ChatRoomEntity, { roomId: change.roomId }, { name });
      return this.reader.read(actor, change.roomId, change.manager);
    });
  }

  private createNamed(
    creator: ChatIdentity,
    { type, name }: CreateRoomDto,
    others: readonly ChatIdentity[],
  ): Promise<RoomDto> {
    return this.answers.run(async (manager) => {
      await requireFewRooms(manager, creator);
      const roomId = await insertRoom(manager, { type, name, createdBy: creator.key });
      if (roomId === undefined) throw new Error('a room without a direct key was in conflict with another');
      await fill({ manager, roomId, fields: this.fields }, async (change) => {
        await addMember(change, creator, 'owner');
        for (const other of others) await addMember(change, other, 'member');
      });
      return this.reader.read(creator, roomId, manager);
    });
  }

  private async ensureDirect(creator: ChatIdentity, other: ChatIdentity): Promise<Replayable<RoomDto>> {
    const directKey = [creator.key, other.key].sort().join(' ');
    let replayed = false;
    const body = await this.answers.run(async (manager) => {
      const made = await insertRoom(manager, { type: 'direct', directKey, createdBy: creator.key });
      replayed = made === undefined;
      if (made !== undefined) {
        await fill({ manager, roomId: made, fields: this.fields }, async (change) => {
          await addMember(change, creator, 'member');
          await addMember(change, other, 'member');
        });
      }
      const roomId = made ?? (await manager.findOneByOrFail(ChatRoomEntity, { directKey })).roomId;
      return this.reader.read(creator, roomId, manager);
    });
    return { body, replayed };
  }

  /** Everyone of these names, once, but the creator. */
  private async findOthers(creator: ChatIdentity, names: readonly string[]): Promise<ChatIdentity[]> {
    const found = await Promise.all(
      names.map(async (name) => {
        const identity = name === 'me' ? creator : await this.directory.findActive(name);
        if (identity === undefined) throw new ApiError(NOT_FOUND, `There is nobody called ${name}.`);
        return identity;
      }),
    );
    const others = new Map(found.map((identity) => [identity.key, identity]));
    others.delete(creator.key);
    return [...others.values()];
  }
}

/** The number of the new room; `undefined` where the two have their direct room already. */
async function insertRoom(
  manager: EntityManager,
  room: { type: RoomType; name?: string; directKey?: string; createdBy: string },
): Promise<string | undefined> {
  const [made] = await manager.query<{ room_id: string }[]>(
    `INSERT INTO chat_rooms (type, name, direct_key, created_by) VALUES ($1, $2, $3, $4)
     ON CONFLICT (direct_key) DO NOTHING RETURNING room_id`,
    [room.type, room.name, room.directKey, room.createdBy],
  );
  return made?.room_id;
}

/** Adds the first members. A new room has no subscribers yet, so nothing is sent. */
async function fill(
  { manager, roomId, fields }: Pick<RoomChange, 'manager' | 'roomId' | 'fields'>,
  work: (change: RoomChange) => Promise<void>,
): Promise<void> {
  const change = await RoomChange.begin(manager, roomId, fields);
  await work(change);
  await change.finish();
}

async function requireFewRooms(manager: EntityManager, { key }: ChatIdentity): Promise<void> {
  const [{ made }] = await manager.query<[{ made: number }]>(
    `SELECT count(*)::integer AS made FROM chat_rooms WHERE created_by = $1 AND type <> 'direct'`,
    [key],
  );
  if (made < ROOMS_PER_CREATOR_MAX) return;
  throw new ApiError(LIMIT_EXCEEDED, `You have made ${ROOMS_PER_CREATOR_MAX} rooms; use one of them.`);
}

function requireFitting({ type, name }: CreateRoomDto): void {
  if (type === 'direct' && name != null) {
    throw ApiError.validation([
      { field: 'name', message: 'name must be left out: a direct room is known by its members' },
    ]);
  }
  if (type !== 'direct' && name == null) {
    throw ApiError.validation([{ field: 'name', message: `name must be given for a ${type} room` }]);
  }
}

function notOneOther(): ApiError {
  return ApiError.validation([
    { field: 'members', message: 'members must name exactly one other for a direct room' },
  ]);
}
