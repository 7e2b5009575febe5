/** A piece of news as it is read, with its symbols. */
export interface NewsItemRow {
  /** A bigint, as text. */
  readonly news_id: string;
  readonly headline: string;
  readonly summary: string;
  readonly content: string;
  readonly author: string | null;
  readonly url: string | null;
  readonly source: string;
  readonly category: string | null;
  readonly symbols: string[];
  readonly language: string | null;
  readonly published_at: Date;
  readonly updated_at: Date;
}

/** Which items everyone sees. */
export const SHOWN = 'item.removed_at IS NULL';

/** The columns of a `NewsItemRow`, of `news_items item`. */
export const NEWS_ITEM_COLUMNS = `
  item.news_id, item.headline, item.summary, item.content, item.author, item.url, item.source,
  item.category, item.language, item.published_at, item.updated_at,
  ARRAY(SELECT link.symbol FROM news_item_symbols link WHERE link.news_id = item.news_id
    ORDER BY link.symbol) AS symbols`;
