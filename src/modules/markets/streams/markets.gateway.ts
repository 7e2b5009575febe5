import { Injectable } from '@nestjs/common';
import {
  ConnectedSocket,
  MessageBody,
  type OnGatewayConnection,
  type OnGatewayInit,
  SubscribeMessage,
} from '@nestjs/websockets';
import type { DefaultEventsMap, Namespace, Socket } from 'socket.io';
import { UNPROCESSABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { DescribesChannels } from '../../../kit/realtime/asyncapi/event-catalogue.js';
import { SocketConnections } from '../../../kit/realtime/socket-connections.js';
import { SocketGateway } from '../../../kit/realtime/socket-gateway.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { DEPTH_DEFAULT } from '../market-data/orderbook.dto.js';
import { MARKETS_SOCKET } from './market-channels.js';
import { MarketFeed } from './market-feed.js';
import { SubscribeDto, SubscriptionDto } from './market-stream.dto.js';
import type { MarketClientEvents, MarketServerEvents } from './market-stream.events.js';
import { type MarketSubscription, subscriptionKeyOf } from './market-subscription.js';
import { topicOf } from './market-topic.js';

type MarketsNamespace = Namespace<MarketClientEvents, MarketServerEvents, DefaultEventsMap, unknown>;
type MarketsSocket = Socket<MarketClientEvents, MarketServerEvents, DefaultEventsMap, unknown>;

/** Of one socket. */
const SUBSCRIPTIONS_MAX = 200;

/**
 * The namespace `/markets`: anyone may follow books, trades and tickers. Each subscription begins with a
 * snapshot; a client that reads too slowly is sent nothing until it has caught up, and then new snapshots.
 */
@SocketGateway('/markets', 'anyone')
@DescribesChannels(MARKETS_SOCKET)
@Public()
@Injectable()
export class MarketsGateway implements OnGatewayInit<MarketsNamespace>, OnGatewayConnection<MarketsSocket> {
  constructor(
    private readonly feed: MarketFeed,
    private readonly connections: SocketConnections,
  ) {}

  afterInit(namespace: MarketsNamespace): void {
    this.feed.broadcast.serve(namespace);
  }

  handleConnection(socket: MarketsSocket): void {
    this.connections.open(socket);
  }

  /** Answers what is followed of the market now. Throws `market_not_found`, and `unprocessable` for too much. */
  @SubscribeMessage('subscribe')
  async subscribe(
    @ConnectedSocket() socket: MarketsSocket,
    @MessageBody() { market_id: marketId, channels, depth }: SubscribeDto,
  ): Promise<SubscriptionDto> {
    const connection = this.connections.of<MarketSubscription>(socket);
    if (connection === undefined) return { market_id: marketId, channels: [] };
    const { subscriptions } = connection;
    for (const channel of channels) {
      const before = subscriptions.get(subscriptionKeyOf({ channel, marketId }))?.topic;
      const topic = topicOf(marketId, channel, depth ?? before?.depth ?? DEPTH_DEFAULT);
      if (before?.depth === topic.depth) continue;
      if (before === undefined && subscriptions.size >= SUBSCRIPTIONS_MAX) {
        throw new ApiError(
          UNPROCESSABLE,
          `A socket follows at most ${SUBSCRIPTIONS_MAX} channels; open another.`,
        );
      }
      const subscription = this.feed.subscribe(topic);
      subscription.connect(connection);
      try {
        await subscription.ready;
      } catch (error) {
        subscription.end();
        throw error;
      }
      await subscription.show();
    }
    return described(subscriptions, marketId);
  }

  /** Answers what is still followed of the market. */
  @SubscribeMessage('unsubscribe')
  unsubscribe(
    @ConnectedSocket() socket: MarketsSocket,
    @MessageBody() { market_id: marketId, channels }: SubscriptionDto,
  ): SubscriptionDto {
    const connection = this.connections.of<MarketSubscription>(socket);
    if (connection === undefined) return { market_id: marketId, channels: [] };
    const { subscriptions } = connection;
    for (const channel of channels) subscriptions.get(subscriptionKeyOf({ channel, marketId }))?.end();
    return described(subscriptions, marketId);
  }
}

function described(
  subscriptions: ReadonlyMap<string, MarketSubscription>,
  marketId: string,
): SubscriptionDto {
  const topics = [...subscriptions.values()].map(({ topic }) => topic);
  return {
    market_id: marketId,
    channels: topics.filter((topic) => topic.marketId === marketId).map(({ channel }) => channel),
  };
}
