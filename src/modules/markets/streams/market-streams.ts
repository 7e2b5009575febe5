import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import type { Response } from 'express';
import {
  type EncodedEvent,
  encodeEvent,
  encodeEventJson,
  type EventStream,
} from '../../../platform/realtime/event-stream.js';
import { EventStreams } from '../../../platform/realtime/event-streams.js';
import { type MarketTopic, roomOf } from './market-channel.js';
import { MarketFeed, type MarketOutlet, type MarketWatch } from './market-feed.js';
import type { MarketEvent } from './market-stream.events.js';

/** One client's stream of one market. */
interface Follower {
  readonly stream: EventStream;
  readonly topics: readonly MarketTopic[];
}

/** Market streams by server-sent events. */
@Injectable()
export class MarketStreams implements MarketOutlet, OnModuleInit {
  private readonly logger = new Logger(MarketStreams.name);
  /** By topic, those who have had its snapshot; none of a client that is behind. */
  private readonly live = new Map<string, Set<Follower>>();

  constructor(
    private readonly feed: MarketFeed,
    private readonly eventStreams: EventStreams,
  ) {}

  onModuleInit(): void {
    this.feed.addOutlet(this);
  }

  /**
   * Answers with events until the client hangs up or the service stops. Before that it throws `market_not_found`,
   * and what `EventStreams` refuses.
   */
  async open(topics: readonly MarketTopic[], response: Response): Promise<void> {
    const watches: MarketWatch[] = [];
    const endAll = (): void => watches.forEach((watch) => watch.end());
    try {
      for (const topic of topics) watches.push(this.feed.watch(topic));
      for (const { ready } of watches) await ready;
      const stream = this.eventStreams.open(response, undefined);
      const follower: Follower = { stream, topics };
      stream.onClose(() => {
        this.leave(follower);
        endAll();
      });
      await this.showAll(follower);
    } catch (error) {
      endAll();
      throw error;
    }
  }

  publish(topic: MarketTopic, event: MarketEvent): void {
    const followers = this.live.get(roomOf(topic));
    if (followers === undefined) return;
    const encoded = encodeEvent(event.type, event.sequence, event);
    for (const follower of followers) this.send(follower, encoded);
  }

  restart(topic: MarketTopic): void {
    for (const follower of this.live.get(roomOf(topic)) ?? []) void this.show(follower, topic);
  }

  /** To who does not keep up nothing is sent until what waits is read, and then snapshots: a queue would only grow. */
  private send(follower: Follower, encoded: EncodedEvent): void {
    const { stream } = follower;
    stream.send(encoded);
    if (!stream.isBehind) return;
    this.leave(follower);
    stream.onCaughtUp(() => void this.showAll(follower));
  }

  private async showAll(follower: Follower): Promise<void> {
    for (const topic of follower.topics) await this.show(follower, topic);
  }

  /** The snapshot, and from then on every event. */
  private async show(follower: Follower, topic: MarketTopic): Promise<void> {
    const { stream } = follower;
    try {
      await this.feed.snapshot(topic, ({ type, sequence, json }) => {
        if (stream.isClosed) return;
        stream.send(encodeEventJson(type, sequence, json));
        this.join(follower, roomOf(topic));
      });
    } catch (error) {
      // Without a snapshot there is nothing to go on with; the client comes back by itself.
      this.logger.warn({ err: error, msg: `no snapshot of ${topic.marketId}` });
      stream.end();
    }
  }

  private join(follower: Follower, room: string): void {
    const followers = this.live.get(room) ?? new Set();
    this.live.set(room, followers.add(follower));
  }

  private leave(follower: Follower): void {
    for (const room of follower.topics.map(roomOf)) {
      const followers = this.live.get(room);
      if (followers?.delete(follower) && followers.size === 0) this.live.delete(room);
    }
  }
}
