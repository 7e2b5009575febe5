import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  type OnGatewayInit,
  SubscribeMessage,
} from '@nestjs/websockets';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import { ApiError } from '../../../platform/http/errors.js';
import { DescribesChannels } from '../../../platform/realtime/asyncapi/event-catalogue.js';
import { SocketBacklogs } from '../../../platform/realtime/socket-backlogs.js';
import { SocketGateway } from '../../../platform/realtime/socket-gateway.js';
import { Public } from '../../../platform/security/credentials.js';
import { DEPTH_DEFAULT } from '../market-data/orderbook.dto.js';
import { type MarketTopic, roomOf, topicOf } from './market-channel.js';
import { MARKETS_SOCKET } from './market-channels.js';
import type { EncodedMarketEvent } from './market-encoding.js';
import { MarketFeed, type MarketOutlet, type MarketWatch } from './market-feed.js';
import { SubscribeDto, SubscriptionDto } from './market-stream.dto.js';
import type { MarketClientEvents, MarketEvent, MarketServerEvents } from './market-stream.events.js';

type MarketsNamespace = Namespace<MarketClientEvents, MarketServerEvents, DefaultEventsMap, unknown>;
type MarketsSocket = Socket<MarketClientEvents, MarketServerEvents, DefaultEventsMap, unknown>;

const SUBSCRIPTIONS_MAX = 200;
/** What a packet with an event begins with, in the protocol of socket.io. */
const EVENT_PACKET = 2;

/** What a socket follows of a channel of a market. */
interface Subscription {
  readonly topic: MarketTopic;
  readonly watch: MarketWatch;
}

/** By channel and market: a socket follows a book to one depth. */
type Subscriptions = Map<string, Subscription>;

/**
 * The namespace `/markets`: anyone may follow books, trades and tickers. Each subscription begins with a
 * snapshot; a client that reads too slowly is sent nothing until it has caught up, and then new snapshots.
 */
@SocketGateway('/markets')
@DescribesChannels(MARKETS_SOCKET)
@Public()
@Injectable()
export class MarketsGateway
  implements
    MarketOutlet,
    OnGatewayInit<MarketsNamespace>,
    OnGatewayConnection<MarketsSocket>,
    OnModuleDestroy
{
  private readonly logger = new Logger(MarketsGateway.name);
  private namespace: MarketsNamespace | undefined;
  private readonly subscriptions = new Map<MarketsSocket, Subscriptions>();
  private readonly backlogs = new SocketBacklogs({
    onBehind: (socket) => this.pause(socket),
    onCaughtUp: (socket) => this.resume(socket),
  });

  constructor(private readonly feed: MarketFeed) {}

  afterInit(namespace: MarketsNamespace): void {
    this.namespace = namespace;
    this.feed.addOutlet(this);
  }

  handleConnection(socket: MarketsSocket): void {
    const own: Subscriptions = new Map();
    this.subscriptions.set(socket, own);
    this.backlogs.watch(socket);
    socket.once('disconnect', () => {
      for (const slot of [...own.keys()]) this.drop(socket, own, slot);
      this.subscriptions.delete(socket);
    });
  }

  onModuleDestroy(): void {
    this.backlogs.stop();
  }

  /** Answers what is followed of the market now. Throws `market_not_found`, and `unprocessable` for too much. */
  @SubscribeMessage('subscribe')
  async subscribe(
    @ConnectedSocket() socket: MarketsSocket,
    @MessageBody() { market_id: marketId, channels, depth }: SubscribeDto,
  ): Promise<SubscriptionDto> {
    const own = this.subscriptionsOf(socket);
    for (const channel of channels) {
      const slot = slotOf(marketId, channel);
      const before = own.get(slot)?.topic;
      const topic = topicOf(marketId, channel, depth ?? before?.depth ?? DEPTH_DEFAULT);
      if (before?.depth === topic.depth) continue;
      if (before === undefined && own.size >= SUBSCRIPTIONS_MAX) {
        throw new ApiError(
          'unprocessable',
          `A socket follows at most ${SUBSCRIPTIONS_MAX} channels; open another.`,
        );
      }
      const subscription = { topic, watch: this.feed.watch(topic) };
      this.drop(socket, own, slot);
      own.set(slot, subscription);
      try {
        await subscription.watch.ready;
      } catch (error) {
        if (own.get(slot) === subscription) this.drop(socket, own, slot);
        throw error;
      }
      await this.show(socket, subscription);
    }
    return described(own, marketId);
  }

  /** Answers what is still followed of the market. */
  @SubscribeMessage('unsubscribe')
  unsubscribe(
    @ConnectedSocket() socket: MarketsSocket,
    @MessageBody() { market_id: marketId, channels }: SubscriptionDto,
  ): SubscriptionDto {
    const own = this.subscriptionsOf(socket);
    for (const channel of channels) this.drop(socket, own, slotOf(marketId, channel));
    return described(own, marketId);
  }

  publish(topic: MarketTopic, event: MarketEvent): void {
    this.namespace?.to(roomOf(topic)).emit(event.type, event as never);
  }

  restart(topic: MarketTopic): void {
    const slot = slotOf(topic.marketId, topic.channel);
    for (const [socket, own] of this.subscriptions) {
      const subscription = own.get(slot);
      if (subscription !== undefined) void this.show(socket, subscription);
    }
  }

  /**
   * The snapshot, and from then on every event. Joining takes effect at once, before it is awaited. Who reads too
   * slowly, or follows it no longer by then, is told nothing.
   */
  private async show(socket: MarketsSocket, subscription: Subscription): Promise<void> {
    const { topic } = subscription;
    const slot = slotOf(topic.marketId, topic.channel);
    try {
      await this.feed.snapshot(topic, (snapshot) => {
        const isCurrent = this.subscriptionsOf(socket).get(slot) === subscription;
        if (!isCurrent || this.backlogs.isBehind(socket)) return;
        sendEncoded(socket, snapshot);
        void socket.join(roomOf(topic));
      });
    } catch (error) {
      this.logger.warn({ err: error, msg: `no snapshot of ${roomOf(topic)}` });
    }
  }

  private drop(socket: MarketsSocket, own: Subscriptions, slot: string): void {
    const subscription = own.get(slot);
    if (subscription === undefined) return;
    own.delete(slot);
    void socket.leave(roomOf(subscription.topic));
    subscription.watch.end();
  }

  private pause(socket: MarketsSocket): void {
    for (const { topic } of this.subscriptionsOf(socket).values()) void socket.leave(roomOf(topic));
  }

  private resume(socket: MarketsSocket): void {
    for (const subscription of this.subscriptionsOf(socket).values()) void this.show(socket, subscription);
  }

  private subscriptionsOf(socket: MarketsSocket): Subscriptions {
    return this.subscriptions.get(socket) ?? new Map<string, Subscription>();
  }
}

function described(own: Subscriptions, marketId: string): SubscriptionDto {
  const topics = [...own.values()].map(({ topic }) => topic);
  return {
    market_id: marketId,
    channels: topics.filter((topic) => topic.marketId === marketId).map(({ channel }) => channel),
  };
}

function slotOf(marketId: string, channel: MarketTopic['channel']): string {
  return `${channel}:${marketId}`;
}

/** As `socket.emit` would, but for the encoding: that was done once for all who get the same snapshot. */
function sendEncoded(socket: MarketsSocket, { type, json }: EncodedMarketEvent): void {
  socket.conn.write(`${EVENT_PACKET}${socket.nsp.name},["${type}",${json}]`, { compress: false });
}
