import type { components, RoomEvent, RoomStream } from '@tradepost/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLoaded, useStream, wordsOf } from '../live.js';
import { isOperator, session } from '../session.js';

type Schemas = components['schemas'];
export type Room = Schemas['RoomDto'];
export type Message = Schemas['MessageDto'];

/** Whether the user may moderate a room as an operator; direct ones belong to their two members. */
export function isOperatorIn({ type }: Room): boolean {
  return type !== 'direct' && isOperator(session.value.user, ['support', 'content']);
}

/** How many messages are read at a time. */
const PAGE = 50;
/** Others who write are told that one does, again before they would think otherwise. */
const TYPING_AGAIN_MS = 3_000;
/** What is shown counts as read after this time. */
const READ_AFTER_MS = 800;

export interface RoomView {
  readonly room: Room;
  /** Of the room and of its threads as far as they are known, in the order of the room. */
  readonly messages: readonly Message[];
  /** The place of the first message before which nothing is left out; threads may show earlier ones. */
  readonly since: number;
  /** Whether there are earlier ones that can be read. */
  readonly hasEarlier: boolean;
  /** Others who write now. */
  readonly typing: readonly string[];
  /** Changes whenever somebody comes or goes. */
  readonly memberChanges: number;
}

export interface RoomInUse {
  readonly view: RoomView | undefined;
  readonly failure: string | undefined;
  readonly reload: () => void;
  readonly loadEarlier: () => Promise<void>;
  readonly loadThread: (messageId: string) => Promise<void>;
  /** Takes a message as the service has answered it. */
  readonly take: (message: Message) => void;
  /** Asks for a message as it is now. */
  readonly refresh: (messageId: string) => void;
  readonly setTyping: (isTyping: boolean) => void;
}

class Known {
  readonly messages = new Map<string, Message>();
  readonly typing = new Set<string>();
  /** The first message that was read a page at a time; undefined once there are none before. */
  first: Message | undefined;
  memberChanges = 0;
  /** Of the last event. */
  sequence = 0;

  take(messages: readonly Message[]): void {
    for (const message of messages) this.messages.set(message.message_id, message);
  }
}

interface Loaded {
  readonly room: Room;
  readonly known: Known;
}

async function load(roomId: string, signal: AbortSignal): Promise<Loaded> {
  const { client } = session.value;
  const path = { room_id: roomId };
  // The room first: events after its sequence are told by the stream, some of them once more.
  const room = await client.get('/chat/rooms/{room_id}', { params: { path }, signal });
  const page = await client.get('/chat/rooms/{room_id}/messages', {
    params: { path, query: { limit: PAGE } },
    signal,
  });
  const known = new Known();
  known.take(page.data);
  if (page.next_cursor !== null) known.first = page.data.at(-1);
  known.sequence = room.sequence;
  return { room, known };
}

/** A room as it is, live for its members. */
export function useRoom(roomId: string): RoomInUse {
  const [, render] = useState({});
  const stream = useRef<RoomStream | null>(null);
  const loaded = useLoaded(roomId, (signal) => load(roomId, signal));
  const { room, known } = loaded.value ?? { room: undefined, known: undefined };
  const isMember = room?.membership != null;
  const refresh = useRefresh(roomId, (message) => {
    known?.take([message]);
    render({});
  });
  useStream<RoomEvent>(
    `chat ${roomId}`,
    isMember ? `${roomId} ${room.membership?.joined_at}` : null,
    (following) => {
      stream.current = session.value.client.room(roomId, { ...following, after: known?.sequence });
      return stream.current;
    },
    (event) => {
      if (known !== undefined) apply(event, known, refresh);
      if (event.type === 'member.removed' && isAboutUser(event.data)) loaded.reload();
      return 'live';
    },
  );
  useReading(room, known);
  const fetched = async (query: Readonly<Record<string, string | number>>): Promise<readonly Message[]> => {
    const { data } = await session.value.client.get('/chat/rooms/{room_id}/messages', {
      params: { path: { room_id: roomId }, query: { limit: PAGE, ...query } },
    });
    known?.take(data);
    render({});
    return data;
  };
  return {
    view: loaded.value && viewOf(loaded.value),
    failure: loaded.failure,
    reload: loaded.reload,
    async loadEarlier() {
      if (known?.first === undefined) return;
      const data = await fetched({ before: known.first.message_id });
      known.first = data.length === PAGE ? data.at(-1) : undefined;
      render({});
    },
    async loadThread(messageId) {
      refresh(messageId);
      await fetched({ parent_id: messageId });
    },
    take(message) {
      known?.take([message]);
      render({});
    },
    refresh,
    setTyping: useTyping((isTyping) => stream.current?.setTyping(isTyping)),
  };
}

function isAboutUser(data: RoomEvent['data']): boolean {
  return 'member' in data && data.member === session.value.user?.username;
}

function inOrder(known: Known): Message[] {
  return [...known.messages.values()].sort((a, b) => a.sequence - b.sequence);
}

function viewOf({ room, known }: Loaded): RoomView {
  const { user } = session.value;
  return {
    room,
    messages: inOrder(known),
    since: known.first?.sequence ?? 0,
    hasEarlier: known.first !== undefined,
    typing: [...known.typing].filter((name) => name !== user?.username),
    memberChanges: known.memberChanges,
  };
}

/** What an event changes; counts of reactions and replies are asked for, since they may include it already. */
function apply(event: RoomEvent, known: Known, refresh: (messageId: string) => void): void {
  if (event.sequence !== undefined) known.sequence = Math.max(known.sequence, event.sequence);
  const { type, data } = event;
  if (type === 'typing.start' || type === 'typing.stop') {
    const { member } = data as { member: string };
    if (type === 'typing.start') known.typing.add(member);
    else known.typing.delete(member);
  } else if (type.startsWith('member.')) {
    known.memberChanges++;
  } else if ('text' in data) {
    const message = data as Message;
    // Events do not say which reactions are one's own.
    const before = known.messages.get(message.message_id);
    known.take([before === undefined ? message : { ...message, reactions: before.reactions }]);
    if (message.parent_id !== null) refresh(message.parent_id);
  } else if (type.startsWith('reaction.')) {
    const { message_id: id } = data as { message_id: string };
    if (known.messages.has(id)) refresh(id);
  }
}

/** Asks once for a message that several events are about. */
function useRefresh(roomId: string, onMessage: (message: Message) => void): (messageId: string) => void {
  const asked = useRef(new Map<string, ReturnType<typeof setTimeout>>());
  const tell = useRef(onMessage);
  tell.current = onMessage;
  useEffect(() => () => asked.current.forEach((timer) => clearTimeout(timer)), [roomId]);
  return (messageId) => {
    if (asked.current.has(messageId)) return;
    const ask = async (): Promise<void> => {
      asked.current.delete(messageId);
      try {
        const path = { room_id: roomId, message_id: messageId };
        const found = await session.value.client.get('/chat/rooms/{room_id}/messages/{message_id}', {
          params: { path },
        });
        tell.current(found);
      } catch (error) {
        wordsOf(error);
      }
    };
    asked.current.set(
      messageId,
      setTimeout(() => void ask(), 150),
    );
  };
}

/** Says that what is shown has been read. */
function useReading(room: Room | undefined, known: Known | undefined): void {
  const told = useRef(0);
  const sequence = known?.sequence ?? 0;
  useEffect(() => {
    if (room?.membership == null || sequence === 0) return;
    const tell = (): void => {
      if (document.hidden || told.current >= sequence) return;
      told.current = sequence;
      session.value.client
        .put('/chat/rooms/{room_id}/read', {
          params: { path: { room_id: room.room_id } },
          body: { sequence },
        })
        .catch(wordsOf);
    };
    const timer = setTimeout(tell, READ_AFTER_MS);
    document.addEventListener('visibilitychange', tell);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', tell);
    };
  }, [room, sequence]);
}

function useTyping(tell: (isTyping: boolean) => void): (isTyping: boolean) => void {
  const lastTold = useRef(0);
  return (isTyping) => {
    const now = Date.now();
    if (isTyping && now - lastTold.current < TYPING_AGAIN_MS) return;
    if (!isTyping && lastTold.current === 0) return;
    lastTold.current = isTyping ? now : 0;
    tell(isTyping);
  };
}
