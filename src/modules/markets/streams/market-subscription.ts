import { Logger } from '@nestjs/common';
import type { Broadcast } from '../../../kit/realtime/broadcast.js';
import type { Connection, Subscription } from '../../../kit/realtime/connection.js';
import type { EncodedEvent } from '../../../kit/realtime/encoded-event.js';
import { type MarketTopic, topicNameOf } from './market-topic.js';

/** What the feed has of a topic for its subscriptions. */
export interface MarketSource {
  /** Resolves once the snapshot can be made at once. */
  readonly ready: Promise<void>;
  readonly broadcast: Broadcast;
  snapshot(receive: (snapshot: EncodedEvent) => void): Promise<void>;
  /** The subscription has ended. */
  forget(): void;
}

/**
 * One client's subscription to one topic: a snapshot, and from then on every event. A client that does not keep up
 * is sent nothing until it has caught up, and then a new snapshot: a queue would only grow.
 */
export class MarketSubscription implements Subscription {
  private static readonly logger = new Logger(MarketSubscription.name);
  readonly key: string;
  private connection: Connection<MarketSubscription> | undefined;
  private isLive = false;
  private isPaused = false;
  private isEnded = false;

  constructor(
    readonly topic: MarketTopic,
    private readonly source: MarketSource,
  ) {
    this.key = subscriptionKeyOf(topic);
  }

  /** Resolves once the snapshot can be made at once. */
  get ready(): Promise<void> {
    return this.source.ready;
  }

  /** To be called once, before anything is sent. */
  connect(connection: Connection<MarketSubscription>): void {
    this.connection = connection;
    connection.carry(this);
  }

  /** Sends the snapshot, and from then on every event. */
  async show(): Promise<void> {
    const { connection, topic } = this;
    if (connection === undefined || this.isEnded) return;
    try {
      await this.source.snapshot((snapshot) => {
        if (this.isEnded || this.isPaused) return;
        if (connection.isBehind) this.wait(connection);
        else this.begin(connection, snapshot);
      });
    } catch (error) {
      // Without a snapshot the subscription cannot start.
      MarketSubscription.logger.warn({ err: error, msg: `no snapshot of ${topicNameOf(topic)}` });
      connection.endSubscription(null);
    }
  }

  pause(): void {
    if (this.isLive && this.connection !== undefined) this.wait(this.connection);
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    if (this.connection !== undefined) {
      this.source.broadcast.leave(topicNameOf(this.topic), this.connection);
      this.connection.release(this);
    }
    this.source.forget();
  }

  private begin(connection: Connection<MarketSubscription>, snapshot: EncodedEvent): void {
    connection.send(snapshot);
    // A snapshot that was sent anew may have been more than may wait.
    if (this.isPaused) return;
    this.source.broadcast.join(topicNameOf(this.topic), connection);
    this.isLive = true;
  }

  private wait(connection: Connection<MarketSubscription>): void {
    this.source.broadcast.leave(topicNameOf(this.topic), connection);
    this.isLive = false;
    this.isPaused = true;
    connection.whenCaughtUp(() => {
      this.isPaused = false;
      void this.show();
    });
  }
}

/** A connection has one subscription to a channel of a market: to its book, to one depth. */
export function subscriptionKeyOf({ channel, marketId }: Pick<MarketTopic, 'channel' | 'marketId'>): string {
  return `${channel}:${marketId}`;
}
