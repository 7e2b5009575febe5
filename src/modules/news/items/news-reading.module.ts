import { TradepostModule } from '../../../kit/module/tradepost-module.js';
import { NewsModule } from '../news.module.js';
import { NewsController } from './news.controller.js';

/** The routes of readers, which stand after those of webhooks: /news/webhooks is no item's address. */
@TradepostModule({ name: 'news-reading', imports: [NewsModule], controllers: [NewsController] })
export class NewsReadingModule {}
