import { Controller, Get, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { REFUSALS } from '../../accounts/commands/refusals.js';
import { ApiErrors } from '../../../kit/http/api-errors.js';
import { PathParam } from '../../../kit/http/path-param.js';
import { DescribesChannels } from '../../../kit/realtime/asyncapi/event-catalogue.js';
import { ApiEventStreamResponse } from '../../../kit/realtime/event-stream-routes.js';
import { EventStreams } from '../../../kit/realtime/event-streams.js';
import { Public } from '../../../kit/security/credential-policy.js';
import { MARKET_STREAM } from './market-channels.js';
import { MarketFeed } from './market-feed.js';
import { MarketStreamQueryDto } from './market-stream.dto.js';
import type { MarketSubscription } from './market-subscription.js';
import { topicOf } from './market-topic.js';

/** What happens in a market, as it happens. */
@ApiTags('Markets')
@Public()
@DescribesChannels(MARKET_STREAM)
@Controller('markets')
export class MarketsStreamController {
  constructor(
    private readonly feed: MarketFeed,
    private readonly eventStreams: EventStreams,
  ) {}

  /**
   * Follow a market by server-sent events
   * @remarks Of each channel a snapshot, then every event: `l2.snapshot`, `l2.update`, `trades.snapshot`,
   * `trades.new`, `ticker`. Of the book its best levels, `depth` of each side. `id` is the sequence of the
   * book. Who comes back, or reads too slowly, gets new snapshots. The same events come through the
   * socket.io namespace `/markets`.
   */
  @Get(':market_id/stream')
  @ApiEventStreamResponse()
  @ApiErrors(REFUSALS.market_not_found)
  async stream(
    @PathParam('market_id', { example: 'BTC-USD' }) marketId: string,
    @Query() { channels, depth }: MarketStreamQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    const subscriptions: MarketSubscription[] = [];
    try {
      for (const channel of channels)
        subscriptions.push(this.feed.subscribe(topicOf(marketId, channel, depth)));
      // Whatever refuses the request does so before its first byte.
      await Promise.all(subscriptions.map(({ ready }) => ready));
      const stream = this.eventStreams.open<MarketSubscription>(response, undefined);
      for (const subscription of subscriptions) subscription.connect(stream);
    } catch (error) {
      for (const subscription of subscriptions) subscription.end();
      throw error;
    }
    for (const subscription of subscriptions) await subscription.show();
  }
}
