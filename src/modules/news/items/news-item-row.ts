import { columnsExcept, type RowOf } from '../../../kit/database/rows.js';
import { NewsItemEntity } from './news-item.entity.js';

const NEWS_ITEM = columnsExcept(
  NewsItemEntity,
  'feedId',
  'plainText',
  'search',
  'contentHash',
  'isEdited',
  'createdAt',
  'removedAt',
);

/** A piece of news as it is read, with its symbols. */
export type NewsItemRow = RowOf<typeof NEWS_ITEM> & { readonly symbols: string[] };

/** Which items everyone sees. */
export const SHOWN = 'item.removed_at IS NULL';

/** The columns of a `NewsItemRow`, of `news_items item`. */
export const NEWS_ITEM_COLUMNS = `
  ${NEWS_ITEM.of('item')},
  ARRAY(SELECT link.symbol FROM news_item_symbols link WHERE link.news_id = item.news_id
    ORDER BY link.symbol) AS symbols`;
