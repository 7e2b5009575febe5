import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { slugOf } from '../../../kit/content/slug.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor, pageOf, type Page } from '../../../kit/http/pagination.js';
import { periodOf } from '../../../kit/http/period.js';
import { languageOf } from './language.js';
import { toNewsItemDto, type ListNewsQueryDto, type NewsItemDto } from './news-item.dto.js';
import { NEWS_ITEM_COLUMNS, SHOWN, type NewsItemRow } from './news-item-row.js';
import { NEWS_ITEM_IDS } from '../ids.js';

/** The content of one page of items; the last item may go beyond. */
const PAGE_BYTES_MAX = 2_000_000;

interface ListedRow extends NewsItemRow {
  /** Whether the items before it leave room for its content. */
  readonly fits: boolean;
}

/** The news that everyone reads. */
@Injectable()
export class NewsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The newest first; a page ends early where its texts grow too large together. Throws `invalid_cursor`, `validation_failed` (400). */
  async list(query: ListNewsQueryDto): Promise<Page<NewsItemDto>> {
    const rows = await this.read(query);
    const shown = Math.min(query.limit, rows.filter(({ fits }) => fits).length);
    return pageOf(
      rows,
      shown,
      (row) => [row.published_at.getTime(), Number(row.news_id)],
      (row) => toNewsItemDto(row, this.config.publicUrl),
    );
  }

  /** Throws `not_found` (404), also for what was removed. */
  async get(newsId: string): Promise<NewsItemDto> {
    const [row] = await this.dataSource.query<NewsItemRow[]>(
      `SELECT ${NEWS_ITEM_COLUMNS} FROM news_items item WHERE item.news_id = $1 AND ${SHOWN}`,
      [NEWS_ITEM_IDS.parse(newsId)],
    );
    if (!row) throw newsNotFound();
    return toNewsItemDto(row, this.config.publicUrl);
  }

  /** Up to `limit + 1` items, whose order and beginning the index of one of the filters gives. */
  private read({ limit, cursor, ...filters }: ListNewsQueryDto): Promise<ListedRow[]> {
    const before = decodeCursor(cursor, ['integer', 'integer']);
    const { q, category, symbol, source, language } = filters;
    const { fromMs, toMs } = periodOf(filters);
    const parameters: unknown[] = [];
    const bind = (value: unknown): string => `$${parameters.push(value)}`;
    // The links of a symbol have an index in the same order, so a symbol costs no walk over all news.
    const table = symbol === undefined ? 'item' : 'link';
    const conditions = [SHOWN];
    if (symbol !== undefined) conditions.push(`link.symbol = ${bind(symbol)}`);
    if (category !== undefined) conditions.push(`item.category = ${bind(slugOf(category))}`);
    if (source !== undefined) conditions.push(`item.source = ${bind(source)}`);
    if (language !== undefined) conditions.push(`item.language = ${bind(languageOf(language) ?? language)}`);
    if (fromMs !== undefined) {
      conditions.push(`${table}.published_at >= ${bind(new Date(fromMs))}::timestamptz`);
    }
    if (toMs !== undefined) {
      conditions.push(`${table}.published_at < ${bind(new Date(toMs))}::timestamptz`);
    }
    if (q !== undefined) conditions.push(`item.search @@ websearch_to_tsquery('english', ${bind(q)})`);
    if (before !== undefined) {
      const [publishedAtMs, newsId] = before;
      conditions.push(
        `(${table}.published_at, ${table}.news_id) <
          (to_timestamp(${bind(publishedAtMs)}::bigint / 1000.0), ${bind(newsId)}::bigint)`,
      );
    }
    const tables =
      symbol === undefined
        ? 'news_items item'
        : 'news_item_symbols link JOIN news_items item USING (news_id)';
    return this.dataSource.query<ListedRow[]>(
      `WITH listed AS (
         SELECT news_id,
           sum(bytes) OVER (ORDER BY published_at DESC, news_id DESC) - bytes < ${PAGE_BYTES_MAX} AS fits
         FROM (
           SELECT item.news_id, item.published_at, octet_length(item.content) AS bytes
           FROM ${tables} WHERE ${conditions.join(' AND ')}
           ORDER BY ${table}.published_at DESC, ${table}.news_id DESC LIMIT ${bind(limit + 1)}
         ) newest
       )
       SELECT ${NEWS_ITEM_COLUMNS}, listed.fits FROM listed JOIN news_items item USING (news_id)
       ORDER BY item.published_at DESC, item.news_id DESC`,
      parameters,
    );
  }
}

export function newsNotFound(): ApiError {
  return new ApiError(NOT_FOUND, 'There is no such piece of news.');
}
