import { isObject } from '../errors.js';
import type { components } from '../generated/openapi.js';
import type { Transport } from '../transport.js';
import { Signalled } from '../waiting.js';
import { type OnConnection, SocketSession } from './socket-session.js';

/** An event of the room's log. */
export type StoredRoomEvent = components['schemas']['RoomEventDto'];

/** What is told and not stored: it has no sequence, and is lost with a connection. */
export interface PassingEvent {
  readonly type: 'typing.start' | 'typing.stop' | 'presence.changed';
  readonly room_id: string;
  readonly sequence?: undefined;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type RoomEvent = StoredRoomEvent | PassingEvent;

export interface FollowRoomOptions {
  /** The last sequence that you have, 0 for the whole log; without it, what happens from now on. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How many events wait for you; beyond them they are read from the room's log later (1,000). */
  readonly bufferedMax?: number | undefined;
  readonly onConnection?: OnConnection | undefined;
}

/** The events of a room, and a word back. */
export interface RoomStream extends AsyncGenerator<RoomEvent, void, undefined> {
  /**
   * Tells the others in the room that you are writing, which counts for six seconds, or that you no longer are. Lost
   * where there is no connection.
   */
  readonly setTyping: (isTyping: boolean) => void;
}

/** Pages of the room's log. */
type History = (after: number, signal?: AbortSignal) => AsyncIterable<RoomEvent>;

export function followRoom(
  transport: Transport,
  roomId: string,
  history: History,
  options: FollowRoomOptions = {},
): RoomStream {
  const opened: { session?: SocketSession } = {};
  const events = eventsOf(transport, roomId, history, options, (session) => (opened.session = session));
  return Object.assign(events, {
    setTyping(isTyping: boolean) {
      const type = isTyping ? 'typing.start' : 'typing.stop';
      opened.session?.request(type, { room_id: roomId }).catch(() => undefined);
    },
  });
}

async function* eventsOf(
  transport: Transport,
  roomId: string,
  history: History,
  { after, signal, bufferedMax = 1_000, onConnection }: FollowRoomOptions,
  onSession: (session: SocketSession) => void,
): AsyncGenerator<RoomEvent, void, undefined> {
  const arrived = new Signalled();
  const inbox = { events: [] as RoomEvent[], hasDropped: false };
  const end: { error?: Error } = {};
  let last = after;
  const session = new SocketSession({
    transport,
    namespace: '/chat',
    signal,
    onConnection,
    async onOpen(opened) {
      const joined = await opened.request('room.join', { room_id: roomId, offset: last });
      last ??= isObject(joined) && typeof joined['sequence'] === 'number' ? joined['sequence'] : undefined;
      opened.succeed();
    },
    onEvent(_type, event) {
      if (!isRoomEvent(event) || event.room_id !== roomId) return;
      if (inbox.events.length < bufferedMax) inbox.events.push(event);
      else inbox.hasDropped = true;
      arrived.wake();
    },
    onEnd(error) {
      end.error = error;
      arrived.wake();
    },
  });
  onSession(session);
  /** The log from the last event on: what a full buffer or a connection lost. */
  async function* missed(): AsyncGenerator<RoomEvent, void, undefined> {
    for await (const event of history(last ?? 0, signal)) {
      if (event.sequence === undefined || event.sequence <= (last ?? -1)) continue;
      last = event.sequence;
      yield event;
    }
  }
  try {
    for (;;) {
      await arrived.wait();
      const events = inbox.events.splice(0);
      for (const event of events) {
        const { sequence } = event;
        if (sequence !== undefined && last !== undefined) {
          if (sequence > last + 1) yield* missed();
          if (sequence <= last) continue;
          if (sequence > last + 1) {
            session.fail(new Error('Events are missing.'));
            break;
          }
        }
        last = sequence ?? last;
        yield event;
      }
      if (inbox.hasDropped) {
        inbox.hasDropped = false;
        yield* missed();
      }
      if (end.error !== undefined) throw end.error;
    }
  } finally {
    session.close();
  }
}

function isRoomEvent(event: unknown): event is RoomEvent {
  return (
    isObject(event) &&
    typeof event['type'] === 'string' &&
    typeof event['room_id'] === 'string' &&
    (event['sequence'] === undefined || Number.isSafeInteger(event['sequence']))
  );
}
