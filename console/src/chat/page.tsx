import type { JSX } from 'preact';
import type { PageProps } from '../router.jsx';
import { words } from '../words/index.js';
import { ChatRoom } from './room.jsx';
import { Rooms } from './rooms.jsx';
import './chat.css';

/** The rooms, and one of them, maybe with a thread. */
export function Chat({ rest: [roomId, threadId] }: PageProps): JSX.Element {
  return (
    <div class="chat" data-open={roomId !== undefined}>
      <Rooms current={roomId} />
      {roomId === undefined ? (
        <p class="empty">{words.chat.choose}</p>
      ) : (
        <ChatRoom key={roomId} roomId={roomId} threadId={threadId} />
      )}
    </div>
  );
}
