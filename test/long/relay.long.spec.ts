import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CommandReceiver } from '../../src/core/replica/command-receiver.js';
import { CommandRelay } from '../../src/core/replica/command-relay.js';
import type { CoreAnswer, CoreRequest } from '../../src/core/core.types.js';
import { unavailable } from '../../src/core/requests/failures.js';
import { type Leader, newHolder } from '../../src/core/leadership/leadership.js';
import { LeaderWatch } from '../../src/core/replica/leader-watch.js';
import { ServiceFailure } from '../../src/kit/coded-error.js';
import { RedisLink } from '../../src/kit/redis/redis-link.js';
import { seedFromEnvironment } from '../support/domain/property.js';
import { Ledger, RecordingCore } from '../support/recording-core.js';
import { isRedisMissing, TestRedis } from '../support/redis.js';

const SECONDS = Number(process.env.SECONDS ?? 60);
const KEY = randomBytes(32);
const REPLICAS = 3;
const CALLERS_PER_REPLICA = 20;
const QUIET_MS = 12_000;

/** Refuses some commands at random; it may accept a repeat. */
class MoodyCore extends RecordingCore {
  constructor(
    ledger: Ledger,
    private readonly random: () => number,
  ) {
    super(ledger);
  }

  override async submit(request: CoreRequest): Promise<CoreAnswer> {
    await delay(this.random() * 30);
    if (!this.leads) throw unavailable('This process is a standby.');
    const [command] = request.commands;
    const isRefused = this.random() < 0.3;
    return super.submit(
      isRefused ? { ...request, commands: [{ ...command, accountId: 0 } as never] } : request,
    );
  }
}

/** Small and seeded; from mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe.skipIf(isRedisMissing('the relay under fire'))('the relay under fire', () => {
  let redis: TestRedis;
  const links: RedisLink[] = [];
  const relays: CommandRelay[] = [];
  const watches: LeaderWatch[] = [];
  /** Who leads by the database. */
  let named: Leader | null = null;
  const ledger = new Ledger();
  const told = new Map<number, string>();
  let next = 1;
  let isOver = false;

  const open = async (): Promise<RedisLink> => {
    const link = await RedisLink.open({ url: redis.url, prefix: 'tradepost:fire:', key: KEY });
    links.push(link);
    return link;
  };

  async function call(relay: CommandRelay): Promise<void> {
    while (!isOver) {
      const orderId = next++;
      const request: CoreRequest = { commands: [{ type: 'cancel_order', accountId: 1, orderId }] };
      const outcome = await relay.submit(request).then(
        ({ answer }) => (answer.outcomes[0]!.ok ? 'done' : 'refused'),
        (error: unknown) => (error instanceof ServiceFailure ? error.code : String(error)),
      );
      told.set(orderId, outcome);
      if (outcome === 'temporarily_unavailable') await delay(50);
    }
  }

  /** Another process leads: usually the former leader notices at once, sometimes it still answers for a while. */
  async function lead(epoch: number, random: () => number, before: Leading | null): Promise<Leading> {
    const core = new MoodyCore(ledger, random);
    const link = await open();
    const receiver = new CommandReceiver(link, core);
    const watch = await watchOf(link, () => core.leads);
    if (before !== null && random() < 0.3) await before.stop();
    if (before !== null) before.core.leads = false;
    named = { holder: newHolder(), epoch };
    await receiver.start(named);
    await watch.lead(named);
    if (before !== null) setTimeout(() => void before.stop(), random() * 500);
    const stop = async (): Promise<void> => {
      await receiver.stop();
      await watch.resign(watch.leadsAs);
    };
    return { core, stop };
  }

  interface Leading {
    readonly core: MoodyCore;
    stop(): Promise<void>;
  }

  async function watchOf(link: RedisLink, isLeading: () => boolean): Promise<LeaderWatch> {
    const watch = new LeaderWatch(link, {
      find: () => Promise.resolve(named),
      installation: () => Promise.resolve(null),
      isLeading,
    });
    await watch.start();
    watches.push(watch);
    return watch;
  }

  beforeAll(async () => {
    redis = await TestRedis.start();
    for (let replica = 0; replica < REPLICAS; replica++) {
      const link = await open();
      const relay = new CommandRelay(link);
      await relay.start();
      const watch = await watchOf(link, () => false);
      watch.onAnnounced((kind) => relay.onAnnounced(kind));
      relays.push(relay);
    }
  });

  afterAll(async () => {
    redis.resume();
    await Promise.all(relays.map((relay) => relay.stop()));
    await Promise.all(watches.map((watch) => watch.stop()));
    await Promise.all(links.map((link) => link.close()));
    await redis.stop();
  });

  it(
    `runs each command as often as its caller is told, for ${SECONDS} s`,
    { timeout: 3_600_000 },
    async () => {
      const seed = seedFromEnvironment();
      console.log(`SEED=${seed} SECONDS=${SECONDS}`);
      const random = randomFrom(seed);
      let epoch = 1;
      let leader = await lead(epoch, random, null);
      const callers = relays.flatMap((relay) =>
        Array.from({ length: CALLERS_PER_REPLICA }, () => call(relay)),
      );
      const counts = { kills: 0, freezes: 0, leaders: 0 };
      const endMs = performance.now() + SECONDS * 1_000;
      while (performance.now() < endMs) {
        await delay(300 + random() * 1_200);
        const mishap = random();
        if (mishap < 0.25) {
          counts.kills++;
          await redis.kill();
          await delay(random() * 4_000);
          await redis.revive();
        } else if (mishap < 0.45) {
          counts.freezes++;
          redis.pause();
          await delay(random() * 4_000);
          redis.resume();
        } else {
          counts.leaders++;
          leader = await lead(++epoch, random, leader);
        }
      }
      isOver = true;
      await Promise.all(callers);
      // A copy in a Redis buffer may still arrive.
      await delay(QUIET_MS);
      await leader.stop();

      const runs = new Map<number, number>();
      for (const { orderId } of ledger.committed) runs.set(orderId, (runs.get(orderId) ?? 0) + 1);
      const outcomes: Record<string, number> = {};
      for (const outcome of told.values()) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      console.log(JSON.stringify({ ...counts, ...outcomes }));

      const idsOf = (...some: string[]) => [...told].filter(([, outcome]) => some.includes(outcome));
      expect([...runs].filter(([, count]) => count > 1)).toEqual([]);
      expect(idsOf('done').filter(([id]) => !runs.has(id))).toEqual([]);
      expect(idsOf('refused', 'temporarily_unavailable').filter(([id]) => runs.has(id))).toEqual([]);
      const known = ['done', 'refused', 'temporarily_unavailable', 'outcome_unknown'];
      expect([...told.values()].filter((outcome) => !known.includes(outcome))).toEqual([]);
      expect(outcomes.done).toBeGreaterThan(100);
    },
  );
});
