import { FeedImporter } from './feeds/feed-importer.js';
import { FeedPoller } from './feeds/feed-poller.js';
import { NewsFeedEntity } from './items/news-feed.entity.js';
import { NewsFeedEntryEntity } from './feeds/news-feed-entry.entity.js';
import { NewsFeedsController } from './feeds/news-feeds.controller.js';
import { NewsFeedsService, POLL_FEED } from './feeds/news-feeds.service.js';
import { MarketSymbols } from './items/market-symbols.js';
import { NewsAuthoringController } from './items/news-authoring.controller.js';
import { NewsAuthoringService } from './items/news-authoring.service.js';
import { NEWS_PUBLISHED, NEWS_REMOVED, NEWS_UPDATED } from './items/news-events.js';
import { NewsItemEntity, NewsItemSymbolEntity } from './items/news-item.entity.js';
import { NewsRetention } from './items/news-retention.js';
import { NewsWriter } from './items/news-writer.js';
import { NewsService } from './items/news.service.js';
import { TradepostModule } from '../../kit/module/tradepost-module.js';
import { NEWS_FEED_IDS, NEWS_ITEM_IDS } from './ids.js';
import { NEWS_FEEDS, RETENTION_NEWS_DAYS } from './news-settings.js';
import { NewsDemo } from './news-demo.js';
import { NewsController } from './items/news.controller.js';

/** The News group: items by operators and from feeds. */
@TradepostModule({
  name: 'news',
  demoData: [NewsDemo],
  settings: [NEWS_FEEDS, RETENTION_NEWS_DAYS],
  idPrefixes: [NEWS_ITEM_IDS, NEWS_FEED_IDS],
  webhookEvents: [NEWS_PUBLISHED, NEWS_UPDATED, NEWS_REMOVED],
  jobs: [POLL_FEED.handledBy(NewsFeedsService, (feeds, { feed_id }, run) => feeds.poll(feed_id, run))],
  duties: [NewsRetention],
  entities: [NewsItemEntity, NewsItemSymbolEntity, NewsFeedEntity, NewsFeedEntryEntity],
  // In this order: /news/feeds is no item's address.
  controllers: [NewsFeedsController, NewsAuthoringController, NewsController],
  providers: [
    NewsService,
    NewsAuthoringService,
    NewsWriter,
    MarketSymbols,
    NewsFeedsService,
    FeedPoller,
    FeedImporter,
  ],
})
export class NewsModule {}
