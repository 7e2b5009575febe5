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
import type { MarketChannel } from './market-channel.js';
import { MARKETS_SOCKET } from './market-channels.js';
import { MarketFeed, type MarketOutlet } from './market-feed.js';
import { SubscriptionDto } from './market-stream.dto.js';
import type { MarketClientEvents, MarketEvent, MarketServerEvents } from './market-stream.events.js';

type MarketsNamespace = Namespace<MarketClientEvents, MarketServerEvents, DefaultEventsMap, unknown>;
type MarketsSocket = Socket<MarketClientEvents, MarketServerEvents, DefaultEventsMap, unknown>;

const SUBSCRIPTIONS_MAX = 200;

/** A channel of a market, and the room of those who follow it. */
interface Subscription {
  readonly marketId: string;
  readonly channel: MarketChannel;
  readonly room: string;
}

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
  private readonly subscriptions = new Map<MarketsSocket, Map<string, Subscription>>();
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
    this.subscriptions.set(socket, new Map());
    this.backlogs.watch(socket);
    socket.once('disconnect', () => {
      for (const { marketId, channel } of this.subscriptionsOf(socket).values()) {
        this.feed.unwatch(marketId, channel);
      }
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
    @MessageBody() { market_id: marketId, channels }: SubscriptionDto,
  ): Promise<SubscriptionDto> {
    for (const channel of channels) {
      const subscription = { marketId, channel, room: roomOf(marketId, channel) };
      const own = this.subscriptionsOf(socket);
      if (own.has(subscription.room)) continue;
      if (own.size >= SUBSCRIPTIONS_MAX) {
        throw new ApiError(
          'unprocessable',
          `A socket follows at most ${SUBSCRIPTIONS_MAX} channels; open another.`,
        );
      }
      own.set(subscription.room, subscription);
      try {
        await this.feed.watch(marketId, channel);
      } catch (error) {
        own.delete(subscription.room);
        throw error;
      }
      if (!this.subscriptions.has(socket)) {
        // It went away meanwhile, with what it followed before.
        this.feed.unwatch(marketId, channel);
        break;
      }
      await this.show(socket, subscription);
    }
    return this.described(socket, marketId);
  }

  /** Answers what is still followed of the market. */
  @SubscribeMessage('unsubscribe')
  unsubscribe(
    @ConnectedSocket() socket: MarketsSocket,
    @MessageBody() { market_id: marketId, channels }: SubscriptionDto,
  ): SubscriptionDto {
    const own = this.subscriptionsOf(socket);
    for (const channel of channels) {
      const room = roomOf(marketId, channel);
      if (!own.delete(room)) continue;
      void socket.leave(room);
      this.feed.unwatch(marketId, channel);
    }
    return this.described(socket, marketId);
  }

  publish(channel: MarketChannel, event: MarketEvent): void {
    this.namespace?.to(roomOf(event.market_id, channel)).emit(event.type, event as never);
  }

  restart(marketId: string, channel: MarketChannel): void {
    const room = roomOf(marketId, channel);
    for (const [socket, own] of this.subscriptions) {
      const subscription = own.get(room);
      if (subscription !== undefined && !this.backlogs.isBehind(socket)) void this.show(socket, subscription);
    }
  }

  /** The snapshot, and from then on every event. Joining takes effect at once, before it is awaited. */
  private async show(socket: MarketsSocket, { marketId, channel, room }: Subscription): Promise<void> {
    try {
      const event = await this.feed.snapshot(marketId, channel);
      socket.emit(event.type, event as never);
      await socket.join(room);
    } catch (error) {
      this.logger.warn({ err: error, msg: `no snapshot of ${room}` });
    }
  }

  private pause(socket: MarketsSocket): void {
    for (const { room } of this.subscriptionsOf(socket).values()) void socket.leave(room);
  }

  private resume(socket: MarketsSocket): void {
    for (const subscription of this.subscriptionsOf(socket).values()) void this.show(socket, subscription);
  }

  private described(socket: MarketsSocket, marketId: string): SubscriptionDto {
    const own = [...this.subscriptionsOf(socket).values()];
    return {
      market_id: marketId,
      channels: own.filter((each) => each.marketId === marketId).map(({ channel }) => channel),
    };
  }

  private subscriptionsOf(socket: MarketsSocket): Map<string, Subscription> {
    return this.subscriptions.get(socket) ?? new Map<string, Subscription>();
  }
}

function roomOf(marketId: string, channel: MarketChannel): string {
  return `${channel}:${marketId}`;
}
