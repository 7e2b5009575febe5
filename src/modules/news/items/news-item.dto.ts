import { ApiProperty, ApiPropertyOptional, OmitType, PartialType } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsOptional,
  IsString,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';
import { withPublicUrl } from '../../../kit/content/own-origin.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { PeriodQueryDto } from '../../../kit/http/period.js';
import { IsLabel } from '../../../kit/http/validation/is-label.js';
import { IsUtcTime } from '../../../kit/http/validation/is-utc-time.js';
import { NullMeansSomething } from '../../../kit/http/validation/null-means-something.js';
import { QueryText } from '../../../kit/http/validation/query.js';
import { LANGUAGE_TAG } from './language.js';
import type { NewsItemRow } from './news-item-row.js';
import { HEADLINE_LENGTH_MAX } from './news-text.js';
import { NEWS_ITEM_IDS } from '../ids.js';

const SEARCH_LENGTH_MAX = 200;
const LABEL_LENGTH_MAX = 100;
const SUMMARY_LENGTH_MAX = 1_000;
const CONTENT_LENGTH_MAX = 100_000;
const URL_LENGTH_MAX = 2_048;
const LANGUAGE_LENGTH_MAX = 35;
const SYMBOL_LENGTH_MAX = 64;
const SYMBOLS_MAX = 20;

/** The query of `GET /news`. An item must fit all that is named; the period is that of its publication. */
export class ListNewsQueryDto extends PeriodQueryDto {
  @QueryText(
    SEARCH_LENGTH_MAX,
    'Only items with all these words in headline or text, in any form; `"…"` keeps words together, `or` takes either, `-` leaves out.',
  )
  q?: string;

  @QueryText(LABEL_LENGTH_MAX, 'Only items of this category, by its name or slug.')
  category?: string;

  @QueryText(SYMBOL_LENGTH_MAX, 'Only items about this market.')
  symbol?: string;

  @QueryText(LABEL_LENGTH_MAX, 'Only items of exactly this source.')
  source?: string;

  @QueryText(LANGUAGE_LENGTH_MAX, 'Only items in this language, such as `en`; a country does not matter.')
  language?: string;
}

/** The body of `POST /admin/news`. */
export class WriteNewsDto {
  /**
   * Plain text.
   * @example "Bitcoin network fees fall to their lowest in a year"
   */
  @IsLabel(HEADLINE_LENGTH_MAX)
  headline: string;

  /**
   * Plain text. Left out: the beginning of the content.
   * @example "Blocks have had room to spare since Monday."
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsLabel(SUMMARY_LENGTH_MAX)
  summary?: string;

  /**
   * HTML. What is not safe to show is left out, such as scripts; relative addresses lead into this service.
   * @example "<p>Blocks have had room to spare since Monday.</p>"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(CONTENT_LENGTH_MAX)
  content?: string;

  /** @example "Ada Lovelace" */
  @ApiPropertyOptional()
  @IsOptional()
  @IsLabel(LABEL_LENGTH_MAX)
  author?: string;

  /**
   * The web address of the whole text.
   * @example "https://example.com/fees-fall"
   */
  @ApiPropertyOptional({ format: 'uri' })
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(URL_LENGTH_MAX)
  url?: string;

  /**
   * Who publishes it. Left out: `Tradepost`.
   * @example "Example Times"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsLabel(LABEL_LENGTH_MAX)
  source?: string;

  /**
   * A name, which is kept as a slug: `Network fees` as `network-fees`.
   * @example "Crypto"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsLabel(LABEL_LENGTH_MAX)
  category?: string;

  /**
   * The ids of the markets that it is about.
   * @example ["BTC-USD"]
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(SYMBOLS_MAX)
  @ArrayUnique()
  @IsLabel(SYMBOL_LENGTH_MAX, { each: true })
  symbols?: string[];

  /**
   * A BCP 47 tag, of which the language is kept.
   * @example "en"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(LANGUAGE_LENGTH_MAX)
  @Matches(LANGUAGE_TAG, { message: 'language must be a BCP 47 tag, such as "en" or "pt-BR"' })
  language?: string;

  /** RFC 3339 UTC; it must not lie ahead. Left out: now. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsUtcTime()
  published_at?: string;
}

/**
 * The body of `PATCH /admin/news/{news_id}`: what is left out stays as it is, and `null` takes away what need
 * not be there.
 */
@NullMeansSomething()
export class ChangeNewsDto extends PartialType(WriteNewsDto) {}

/** A piece of news. */
export class NewsItemDto {
  /** @example "nws_00000000001" */
  news_id: string;

  /**
   * Plain text.
   * @example "Bitcoin network fees fall to their lowest in a year"
   */
  headline: string;

  /**
   * Plain text; empty where nothing but the headline is known.
   * @example "Blocks have had room to spare since Monday."
   */
  summary: string;

  /**
   * HTML, sanitised: safe to show as it is. Its addresses are absolute.
   * @example "<p>Blocks have had room to spare since Monday.</p>"
   */
  content: string;

  author: string | null;

  /**
   * Where the whole text stands: an absolute web address.
   * @example "https://example.com/fees-fall"
   */
  @ApiProperty({ format: 'uri' })
  url: string | null;

  /**
   * Who publishes it; of feeds the name of their host.
   * @example "example.com"
   */
  source: string;

  /**
   * A slug, such as `network-fees`.
   * @example "crypto"
   */
  category: string | null;

  /**
   * The ids of the markets that it is about, in order.
   * @example ["BTC-USD"]
   */
  symbols: string[];

  /**
   * The language alone, in lower case.
   * @example "en"
   */
  language: string | null;

  /**
   * RFC 3339 UTC.
   * @example "2026-11-16T09:00:00.000Z"
   */
  published_at: string;

  /**
   * When it last changed here. RFC 3339 UTC.
   * @example "2026-11-16T09:00:00.000Z"
   */
  updated_at: string;
}

/** What webhooks tell of a piece of news; its content is answered by `GET /news/{news_id}`. */
export class NewsHeadlineDto extends OmitType(NewsItemDto, ['content']) {}

export function toNewsItemDto(row: NewsItemRow, publicUrl: string): NewsItemDto {
  return {
    news_id: NEWS_ITEM_IDS.format(Number(row.news_id)),
    headline: row.headline,
    summary: row.summary,
    content: withPublicUrl(row.content, publicUrl),
    author: row.author,
    url: row.url === null ? null : withPublicUrl(row.url, publicUrl),
    ...fieldsOf(row, 'source', 'category', 'symbols', 'language', 'published_at', 'updated_at'),
  };
}

export function toNewsHeadlineDto(row: NewsItemRow, publicUrl: string): NewsHeadlineDto {
  const { content: _content, ...headline } = toNewsItemDto(row, publicUrl);
  return headline;
}
