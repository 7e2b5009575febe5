import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { createClient } from 'redis';
import { openMessage, sealMessage } from './sealed-message.js';

/** The token of the one `RedisLink` of the process; null is injected where `REDIS_URL` is unset. */
export const REDIS_LINK = Symbol('REDIS_LINK');

export type RedisClient = ReturnType<typeof createClient>;
export type RedisListener = (payload: Buffer) => void;

/** For names that are outside of every namespace. A copy of the exchange has the same ones. */
export const NO_NAMESPACE = '';

interface Subscription {
  readonly channel: string;
  /** Null for the one that the link is in. */
  readonly namespace: string | null;
  readonly listener: RedisListener;
}

/** Nothing was sent. After any other error of `publish`, the message may have been sent. */
export class RedisUnavailable extends Error {
  constructor() {
    super('Redis cannot be reached.');
    this.name = 'RedisUnavailable';
  }
}

const CONNECT_MS_MAX = 1_000;
const RETRY_MS_MAX = 1_000;
const RETRY_MS_MIN = 50;
/** A server that is frozen is noticed after both together: within a second. */
const PING_EVERY_MS = 300;
const SILENCE_MS_MAX = 700;
const COMMANDS_WAITING_MAX = 10_000;
const GOODBYE_MS_MAX = 500;
const WARN_OF_FORGERIES_EVERY_MS = 60_000;

export interface RedisLinkOptions {
  /** May contain a password: never log it. */
  readonly url: string;
  /** The prefix of all names, so that several exchanges can share a server. */
  readonly prefix: string;
  /** Seals the messages. Only the processes of the exchange have it. */
  readonly key: Buffer;
  /** Where the link begins; without it, in one that no other process is in. */
  readonly namespace?: string;
}

/**
 * The only connection of the process to Redis, for messages and counters that may be lost: wake-ups, forwarded
 * commands, limits.
 *
 * An unreachable Redis delays nobody. There is no offline queue: commands fail at once while it is down, and within a
 * second if it is frozen. The link reconnects forever, renews all subscriptions, and then reports that it is up.
 * Messages published meanwhile are lost: a subscriber that needs them listens to `onUp`.
 *
 * Messages are sealed: those that no process of this exchange has written are dropped. Counters are not sealed: anyone
 * who can write to the server can change them.
 *
 * Prefix and key are in every copy of the database, too. So names belong to a namespace, which only the processes that
 * follow one leader are in: `moveTo`. Counters that a change of leaders must not reset have names of the installation,
 * which a copy does not belong to either: `settle`.
 */
export class RedisLink {
  private readonly logger = new Logger('Redis');
  private readonly subscriptions = new Set<Subscription>();
  /** The same by full channel name. */
  private channels: ReadonlyMap<string, readonly Subscription[]> = new Map();
  /** Until `settle`, one that no other process is in. */
  private installation: string;
  /** The last move to another namespace. */
  private moving: Promise<void> = Promise.resolve();
  private readonly upListeners = new Set<() => void>();
  private readonly downListeners = new Set<() => void>();
  private state: 'beginning' | 'up' | 'away' | 'closed' = 'beginning';
  /** The number of the connection, so that leftovers of an earlier one are recognised. */
  private connection = 0;
  private pulse: NodeJS.Timeout | undefined;
  private warnedAtMs = -Infinity;

  private constructor(
    /**
     * The client of node-redis, for libraries that need one. Its commands fail while Redis is away; put `nameOf` around
     * every key.
     */
    readonly client: RedisClient,
    private readonly prefix: string,
    private readonly key: Buffer,
    private namespace: string,
  ) {
    this.installation = namespace;
    client.on('error', (error: Error) => {
      if (!client.isReady) this.goDown(error.message);
    });
    client.on('ready', () => void this.resume());
  }

  /** Returns when the link is up, or when the first attempt has failed; the link then keeps reconnecting. */
  static async open({ url, prefix, key, namespace = randomUUID() }: RedisLinkOptions): Promise<RedisLink> {
    const { createClient } = await import('redis');
    const client = createClient({
      url,
      name: 'tradepost',
      disableOfflineQueue: true,
      commandsQueueMaxLength: COMMANDS_WAITING_MAX,
      maintNotifications: 'disabled',
      // The library's limit covers only the wait to be written, and costs a timer per command.
      commandOptions: { timeout: 0 },
      socket: {
        connectTimeout: CONNECT_MS_MAX,
        // For a server that accepts connections and never greets; later the pings are sooner.
        socketTimeout: CONNECT_MS_MAX,
        reconnectStrategy: (retries) => Math.min(RETRY_MS_MIN * 2 ** retries, RETRY_MS_MAX),
      },
    });
    const link = new RedisLink(client as RedisClient, prefix, key, namespace);
    const isDecided = new Promise<void>((resolve) => {
      link.onUp(resolve);
      link.onDown(resolve);
    });
    link.connect();
    await Promise.race([isDecided, delay(CONNECT_MS_MAX, undefined, { ref: false })]);
    return link;
  }

  get isUp(): boolean {
    return this.state === 'up';
  }

  /** The name of a key or channel on the server, at present. */
  nameOf(name: string, namespace = this.namespace): string {
    return `${this.prefix}${namespace === NO_NAMESPACE ? '' : `${namespace}:`}${name}`;
  }

  /** The name of a key that outlives leaders. It changes before `onUp` is notified. */
  lastingNameOf(name: string): string {
    return this.nameOf(name, this.installation);
  }

  /** Joins the installation that the database belongs to; then `onUp` is notified. */
  settle(installation: string): void {
    if (installation === this.installation) return;
    this.installation = installation;
    if (this.isUp) this.notify(this.upListeners);
  }

  /**
   * Changes the namespace of all names that are not given one. Subscriptions move along; then `onUp` is notified, since
   * messages were missed meanwhile.
   */
  moveTo(namespace: string): Promise<void> {
    if (namespace !== this.namespace) {
      this.namespace = namespace;
      this.route();
      this.moving = this.moving.then(() => this.arrive());
    }
    return this.moving;
  }

  /**
   * Answers how many connections received the message.
   * @throws RedisUnavailable at once while Redis is away: nothing was sent
   * @throws Error where the connection was lost meanwhile: perhaps it was
   */
  async publish(channel: string, payload: string, namespace?: string): Promise<number> {
    if (!this.isUp || !this.client.isReady) throw new RedisUnavailable();
    const name = this.nameOf(channel, namespace);
    return this.client.publish(name, sealMessage(this.key, name, payload));
  }

  /**
   * Resolves when messages are received, with a function that unsubscribes. Resolves at once while Redis is away: the
   * subscription is then active before `onUp` is notified. The listener gets the messages of one sender in order.
   */
  async subscribe(
    channel: string,
    listener: RedisListener,
    namespace: string | null = null,
  ): Promise<() => Promise<void>> {
    const subscription: Subscription = { channel, namespace, listener };
    this.subscriptions.add(subscription);
    this.route();
    const stop = async (): Promise<void> => {
      if (!this.subscriptions.delete(subscription)) return;
      this.route();
      const name = this.channelOf(subscription);
      if (!this.channels.has(name))
        await this.attempt(() => this.client.unsubscribe(name, this.dispatch, true));
    };
    try {
      await this.attempt(() => this.client.subscribe(this.channelOf(subscription), this.dispatch, true));
    } catch (error) {
      await stop().catch(() => undefined);
      throw error;
    }
    return stop;
  }

  /** Calls the listener each time Redis becomes reachable; returns a function that removes the listener. */
  onUp(listener: () => void): () => void {
    return listening(this.upListeners, listener);
  }

  /** Calls the listener each time the connection to Redis is lost; returns a function that removes the listener. */
  onDown(listener: () => void): () => void {
    return listening(this.downListeners, listener);
  }

  /** Flushes pending commands, in bounded time, and ends the connection. */
  async close(): Promise<void> {
    if (this.state === 'closed') return;
    this.state = 'closed';
    clearTimeout(this.pulse);
    const closed = this.client.close().catch(() => undefined);
    await Promise.race([closed, delay(GOODBYE_MS_MAX, undefined, { ref: false })]);
    this.client.destroy();
  }

  private connect(): void {
    // Rejects only once the link is closed: until then every failure is an `error` event and another attempt.
    this.client.connect().catch(() => undefined);
  }

  /** Ignores failures of a lost connection: `resume` makes up for them. */
  private async attempt(work: () => Promise<void>): Promise<void> {
    const { connection } = this;
    if (this.isLost(connection)) return;
    try {
      await work();
    } catch (error) {
      if (!this.isLost(connection)) throw error;
    }
  }

  /** The client has reconnected: the link is up once the server knows exactly our channels. */
  private async resume(): Promise<void> {
    const connection = ++this.connection;
    if (this.state === 'closed') {
      this.client.destroy();
      return;
    }
    try {
      await this.follow();
    } catch (error) {
      if (this.isLost(connection)) return;
      this.goDown((error as Error).message);
      await delay(RETRY_MS_MAX, undefined, { ref: false });
      if (!this.isLost(connection)) await this.resume();
      return;
    }
    if (this.isLost(connection)) return;
    this.logger.log({ msg: this.state === 'away' ? 'Redis is back' : 'Redis is connected' });
    this.state = 'up';
    this.beat(connection);
    this.notify(this.upListeners);
  }

  /** Subscribes in the namespace that the link is in now. */
  private async arrive(): Promise<void> {
    try {
      await this.attempt(() => this.follow());
    } catch (error) {
      this.cut((error as Error).message);
      return;
    }
    if (this.isUp) this.notify(this.upListeners);
  }

  private channelOf({ channel, namespace }: Subscription): string {
    return this.nameOf(channel, namespace ?? undefined);
  }

  private route(): void {
    const channels = new Map<string, Subscription[]>();
    for (const subscription of this.subscriptions) {
      const name = this.channelOf(subscription);
      channels.set(name, [...(channels.get(name) ?? []), subscription]);
    }
    this.channels = channels;
  }

  private isLost(connection: number): boolean {
    return connection !== this.connection || !this.client.isReady || this.state === 'closed';
  }

  private async follow(): Promise<void> {
    const known = [...this.client.getPubSubListeners('CHANNELS').keys()];
    const dropped = known.filter((name) => !this.channels.has(name));
    await Promise.all([
      ...[...this.channels.keys()].map((name) => this.client.subscribe(name, this.dispatch, true)),
      ...dropped.map((name) => this.client.unsubscribe(name, this.dispatch, true)),
    ]);
  }

  /** Reports once, until the link is up again, that Redis is away. */
  private goDown(reason: string): void {
    clearTimeout(this.pulse);
    if (this.state === 'away' || this.state === 'closed') return;
    this.state = 'away';
    this.logger.warn({ reason, msg: 'Redis cannot be reached; going on without it and trying again' });
    this.notify(this.downListeners);
  }

  /** Pings the server regularly, since a frozen one closes no connection. */
  private beat(connection: number): void {
    const isOver = (): boolean => this.isLost(connection) || !this.isUp;
    this.pulse = setTimeout(() => {
      if (isOver()) return;
      let isAnswered = false;
      this.pulse = setTimeout(() => {
        // If this process itself stood still, the answer may already have arrived: it is read before this callback
        // runs.
        setImmediate(() => {
          if (!isAnswered && !isOver()) this.cut(`It has not answered for ${SILENCE_MS_MAX} ms.`);
        });
      }, SILENCE_MS_MAX);
      const onAnswer = (): void => {
        isAnswered = true;
        if (isOver()) return;
        clearTimeout(this.pulse);
        this.beat(connection);
      };
      this.client.ping().then(onAnswer, () => undefined);
    }, PING_EVERY_MS);
  }

  /** Fails all pending commands, and reconnects. */
  private cut(reason: string): void {
    this.goDown(reason);
    this.client.destroy();
    this.connect();
  }

  private readonly dispatch = (message: Buffer, channel: Buffer): void => {
    const name = channel.toString();
    const payload = openMessage(this.key, name, message);
    if (payload === undefined) {
      this.warnOfForgery(name);
      return;
    }
    for (const { listener } of this.channels.get(name) ?? []) this.guard(() => listener(payload));
  };

  private warnOfForgery(channel: string): void {
    const nowMs = performance.now();
    if (nowMs - this.warnedAtMs < WARN_OF_FORGERIES_EVERY_MS) return;
    this.warnedAtMs = nowMs;
    this.logger.warn({
      channel,
      msg:
        'A message in Redis was dropped: no process of this exchange has written it, or the clocks of two machines ' +
        'differ by minutes. See who else can reach the Redis server.',
    });
  }

  private notify(listeners: ReadonlySet<() => void>): void {
    for (const listener of listeners) this.guard(listener);
  }

  private guard(listener: () => void): void {
    try {
      listener();
    } catch (error) {
      this.logger.error({ err: error, msg: 'a listener to Redis failed' });
    }
  }
}

function listening(listeners: Set<() => void>, listener: () => void): () => void {
  const own = (): void => listener();
  listeners.add(own);
  return () => void listeners.delete(own);
}
