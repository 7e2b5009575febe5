import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PeerCounts, type SharedCounts } from './peer-counts.js';
import { Peers } from './peers.js';
import type { RedisLink } from '../redis/redis-link.js';

/** Carries messages between processes, as Redis does: in order, and only to processes connected at that moment. */
class Hub {
  readonly links: FakeLink[] = [];
  loses: () => boolean = () => false;

  async publish(channel: string, payload: string): Promise<number> {
    if (this.loses()) return 0;
    const reached = this.links.filter(({ isUp }) => isUp);
    for (const link of reached) link.listeners.get(channel)?.(Buffer.from(payload));
    return Promise.resolve(reached.length);
  }
}

class FakeLink {
  isUp = true;
  readonly listeners = new Map<string, (payload: Buffer) => void>();
  readonly upListeners: (() => void)[] = [];

  constructor(private readonly hub: Hub) {
    hub.links.push(this);
  }

  publish(channel: string, payload: string): Promise<number> {
    return this.isUp ? this.hub.publish(channel, payload) : Promise.reject(new Error('away'));
  }

  subscribe(channel: string, listener: (payload: Buffer) => void): Promise<void> {
    this.listeners.set(channel, listener);
    return Promise.resolve();
  }

  onUp(listener: () => void): void {
    this.upListeners.push(listener);
  }

  comeUp(): void {
    this.isUp = true;
    for (const listener of this.upListeners) listener();
  }
}

/** One process, and what it knows of the others. */
class Process {
  readonly link: FakeLink;
  readonly counts: PeerCounts;
  readonly shared: SharedCounts;
  readonly own = new Map<string, number>();
  readonly others = new Map<string, number>();
  changes = 0;

  constructor(hub: Hub) {
    this.link = new FakeLink(hub);
    this.counts = new PeerCounts(new Peers(this.link as unknown as RedisLink));
    this.shared = this.counts.share('things', (key, delta) => {
      this.changes++;
      addTo(this.others, key, delta);
    });
  }

  static async start(hub: Hub): Promise<Process> {
    const process = new Process(hub);
    await process.counts.onModuleInit();
    return process;
  }

  add(key: string, delta: number): void {
    addTo(this.own, key, delta);
    this.shared.add(key, delta);
  }

  stop(): void {
    this.counts.onModuleDestroy();
    this.die();
  }

  /** Without a farewell message. */
  die(): void {
    this.link.isUp = false;
    this.link.listeners.clear();
    this.counts.onModuleDestroy();
  }
}

function addTo(counts: Map<string, number>, key: string, delta: number): void {
  const count = (counts.get(key) ?? 0) + delta;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function sumOf(processes: readonly Process[]): Map<string, number> {
  const sum = new Map<string, number>();
  for (const { own } of processes) for (const [key, count] of own) addTo(sum, key, count);
  return sum;
}

const sorted = (counts: ReadonlyMap<string, number>): unknown => [...counts].sort();

describe('PeerCounts', () => {
  let hub: Hub;
  const running: Process[] = [];

  beforeEach(() => {
    vi.useFakeTimers();
    hub = new Hub();
  });
  afterEach(() => {
    for (const process of running.splice(0)) process.stop();
    vi.useRealTimers();
  });

  async function start(): Promise<Process> {
    const process = await Process.start(hub);
    running.push(process);
    return process;
  }

  it('tell the others of every change within some milliseconds, and who comes later of everything', async () => {
    const [first, second] = [await start(), await start()];
    first.add('room alice', 1);
    first.add('room alice', 1);
    second.add('room bob', 1);
    await vi.advanceTimersByTimeAsync(50);
    expect(second.others).toEqual(new Map([['room alice', 2]]));
    expect(first.others).toEqual(new Map([['room bob', 1]]));
    const third = await start();
    await vi.advanceTimersByTimeAsync(50);
    expect(sorted(third.others)).toEqual(sorted(sumOf([first, second])));
  });

  it('forget who stops at once, and who dies after some seconds', async () => {
    const [first, second, third] = [await start(), await start(), await start()];
    first.add('a', 1);
    second.add('b', 1);
    await vi.advanceTimersByTimeAsync(50);
    first.stop();
    expect(third.others).toEqual(new Map([['b', 1]]));
    second.die();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(third.others.size).toBe(1);
    await vi.advanceTimersByTimeAsync(4_000);
    expect(third.others.size).toBe(0);
  });

  it('stay as they are while Redis is away, and agree again once it is back', async () => {
    const [first, second] = [await start(), await start()];
    first.add('a', 1);
    second.add('b', 1);
    await vi.advanceTimersByTimeAsync(50);
    for (const { link } of [first, second]) link.isUp = false;
    first.add('a', -1);
    first.add('c', 1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(second.others).toEqual(new Map([['a', 1]]));
    for (const { link } of [first, second]) link.comeUp();
    await vi.advanceTimersByTimeAsync(1_500);
    expect(second.others).toEqual(new Map([['c', 1]]));
    // An unchanged count is not announced again.
    expect(first.changes).toBe(1);
  });

  it('know of more than one message can hold', async () => {
    const [first, second] = [await start(), await start()];
    for (let i = 0; i < 5_000; i++) first.add(`key ${i}`, 1);
    await vi.advanceTimersByTimeAsync(50);
    expect(second.others.size).toBe(5_000);
    const third = await start();
    expect(third.others.size).toBe(5_000);
  });

  it('agree in the end, whatever is lost on the way', async () => {
    const step = fc.record({ who: fc.nat(2), key: fc.nat(4), isLost: fc.boolean(), waitMs: fc.nat(400) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        hub = new Hub();
        const processes = [await start(), await start(), await start()];
        for (const { who, key, isLost, waitMs } of steps) {
          hub.loses = () => isLost;
          const process = processes[who]!;
          process.add(`key ${key}`, (process.own.get(`key ${key}`) ?? 0) > 1 ? -1 : 1);
          await vi.advanceTimersByTimeAsync(waitMs);
        }
        hub.loses = () => false;
        await vi.advanceTimersByTimeAsync(4_000);
        for (const process of processes) {
          const others = processes.filter((each) => each !== process);
          expect(sorted(process.others)).toEqual(sorted(sumOf(others)));
        }
        for (const process of running.splice(0)) process.stop();
      }),
      { numRuns: 50 },
    );
  });
});
