import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Response } from 'express';
import { type EncodedEvent, encodeEvent, type EventStream } from '../../../platform/realtime/event-stream.js';
import { EventStreams } from '../../../platform/realtime/event-streams.js';
import type { MarketChannel } from './market-channel.js';
import { MarketFeed, type MarketOutlet } from './market-feed.js';
import type { MarketEvent } from './market-stream.events.js';

/** One client's stream of one market. */
interface Follower {
  readonly stream: EventStream;
  readonly marketId: string;
  readonly channels: readonly MarketChannel[];
  /** Channels whose snapshot has been sent; empty while the client is behind. */
  readonly live: Set<MarketChannel>;
}

/** Market streams by server-sent events. */
@Injectable()
export class MarketStreams implements MarketOutlet, OnModuleInit {
  private readonly logger = new Logger(MarketStreams.name);
  private readonly followers = new Map<string, Set<Follower>>();

  constructor(
    private readonly feed: MarketFeed,
    private readonly eventStreams: EventStreams,
  ) {}

  onModuleInit(): void {
    this.feed.addOutlet(this);
  }

  /** Answers with events until the client hangs up or the service stops. Throws `market_not_found` before that. */
  async open(marketId: string, channels: readonly MarketChannel[], response: Response): Promise<void> {
    const watched: MarketChannel[] = [];
    let stream: EventStream;
    try {
      for (const channel of channels) {
        await this.feed.watch(marketId, channel);
        watched.push(channel);
      }
      stream = this.eventStreams.open(response, undefined);
    } catch (error) {
      this.unwatch(marketId, watched);
      throw error;
    }
    const follower: Follower = { stream, marketId, channels, live: new Set() };
    this.followersOf(marketId).add(follower);
    stream.onClose(() => {
      this.followersOf(marketId).delete(follower);
      if (this.followersOf(marketId).size === 0) this.followers.delete(marketId);
      this.unwatch(marketId, channels);
    });
    await this.showAll(follower);
  }

  publish(channel: MarketChannel, event: MarketEvent): void {
    const followers = this.followers.get(event.market_id);
    if (followers === undefined) return;
    let encoded: EncodedEvent | undefined;
    for (const follower of followers) {
      if (!follower.live.has(channel)) continue;
      follower.stream.send((encoded ??= encode(event)));
      if (follower.stream.isBehind) this.pause(follower);
    }
  }

  restart(marketId: string, channel: MarketChannel): void {
    for (const follower of this.followers.get(marketId) ?? []) {
      if (follower.live.has(channel)) void this.show(follower, channel);
    }
  }

  /** Sends nothing until what waits is read, and then snapshots: a queue would only grow. */
  private pause(follower: Follower): void {
    follower.live.clear();
    follower.stream.onCaughtUp(() => void this.showAll(follower));
  }

  private async showAll(follower: Follower): Promise<void> {
    for (const channel of follower.channels) await this.show(follower, channel);
  }

  /** The snapshot, and from then on every event. */
  private async show({ stream, marketId, live }: Follower, channel: MarketChannel): Promise<void> {
    try {
      const event = await this.feed.snapshot(marketId, channel);
      stream.send(encode(event));
      live.add(channel);
    } catch (error) {
      // Without a snapshot there is nothing to go on with; the client comes back by itself.
      this.logger.warn({ err: error, msg: `no snapshot of ${marketId}` });
      stream.end();
    }
  }

  private unwatch(marketId: string, channels: readonly MarketChannel[]): void {
    for (const channel of channels) this.feed.unwatch(marketId, channel);
  }

  private followersOf(marketId: string): Set<Follower> {
    let followers = this.followers.get(marketId);
    if (followers === undefined) this.followers.set(marketId, (followers = new Set()));
    return followers;
  }
}

function encode(event: MarketEvent): EncodedEvent {
  return encodeEvent(event.type, event.sequence, event);
}
