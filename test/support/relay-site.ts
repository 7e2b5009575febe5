/** Processes that relay commands over one Redis, with databases that name the leader they follow. */
import { randomBytes } from 'node:crypto';
import type { CoreRequest } from '../../src/core/core.types.js';
import { type Leader, newHolder } from '../../src/core/leadership/leadership.js';
import { CommandReceiver, type ReceivingCore } from '../../src/core/replica/command-receiver.js';
import { CommandRelay, type RelayOptions } from '../../src/core/replica/command-relay.js';
import { LeaderWatch } from '../../src/core/replica/leader-watch.js';
import { RedisLink } from '../../src/kit/redis/redis-link.js';
import { Ledger, RecordingCore } from './recording-core.js';
import { TestRedis } from './redis.js';

/** Enough for a test to be sure that it is not about a change of leaders. */
const PERSISTS_MS = 1_500;

export const cancel = (orderId: number, accountId = 1): CoreRequest => ({
  commands: [{ type: 'cancel_order', accountId, orderId }],
  actor: 'client:demo',
});

/** What the processes of one installation share. */
export interface Database {
  readonly ledger: Ledger;
  /** The one that it names. */
  leader: Leader | null;
  installation?: string | null;
}

export interface LeadingProcess {
  readonly core: RecordingCore;
  readonly watch: LeaderWatch;
  stop(): Promise<void>;
}

export class RelaySite {
  readonly production: Database = { ledger: new Ledger(), leader: null };
  /** The same in every copy. */
  private readonly key = randomBytes(32);
  private readonly ends: (() => Promise<void>)[] = [];

  private constructor(readonly redis: TestRedis) {}

  static async open(): Promise<RelaySite> {
    return new RelaySite(await TestRedis.start());
  }

  async close(): Promise<void> {
    this.redis.resume();
    for (const end of this.ends.splice(0).reverse()) await end();
    await this.redis.stop();
  }

  get ledger(): Ledger {
    return this.production.ledger;
  }

  async link(): Promise<RedisLink> {
    const opened = await RedisLink.open({ url: this.redis.url, prefix: 'tradepost:test:', key: this.key });
    this.ends.push(() => opened.close());
    return opened;
  }

  async replica(
    options?: RelayOptions,
    given?: RedisLink,
    database = this.production,
  ): Promise<{ relay: CommandRelay; watch: LeaderWatch }> {
    const own = given ?? (await this.link());
    const relay = new CommandRelay(own, options);
    await relay.start();
    const watch = await this.watch(own, database, () => false);
    watch.onAnnounced((kind) => relay.onAnnounced(kind));
    this.ends.push(() => relay.stop());
    return { relay, watch };
  }

  /** A process that leads in the epoch. */
  async leader(epoch: number, database = this.production): Promise<LeadingProcess> {
    const core = new RecordingCore(database.ledger);
    return { core, ...(await this.lead(core, epoch, database)) };
  }

  async lead(
    core: ReceivingCore,
    epoch: number,
    database = this.production,
  ): Promise<Omit<LeadingProcess, 'core'>> {
    const own = await this.link();
    const receiver = new CommandReceiver(own, core);
    const watch = await this.watch(own, database, () => core.leads);
    database.leader = { holder: newHolder(), epoch };
    await receiver.start(database.leader);
    await watch.lead(database.leader);
    const stop = async (): Promise<void> => {
      await receiver.stop();
      await watch.resign(watch.leadsAs);
    };
    this.ends.push(stop);
    return { watch, stop };
  }

  private async watch(own: RedisLink, database: Database, isLeading: () => boolean): Promise<LeaderWatch> {
    const find = (): Promise<Leader | null> => Promise.resolve(database.leader);
    const installation = (given: string | null): Promise<string | null> =>
      Promise.resolve((database.installation ??= given));
    const watch = new LeaderWatch(own, { find, installation, isLeading, persistsMs: PERSISTS_MS });
    await watch.start();
    this.ends.push(() => watch.stop());
    return watch;
  }
}
