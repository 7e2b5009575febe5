import { setTimeout as delay } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import type { createClient } from 'redis';
import { openMessage, sealMessage } from './sealed-message.js';

/** The token of the one `RedisLink` of the process; null is injected where `REDIS_URL` is unset. */
export const REDIS_LINK = Symbol('REDIS_LINK');

export type RedisClient = ReturnType<typeof createClient>;
export type RedisListener = (payload: Buffer) => void;

/** Nothing was sent. After any other error of `publish` it is not known whether the message was. */
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
  /** What all names begin with, so that several exchanges can share a server. */
  readonly prefix: string;
  /** Seals the messages: all processes of the exchange have it, and nobody else. */
  readonly key: Buffer;
}

/**
 * The one connection of the process to Redis, for what may be lost: wake-ups, forwarded commands, limits.
 *
 * A Redis that is away delays nobody. There is no offline queue: what is sent meanwhile is refused at once, and what
 * a frozen server leaves unanswered is refused within a second. The link goes on trying for ever, subscribes again
 * to all that was subscribed to, and then says that it is up. Messages of others are lost meanwhile: who needs them
 * listens to `onUp`.
 *
 * Messages are sealed: those that no process of this exchange has written are dropped. Counters are not: who can write
 * to the server can raise and lower them.
 */
export class RedisLink {
  private readonly logger = new Logger('Redis');
  /** By full channel name. */
  private readonly channels = new Map<string, Set<RedisListener>>();
  private readonly upListeners = new Set<() => void>();
  private readonly downListeners = new Set<() => void>();
  private state: 'beginning' | 'up' | 'away' | 'closed' = 'beginning';
  /** Which connection this is, so that what an earlier one left behind is recognised. */
  private connection = 0;
  private pulse: NodeJS.Timeout | undefined;
  private warnedAtMs = -Infinity;

  private constructor(
    /**
     * The client of node-redis, for libraries that want one. It is refused by itself while Redis is away; put
     * `nameOf` around every key.
     */
    readonly client: RedisClient,
    private readonly prefix: string,
    private readonly key: Buffer,
  ) {
    client.on('error', (error: Error) => {
      if (!client.isReady) this.goDown(error.message);
    });
    client.on('ready', () => void this.resume());
  }

  /** Returns when the link is up, or when the first attempt has failed; it then goes on trying. */
  static async open({ url, prefix, key }: RedisLinkOptions): Promise<RedisLink> {
    const { createClient } = await import('redis');
    const client = createClient({
      url,
      name: 'tradepost',
      disableOfflineQueue: true,
      commandsQueueMaxLength: COMMANDS_WAITING_MAX,
      maintNotifications: 'disabled',
      // The limit of the library covers only the wait to be written, at the price of a timer a command.
      commandOptions: { timeout: 0 },
      socket: {
        connectTimeout: CONNECT_MS_MAX,
        // For a server that accepts connections and never greets; later the pings are sooner.
        socketTimeout: CONNECT_MS_MAX,
        reconnectStrategy: (retries) => Math.min(RETRY_MS_MIN * 2 ** retries, RETRY_MS_MAX),
      },
    });
    const link = new RedisLink(client as RedisClient, prefix, key);
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

  /** The name of a key or channel on the server. */
  nameOf(name: string): string {
    return `${this.prefix}${name}`;
  }

  /**
   * Answers how many connections received the message.
   * @throws RedisUnavailable at once while Redis is away: nothing was sent
   * @throws Error where the connection was lost meanwhile: perhaps it was
   */
  async publish(channel: string, payload: string): Promise<number> {
    if (!this.isUp || !this.client.isReady) throw new RedisUnavailable();
    const name = this.nameOf(channel);
    return this.client.publish(name, sealMessage(this.key, name, payload));
  }

  /**
   * Resolves when messages are received, with the way to stop that; at once while Redis is away: they are then
   * received before `onUp` is told. The listener is called in the order of the messages of a sender.
   */
  async subscribe(channel: string, listener: RedisListener): Promise<() => Promise<void>> {
    const name = this.nameOf(channel);
    // The same function may be given twice, and each of the two can be stopped.
    const own: RedisListener = (payload) => listener(payload);
    const listeners = this.channels.get(name) ?? new Set();
    this.channels.set(name, listeners.add(own));
    const stop = async (): Promise<void> => {
      if (!listeners.delete(own) || listeners.size > 0) return;
      this.channels.delete(name);
      await this.attempt(() => this.client.unsubscribe(name, this.dispatch, true));
    };
    try {
      await this.attempt(() => this.client.subscribe(name, this.dispatch, true));
    } catch (error) {
      await stop().catch(() => undefined);
      throw error;
    }
    return stop;
  }

  /** Calls the listener each time that Redis can be reached again; returns the way to stop that. */
  onUp(listener: () => void): () => void {
    return listening(this.upListeners, listener);
  }

  /** Calls the listener each time that Redis is lost; returns the way to stop that. */
  onDown(listener: () => void): () => void {
    return listening(this.downListeners, listener);
  }

  /** Sends what waits, in bounded time, and ends the connection. */
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

  /** Does nothing where the connection is lost: `resume` makes up for it. */
  private async attempt(work: () => Promise<void>): Promise<void> {
    const { connection } = this;
    if (this.isLost(connection)) return;
    try {
      await work();
    } catch (error) {
      if (!this.isLost(connection)) throw error;
    }
  }

  /** The client has a connection: the link is up as soon as the server knows all channels, and no others. */
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
    this.tell(this.upListeners);
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

  /** Says once, until the link has been up again, that Redis is away. */
  private goDown(reason: string): void {
    clearTimeout(this.pulse);
    if (this.state === 'away' || this.state === 'closed') return;
    this.state = 'away';
    this.logger.warn({ reason, msg: 'Redis cannot be reached; going on without it and trying again' });
    this.tell(this.downListeners);
  }

  /** Asks the server again and again whether it lives, since a frozen one closes no connection. */
  private beat(connection: number): void {
    const isOver = (): boolean => this.isLost(connection) || !this.isUp;
    this.pulse = setTimeout(() => {
      if (isOver()) return;
      let isAnswered = false;
      this.pulse = setTimeout(() => {
        // An answer may be there already, where it is this process that stood still: it is read before this is called.
        setImmediate(() => {
          if (!isAnswered && !isOver()) this.cut();
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

  /** Refuses all that waits for an answer, and begins anew. */
  private cut(): void {
    this.goDown(`It has not answered for ${SILENCE_MS_MAX} ms.`);
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
    for (const listener of this.channels.get(name) ?? []) this.guard(() => listener(payload));
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

  private tell(listeners: ReadonlySet<() => void>): void {
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
