import type { JSX } from 'preact';
import { useLoaded, useLooks } from '../live.js';
import { WhenLoaded } from '../parts/notice.jsx';
import { Link } from '../router.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { NewRoom } from './new-room.jsx';
import { Search } from './search.jsx';
import type { Room } from './use-room.js';

const W = words.chat;

interface RoomsProps {
  readonly current: string | undefined;
}

/** The rooms that one is in and all public ones, with what is unread. */
export function Rooms({ current }: RoomsProps): JSX.Element {
  const rooms = useLoaded('rooms', async (signal) => {
    const { data } = await session.value.client.get('/chat/rooms', {
      params: { query: { limit: 200 } },
      signal,
    });
    return data;
  });
  useLooks(true, rooms);
  return (
    <div class="rooms">
      <WhenLoaded of={rooms}>
        {(data) => (
          <>
            <RoomList
              title={W.rooms}
              rooms={data.filter(({ membership }) => membership !== null)}
              none={W.noRooms}
              current={current}
            />
            <RoomList
              title={W.publicRooms}
              rooms={data.filter(({ membership }) => membership === null)}
              none={W.noPublic}
              current={current}
            />
          </>
        )}
      </WhenLoaded>
      <Search />
      <NewRoom onMade={rooms.reload} />
    </div>
  );
}

interface RoomListProps extends RoomsProps {
  readonly title: string;
  readonly rooms: readonly Room[];
  readonly none: string;
}

function RoomList({ title, rooms, none, current }: RoomListProps): JSX.Element {
  return (
    <section class="panel">
      <h2>{title}</h2>
      {rooms.length === 0 ? (
        <p class="hint">{none}</p>
      ) : (
        <ul>
          {rooms.map(({ room_id: id, name, type, unread_count: unread }) => (
            <li key={id}>
              <Link to={`chat/${id}`} {...(id === current && { 'aria-current': 'true' })}>
                {name}
              </Link>
              <span class="hint">
                {unread > 0 && id !== current ? (
                  <span class="unread">{W.unread({ count: unread >= 100 ? '99+' : unread })}</span>
                ) : (
                  W.kinds[type]
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
