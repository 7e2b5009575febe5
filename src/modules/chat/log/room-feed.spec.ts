import { Logger } from '@nestjs/common';
import fc from 'fast-check';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../../test/support/eventually.js';
import { noPeers } from '../../../../test/support/peers.js';
import { TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { Connection } from '../../../kit/realtime/connection.js';
import type { EncodedEvent } from '../../../kit/realtime/encoded-event.js';
import type { RoomLog } from './room-log.js';
import type { ChatEvent, RoomEvent } from '../records/chat-event.js';
import { RoomFeed } from './room-feed.js';
import { RoomOrder } from './room-order.js';
import type { RoomSubscription } from './room-subscription.js';

const ROOM = 'rom_00000000001';

function read(sequence: number, member = 'alice'): RoomEvent {
  const created_at = '2026-11-21T12:00:00.000Z';
  return {
    type: 'message.read',
    room_id: ROOM,
    sequence,
    created_at,
    data: { member, read_sequence: sequence },
  };
}

function removal(sequence: number, member: string): RoomEvent {
  return { ...read(sequence), type: 'member.removed', data: { member } };
}

/** The log of the one room, as a database that answers after a while would show it. */
class FakeLog {
  readonly events: RoomEvent[] = [];
  reads = 0;
  failing = 0;

  append(event: RoomEvent): RoomEvent {
    this.events.push(event);
    return event;
  }

  async read(_room: string, after: number, limit: number): Promise<RoomEvent[]> {
    this.reads++;
    if (this.failing-- > 0) throw new ApiError(TEMPORARILY_UNAVAILABLE, 'The log is away.');
    const page = this.events.slice(after, after + limit);
    await turn();
    return page;
  }

  async heads(rooms: readonly string[]): Promise<ReadonlyMap<string, number>> {
    await turn();
    return new Map(rooms.map((room) => [room, this.events.length]));
  }
}

describe('RoomOrder', () => {
  it('gives every event one turn, in order, however they come', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 5 }),
        fc
          .integer({ min: 1, max: 40 })
          .chain((count) =>
            fc.tuple(
              fc.shuffledSubarray(sequences(1, count), { minLength: count }),
              fc.array(fc.integer({ min: 1, max: count })),
            ),
          ),
        (head, [shuffled, repeated]) => {
          const order = new RoomOrder(head);
          const turns: number[] = [];
          for (const sequence of [...repeated, ...shuffled, ...repeated]) {
            order.add(read(sequence));
            for (let next = order.next(); next !== undefined; next = order.next()) turns.push(next.sequence);
            const last = turns.at(-1) ?? head;
            expect(order.head).toBe(last);
            expect(order.after(head, 100)?.map((event) => event.sequence)).toEqual(turns);
          }
          expect(turns).toEqual(sequences(head + 1, shuffled.length));
          expect(order.hasGap).toBe(false);
        },
      ),
    );
  });

  it('knows that something is missing, and not more by heart than it may', () => {
    const order = new RoomOrder(0);
    order.add(read(2));
    expect(order.next()).toBeUndefined();
    expect(order.hasGap).toBe(true);
    for (let sequence = 1; sequence <= 1_000; sequence++) {
      order.add(read(sequence));
      order.next();
      order.next();
    }
    expect(order.hasGap).toBe(false);
    expect(order.after(0, 10)).toBeUndefined();
    expect(order.after(990, 3)?.map(({ sequence }) => sequence)).toEqual([991, 992, 993]);
    expect(order.after(1_000, 10)).toEqual([]);
  });

  it('keeps a bounded number of events that come too early, and still finds the one that is waited for', () => {
    const order = new RoomOrder(0);
    for (let sequence = 2; sequence < 10_000; sequence++) order.add(read(sequence));
    order.add(read(1));
    let turns = 0;
    while (order.next() !== undefined) turns++;
    expect(turns).toBe(1_025);
    expect(order.hasGap).toBe(true);
  });

  it('forgets what a deleted message said', () => {
    const order = new RoomOrder(0);
    const deletion = { ...read(3), type: 'message.deleted' } as unknown as RoomEvent;
    for (const event of [read(1), read(2), deletion, read(4)]) order.add(event);
    while (order.next() !== undefined);
    expect(order.after(1, 10)).toBeUndefined();
    expect(order.after(2, 10)).toEqual([deletion, read(4)]);
  });
});

describe('RoomFeed', () => {
  const feeds: RoomFeed[] = [];

  /** A feed over a log. */
  class Bench {
    readonly log = new FakeLog();
    readonly feed: RoomFeed;

    constructor() {
      this.feed = new RoomFeed(this.log as unknown as RoomLog, noPeers());
      void this.feed.onModuleInit();
      feeds.push(this.feed);
    }

    get head(): number {
      return this.log.events.length;
    }

    /** Stores an event, and says so. */
    commit(event = read(this.head + 1)): void {
      this.feed.committed([this.log.append(event)]);
    }

    follow(
      position: number,
      { member = 'bob', pace = turn, admittedAt = this.head }: Partial<FollowerOptions> = {},
    ): TestFollower {
      return new TestFollower(this, position, { member, pace, admittedAt });
    }
  }

  interface FollowerOptions {
    readonly member: string;
    /** How long it takes to be sent a page. */
    readonly pace: () => Promise<unknown>;
    readonly admittedAt: number;
  }

  /** A client with a connection of its own. */
  class TestFollower extends Connection {
    readonly told: ChatEvent[] = [];
    readonly subscription: RoomSubscription;
    readonly isBehind = false;
    ended: ApiError | null | undefined;
    private waitingToCatchUp: (() => void)[] = [];

    constructor(
      private readonly bench: Bench,
      readonly position: number,
      private readonly options: FollowerOptions,
    ) {
      super();
      const { member, admittedAt: sequence } = options;
      this.subscription = bench.feed.subscribe(
        { roomId: ROOM, member, isMember: true, sequence, cursor: position },
        this,
        () => undefined,
      );
      bench.feed.start(this.subscription);
    }

    send({ json }: EncodedEvent): void {
      this.told.push(JSON.parse(json) as ChatEvent);
    }

    async drained(): Promise<void> {
      await this.options.pace();
    }

    whenCaughtUp(callback: () => void): void {
      this.waitingToCatchUp.push(callback);
    }

    catchUp(): void {
      for (const callback of this.waitingToCatchUp.splice(0)) callback();
    }

    fail(error: ApiError): string {
      this.ended = error;
      return 'a request';
    }

    endSubscription(reason: ApiError | null): void {
      this.ended = reason;
    }

    get sequences(): number[] {
      return this.told.flatMap((event) => ('sequence' in event ? [event.sequence] : []));
    }

    get missed(): number[] {
      return sequences(this.position + 1, this.bench.head);
    }
  }

  beforeEach(() => {
    vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    for (const feed of feeds.splice(0)) feed.onModuleDestroy();
  });

  it('tells each follower the log from its position, whatever happens meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(999)), async (chances) => {
        const bench = new Bench();
        const chance = (below: number): number => chances.next().value! % below;
        const followers: TestFollower[] = [];
        const unpublished: RoomEvent[] = [];
        for (let step = 0; step < 150; step++) {
          const event = bench.log.append(read(bench.head + 1));
          // Some come late and out of order, and some never.
          if (chance(10) > 0) unpublished.push(event);
          while (unpublished.length > 0 && chance(3) > 0) {
            bench.feed.committed(unpublished.splice(chance(unpublished.length), 1));
          }
          if (chance(8) === 0) {
            const position = bench.head - chance(bench.head + 1);
            const turns = chance(4);
            followers.push(
              bench.follow(position, {
                pace: async () => {
                  for (let waited = 0; waited < turns; waited++) await turn();
                },
              }),
            );
          }
          const other = followers[chance(followers.length + 1)];
          if (chance(4) === 0) other?.subscription.pause();
          if (chance(4) === 0) other?.catchUp();
          if (chance(2) === 0) await turn();
        }
        for (const follower of followers) follower.catchUp();
        bench.commit();
        await settled(() => {
          for (const follower of followers) expect(follower.sequences).toEqual(follower.missed);
        });
        bench.feed.onModuleDestroy();
      }),
      { numRuns: 40 },
    );
  });

  it('begins live where nothing is missing, without a look at the log', async () => {
    const bench = new Bench();
    for (let count = 0; count < 3; count++) bench.commit();
    const follower = bench.follow(3);
    bench.commit();
    await settled(() => expect(follower.sequences).toEqual([4]));
    expect(bench.log.reads).toBe(0);
  });

  it('finds what was committed without its being told', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'setTimeout'] });
    try {
      const bench = new Bench();
      const follower = bench.follow(0);
      bench.log.append(read(1));
      bench.log.append(read(2));
      await vi.advanceTimersByTimeAsync(5_000);
      vi.useRealTimers();
      await settled(() => expect(follower.sequences).toEqual([1, 2]));
    } finally {
      vi.useRealTimers();
    }
  });

  it('tries again to fill a gap while the log is away', async () => {
    const bench = new Bench();
    const follower = bench.follow(0);
    await turn();
    bench.log.append(read(1));
    bench.log.failing = 1;
    bench.commit();
    await settled(() => expect(follower.sequences).toEqual([1, 2]));
    expect(bench.log.reads).toBe(2);
  });

  it('says why it cannot go on with a follower who is behind while the log is away', async () => {
    const bench = new Bench();
    bench.commit();
    bench.log.failing = 1;
    const follower = bench.follow(0);
    await settled(() => expect(follower.ended).toMatchObject({ code: 'temporarily_unavailable' }));
    bench.commit();
    expect(follower.sequences).toEqual([]);
  });

  it('tells who is removed so, and nothing after it', async () => {
    const bench = new Bench();
    const [bob, bobToo, carol] = [bench.follow(0), bench.follow(0), bench.follow(0, { member: 'carol' })];
    await turn();
    bench.commit();
    bench.commit(removal(2, 'bob'));
    bench.commit();
    await turn();
    expect(bob.sequences).toEqual([1, 2]);
    expect(bobToo.sequences).toEqual([1, 2]);
    expect(bob.ended).toBeNull();
    expect(carol.sequences).toEqual([1, 2, 3]);
    expect(carol.ended).toBeUndefined();
  });

  it('stops at once who is removed while still catching up', async () => {
    const bench = new Bench();
    for (let count = 0; count < 300; count++) bench.commit();
    const never = new Promise<void>(() => undefined);
    const slow = bench.follow(0, { pace: () => never });
    await settled(() => expect(slow.sequences).toHaveLength(100));
    bench.commit(removal(301, 'bob'));
    expect(slow.ended).toMatchObject({ code: 'not_found' });
    expect(slow.sequences).toHaveLength(100);
  });

  it('stops at a removal that came just after a member was let in', async () => {
    const bench = new Bench();
    bench.follow(0, { member: 'carol' });
    bench.commit();
    bench.commit(removal(2, 'bob'));
    bench.commit();
    const follower = bench.follow(0, { admittedAt: 1 });
    await settled(() => expect(follower.ended).toBeNull());
    expect(follower.sequences).toEqual([1, 2]);
  });

  it('passes over the removal of who was let in again', async () => {
    const bench = new Bench();
    bench.commit();
    bench.commit(removal(2, 'bob'));
    bench.commit();
    const follower = bench.follow(0);
    bench.commit();
    await settled(() => expect(follower.sequences).toEqual([1, 2, 3, 4]));
    expect(follower.ended).toBeUndefined();
  });

  it('tells nothing more to who has gone while the log was read', async () => {
    const bench = new Bench();
    for (let count = 0; count < 300; count++) bench.commit();
    const [gone, stayed] = [bench.follow(0), bench.follow(0)];
    gone.subscription.end();
    await settled(() => expect(stayed.sequences).toEqual(stayed.missed));
    expect(gone.sequences).toEqual([]);
  });

  it('keeps nothing of a room that nobody follows', async () => {
    const bench = new Bench();
    const follower = bench.follow(0);
    follower.subscription.end();
    follower.subscription.end();
    bench.commit();
    await turn();
    expect(follower.sequences).toEqual([]);
    const later = bench.follow(0);
    await settled(() => expect(later.sequences).toEqual([1]));
  });
});

function sequences(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
}

/** Waits until the expectation holds, for at most ten seconds. */
function settled(check: () => void): Promise<void> {
  return eventually(check);
}
