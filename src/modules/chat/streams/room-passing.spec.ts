import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countsWithoutPeers } from '../../../../test/support/peers.js';
import type { PassingEvent } from '../records/chat-event.js';
import type { RoomFeed } from '../log/room-feed.js';
import { NAMES_MAX, RoomPresence } from './room-presence.js';
import { RoomTyping } from './room-typing.js';

const ROOM = 'rom_00000000001';

describe('what passes in a room', () => {
  let told: PassingEvent[];
  const peers = countsWithoutPeers();
  const feed = { pass: (event: PassingEvent) => told.push(event) } as unknown as RoomFeed;

  beforeEach(() => {
    vi.useFakeTimers();
    told = [];
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  describe('RoomPresence', () => {
    const changes = (): unknown[] => told.map(({ data }) => data);

    it('tells changes that come together together', () => {
      const presence = new RoomPresence(feed, peers);
      for (const member of ['alice', 'bob', 'bob', 'carol']) presence.enter(ROOM, member);
      presence.leave(ROOM, 'carol');
      presence.leave(ROOM, 'bob');
      expect(changes()).toEqual([]);
      vi.advanceTimersByTime(1_000);
      expect(changes()).toEqual([{ online: ['alice', 'bob'], offline: [], online_count: 2 }]);
      presence.leave(ROOM, 'bob');
      vi.advanceTimersByTime(1_000);
      expect(changes().at(-1)).toEqual({ online: [], offline: ['bob'], online_count: 1 });
      expect(presence.onlineIn(ROOM)).toEqual({ online: ['alice'], online_count: 1 });
    });

    it('tells nothing of who was away for a moment', () => {
      const presence = new RoomPresence(feed, peers);
      presence.enter(ROOM, 'alice');
      vi.advanceTimersByTime(1_000);
      presence.leave(ROOM, 'alice');
      presence.enter(ROOM, 'alice');
      vi.advanceTimersByTime(1_000);
      expect(told).toHaveLength(1);
    });

    it('names so many and counts all, and tells the rarer the more there are', () => {
      const presence = new RoomPresence(feed, peers);
      for (let count = 0; count < 2_000; count++) {
        presence.enter(ROOM, `member-${count}`);
        vi.advanceTimersByTime(10);
      }
      vi.advanceTimersByTime(10_000);
      // Over twenty seconds: one for each member would have been two thousand, and each goes to all of them.
      expect(told.length).toBeLessThan(40);
      const { data } = told.at(-1) as PassingEvent<'presence.changed'>;
      expect(data.online_count).toBe(2_000);
      expect(data.online.length).toBeLessThanOrEqual(NAMES_MAX);
      expect(presence.onlineIn(ROOM).online).toHaveLength(NAMES_MAX);
    });

    it('forgets a room that everyone has left', () => {
      const presence = new RoomPresence(feed, peers);
      presence.enter(ROOM, 'alice');
      vi.advanceTimersByTime(1_000);
      presence.leave(ROOM, 'alice');
      presence.leave(ROOM, 'alice');
      vi.advanceTimersByTime(1_000);
      expect(changes().at(-1)).toEqual({ online: [], offline: ['alice'], online_count: 0 });
      expect(presence.onlineIn(ROOM)).toEqual({ online: [], online_count: 0 });
      expect(vi.getTimerCount()).toBe(0);
    });
  });

  describe('RoomTyping', () => {
    const types = (): string[] => told.map(({ type }) => type);

    it('tells a beginning and an end, however often it is said', () => {
      const typing = new RoomTyping(feed, peers);
      const connection = {};
      for (let count = 0; count < 5; count++) {
        typing.start(ROOM, 'alice', connection);
        vi.advanceTimersByTime(4_000);
      }
      expect(types()).toEqual(['typing.start']);
      vi.advanceTimersByTime(2_000);
      expect(types()).toEqual(['typing.start', 'typing.stop']);
      typing.stop(ROOM, connection);
      expect(told).toHaveLength(2);
    });

    it('goes on while another connection of the member types', () => {
      const typing = new RoomTyping(feed, peers);
      const [first, second] = [{}, {}];
      typing.start(ROOM, 'alice', first);
      typing.start(ROOM, 'alice', second);
      typing.stopAllOf(first);
      expect(types()).toEqual(['typing.start']);
      typing.stopAllOf(second);
      expect(types()).toEqual(['typing.start', 'typing.stop']);
      expect(vi.getTimerCount()).toBe(0);
    });

    it('tells of so many at once', () => {
      const typing = new RoomTyping(feed, peers);
      for (let count = 0; count < 1_000; count++) typing.start(ROOM, `member-${count}`, {});
      expect(told).toHaveLength(20);
      vi.advanceTimersByTime(10_000);
      expect(told).toHaveLength(40);
    });
  });
});
