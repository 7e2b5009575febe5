import { randomBytes } from 'node:crypto';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/core.js';
import { TestRedis, isRedisMissing } from '../../../test/support/redis.js';
import { NO_NAMESPACE, RedisLink, RedisUnavailable } from './redis-link.js';

const KEY = randomBytes(32);

describe.skipIf(isRedisMissing('the link to Redis'))('RedisLink', () => {
  let redis: TestRedis;
  const links: RedisLink[] = [];

  async function open(prefix = 'tradepost:a:', key = KEY): Promise<RedisLink> {
    const link = await RedisLink.open({ url: redis.url, prefix, key, namespace: NO_NAMESPACE });
    links.push(link);
    return link;
  }

  beforeEach(async () => {
    redis = await TestRedis.start();
  });

  afterEach(async () => {
    await Promise.all(links.splice(0).map((link) => link.close()));
    await redis.stop();
  });

  it('carries messages in their order, to all who have subscribed', async () => {
    const [sender, ann, bob] = [await open(), await open(), await open()];
    const heard: string[][] = [[], []];
    await ann.subscribe('news', (payload) => heard[0]!.push(payload.toString()));
    const stop = await bob.subscribe('news', (payload) => heard[1]!.push(payload.toString()));
    expect(await sender.publish('news', 'one')).toBe(2);
    expect(await sender.publish('news', 'two é')).toBe(2);
    await eventually(() => heard.every(({ length }) => length === 2), 'both heard both');
    expect(heard).toEqual([
      ['one', 'two é'],
      ['one', 'two é'],
    ]);
    await stop();
    expect(await sender.publish('news', 'three')).toBe(1);
  });

  it('stops each of several listeners to one channel by itself', async () => {
    const link = await open();
    let calls = 0;
    const listener = (): void => {
      calls++;
    };
    const stops = [await link.subscribe('news', listener), await link.subscribe('news', listener)];
    await link.publish('news', '');
    await eventually(() => calls === 2, 'both were called');
    await stops[0]!();
    await stops[0]!();
    await link.publish('news', '');
    await eventually(() => calls === 3, 'the other was called');
    await stops[1]!();
    expect(await link.publish('news', '')).toBe(0);
  });

  it('keeps two exchanges on one server apart', async () => {
    const [a, b] = [await open('tradepost:a:'), await open('tradepost:b:')];
    const heard: string[] = [];
    await b.subscribe('news', (payload) => heard.push(payload.toString()));
    expect(await a.publish('news', 'of a')).toBe(0);
    expect(await b.publish('news', 'of b')).toBe(1);
    await eventually(() => heard.length > 0, 'b heard something');
    expect(heard).toEqual(['of b']);
  });

  it('is alone until it is moved to where others are, although prefix and key are the same', async () => {
    const begin = (): Promise<RedisLink> =>
      RedisLink.open({ url: redis.url, prefix: 'tradepost:a:', key: KEY });
    const [one, other] = [await begin(), await begin()];
    links.push(one, other);
    const heard: string[] = [];
    let ups = 0;
    other.onUp(() => ups++);
    await other.subscribe('news', (payload) => heard.push(payload.toString()));
    await other.subscribe('shared', (payload) => heard.push(payload.toString()), NO_NAMESPACE);
    const names = new Set([one, other].map((link) => link.nameOf('news')));
    expect(names.size).toBe(2);
    expect(await one.publish('news', 'of the one')).toBe(0);
    expect(await one.publish('shared', 'to all', NO_NAMESPACE)).toBe(1);

    await Promise.all([one, other].map((link) => link.moveTo('first')));
    expect(ups).toBe(1);
    expect(await one.publish('news', 'together')).toBe(1);
    // What arrives after a move from there is dropped.
    await eventually(() => heard.length === 2, 'both were heard before the move');
    await other.moveTo('second');
    expect(ups).toBe(2);
    expect(await one.publish('news', 'missed')).toBe(0);
    expect(await one.publish('news', 'aimed', 'second')).toBe(1);
    expect(await one.publish('shared', 'still to all', NO_NAMESPACE)).toBe(1);
    await eventually(() => heard.length === 4, 'all of it was heard');
    expect(heard).toEqual(['to all', 'together', 'aimed', 'still to all']);
    for (const name of names) expect(await one.client.publish(name, '')).toBe(0);
  });

  it('moves while the server is away, and is there when it is back', async () => {
    const [sender, receiver] = [await open(), await open()];
    const heard: string[] = [];
    const stop = await receiver.subscribe('news', (payload) => heard.push(payload.toString()));
    await redis.kill();
    await eventually(() => !sender.isUp && !receiver.isUp, 'both notice');
    await Promise.all([sender, receiver].map((link) => link.moveTo('next')));
    await redis.revive();
    await eventually(() => sender.isUp && receiver.isUp, 'both are back');
    expect(await sender.publish('news', 'again')).toBe(1);
    await eventually(() => heard.length === 1, 'it is heard');
    await stop();
    expect(await sender.publish('news', '')).toBe(0);
  });

  it('drops what nobody of the exchange has written, and what was written on another channel', async () => {
    const [link, stranger] = [await open(), await open(undefined, randomBytes(32))];
    const heard: string[] = [];
    await link.subscribe('news', (payload) => heard.push(payload.toString()));
    const sealed: Buffer[] = [];
    await stranger.client.subscribe(link.nameOf('other'), (message) => sealed.push(message), true);
    await link.publish('other', 'moved');
    await eventually(() => sealed.length === 1, 'the stranger has read a message');
    expect(await stranger.publish('news', 'forged')).toBe(1);
    expect(await link.client.publish(link.nameOf('news'), 'bare')).toBe(1);
    expect(await link.client.publish(link.nameOf('news'), sealed[0]!)).toBe(1);
    await link.publish('news', 'true');
    await eventually(() => heard.length > 0, 'something was heard');
    expect(heard).toEqual(['true']);
  });

  it('refuses to publish while the server is away, and subscribes again when it is back', async () => {
    const [sender, receiver] = [await open(), await open()];
    const heard: string[] = [];
    const events: string[] = [];
    sender.onDown(() => events.push('down'));
    sender.onUp(() => events.push('up'));
    await receiver.subscribe('news', (payload) => heard.push(payload.toString()));
    await redis.kill();
    await eventually(() => !sender.isUp && !receiver.isUp, 'both notice');
    await expect(sender.publish('news', 'lost')).rejects.toThrow(RedisUnavailable);

    const stopsLater = await receiver.subscribe('later', (payload) => heard.push(payload.toString()));
    const stopsSooner = await receiver.subscribe('sooner', () => heard.push('never'));
    await stopsSooner();

    await redis.revive();
    await eventually(() => sender.isUp && receiver.isUp, 'both are back');
    expect(events).toEqual(['down', 'up']);
    expect(await sender.publish('news', 'again')).toBe(1);
    expect(await sender.publish('later', 'too')).toBe(1);
    expect(await sender.publish('sooner', '')).toBe(0);
    await eventually(() => heard.length === 2, 'the receiver hears again');
    expect(heard).toEqual(['again', 'too']);

    await redis.kill();
    await eventually(() => !receiver.isUp, 'the receiver notices');
    await stopsLater();
    await redis.revive();
    await eventually(() => sender.isUp && receiver.isUp, 'both are back');
    expect(await sender.publish('later', '')).toBe(0);
  });

  it('refuses what a frozen server leaves unanswered, and all that follows at once', async () => {
    const link = await open();
    const heard: string[] = [];
    await link.subscribe('news', (payload) => heard.push(payload.toString()));
    redis.pause();
    await expect(link.publish('news', 'perhaps')).rejects.toThrow();
    expect(link.isUp).toBe(false);
    await expect(link.publish('news', 'lost')).rejects.toThrow(RedisUnavailable);
    redis.resume();
    await eventually(() => link.isUp, 'it is back');
    expect(await link.publish('news', 'again')).toBe(1);
    await eventually(() => heard.includes('again'), 'it hears again');
    expect(heard).not.toContain('lost');
  });

  it('opens without a server and finds it later, and closes without one', async () => {
    await redis.kill();
    const link = await open();
    expect(link.isUp).toBe(false);
    await redis.revive();
    await eventually(() => link.isUp, 'it is found');
    redis.pause();
    await link.close();
    await expect(link.publish('news', '')).rejects.toThrow(RedisUnavailable);
    await redis.kill();
    await (await open()).close();
  });

  it('goes on when a listener throws', async () => {
    const link = await open();
    let calls = 0;
    await link.subscribe('news', () => {
      calls++;
      throw new Error('of the listener');
    });
    await link.publish('news', '');
    await link.publish('news', '');
    await eventually(() => calls === 2, 'both messages were heard');
    expect(link.isUp).toBe(true);
  });

  it('has a client that a rate limiter can use', async () => {
    const link = await open();
    const limiter = new RateLimiterRedis({
      storeClient: link.client,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      keyPrefix: link.nameOf('limits'),
      points: 2,
      duration: 60,
    });
    expect((await limiter.consume('ann')).remainingPoints).toBe(1);
    expect((await limiter.consume('ann')).remainingPoints).toBe(0);
    await expect(limiter.consume('ann')).rejects.toMatchObject({ remainingPoints: 0 });
    expect(await link.client.keys('*')).toEqual(['tradepost:a:limits:ann']);
    redis.pause();
    await expect(limiter.consume('ann')).rejects.toThrow();
    await expect(limiter.consume('ann')).rejects.toThrow('not ready');
  });
});
