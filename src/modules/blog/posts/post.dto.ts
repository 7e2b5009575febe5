import { ApiProperty, ApiPropertyOptional, IntersectionType, OmitType } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { withPublicUrl } from '../../../kit/content/own-origin.js';
import { SLUG_LENGTH_MAX } from '../../../kit/content/slug.js';
import { fieldsOf } from '../../../kit/http/fields-of.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { IsLabel } from '../../../kit/http/validation/is-label.js';
import { QueryText } from '../../../kit/http/validation/query.js';
import {
  AuthoringDto,
  ENTRY_STATUSES,
  LabelDto,
  WriteEntryDto,
  type EntryStatus,
} from '../entries/entry.dto.js';
import { entryUrl, type EntryRow, type WholeEntryRow } from '../entries/entry-row.js';
import { POST_IDS } from '../ids.js';

const LABEL_LENGTH_MAX = 100;
const TAGS_MAX = 20;
const EXCERPT_LENGTH_MAX = 500;
const URL_LENGTH_MAX = 2_048;
const SEARCH_LENGTH_MAX = 200;

/** The query of `GET /blog/posts`. */
export class ListPostsQueryDto extends PageQueryDto {
  @QueryText(SLUG_LENGTH_MAX, 'Only posts of the category with this slug.')
  category?: string;

  @QueryText(SLUG_LENGTH_MAX, 'Only posts that have the tag with this slug.')
  tag?: string;

  @QueryText(
    SEARCH_LENGTH_MAX,
    'Only posts with all these words in title or text, in any form; `"…"` keeps words together, `or` takes either, `-` leaves out.',
  )
  q?: string;
}

/** The body of `POST /admin/blog/posts` and `PUT /admin/blog/posts/{post_id}`: the whole post. */
export class WritePostDto extends WriteEntryDto {
  /**
   * The name of what the post is sorted under, made known where it is not; `null` or left out: nothing.
   * @example "Service"
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsLabel(LABEL_LENGTH_MAX)
  category?: string;

  /**
   * Names of what the post is found by, made known where they are not; one that is named twice counts once.
   * @example ["Holidays"]
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(TAGS_MAX)
  @IsLabel(LABEL_LENGTH_MAX, { each: true })
  tags?: string[];

  /** Under whose name the post stands. Left out: the name of the caller for a new post, else the one that it has. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsLabel(LABEL_LENGTH_MAX)
  author?: string;

  /** The web address of the picture that goes with the post, such as one of `POST /admin/blog/images`. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MinLength(1)
  @MaxLength(URL_LENGTH_MAX)
  feature_image?: string;

  /** What lists show of the post; `null` or left out: its beginning. */
  @ApiPropertyOptional()
  @IsOptional()
  @IsLabel(EXCERPT_LENGTH_MAX)
  custom_excerpt?: string;
}

/** A post. */
export class PostDto {
  /** @example "pst_00000000001" */
  post_id: string;

  /** @example "trading-hours-over-the-holidays" */
  slug: string;

  /**
   * Where it is answered.
   * @example "https://trade.example/blog/posts/trading-hours-over-the-holidays"
   */
  @ApiProperty({ format: 'uri' })
  url: string;

  /**
   * Plain text.
   * @example "Trading hours over the holidays"
   */
  title: string;

  /**
   * Sanitised: safe to show as it is. Its addresses are absolute.
   * @example "<p>Markets stay <strong>open</strong>.</p>"
   */
  html: string;

  /**
   * Plain text.
   * @example "Markets stay open."
   */
  excerpt: string;

  /** An absolute web address. */
  feature_image: string | null;

  @ApiProperty({ enum: ENTRY_STATUSES })
  status: EntryStatus;

  /**
   * RFC 3339 UTC.
   * @example "2026-11-16T09:00:00.000Z"
   */
  published_at: string;

  /**
   * RFC 3339 UTC.
   * @example "2026-11-16T09:00:00.000Z"
   */
  updated_at: string;

  /** In whole minutes, from 1. */
  @ApiProperty({ type: 'integer', example: 3 })
  reading_time: number;

  category: LabelDto | null;

  tags: LabelDto[];

  author: LabelDto;
}

/** A post as operators see it. */
export class AuthoredPostDto extends IntersectionType(
  OmitType(PostDto, ['status', 'published_at']),
  AuthoringDto,
) {
  /** As it was written; null where the excerpt is the beginning of the text. */
  custom_excerpt: string | null;
}

/** A post in the operators' list, without its text. */
export class PostSummaryDto extends OmitType(AuthoredPostDto, ['html', 'markdown']) {}

/** For a post that everyone sees. */
export function toPostDto(row: WholeEntryRow, publicUrl: string): PostDto {
  return {
    ...commonOf(row, publicUrl),
    html: withPublicUrl(row.html, publicUrl),
    published_at: (row.published_at as Date).toISOString(),
  };
}

export function toAuthoredPostDto(row: WholeEntryRow, publicUrl: string): AuthoredPostDto {
  const html = withPublicUrl(row.html, publicUrl);
  return { ...toPostSummaryDto(row, publicUrl), html, markdown: row.markdown };
}

export function toPostSummaryDto(row: EntryRow, publicUrl: string): PostSummaryDto {
  return {
    ...commonOf(row, publicUrl),
    ...fieldsOf(row, 'published_at', 'custom_excerpt', 'version', 'created_at'),
  };
}

function commonOf(row: EntryRow, publicUrl: string): Omit<PostDto, 'html' | 'published_at'> {
  return {
    post_id: POST_IDS.format(Number(row.entry_id)),
    slug: row.slug,
    url: entryUrl(row, publicUrl),
    title: row.title,
    excerpt: row.excerpt,
    feature_image: row.feature_image === null ? null : withPublicUrl(row.feature_image, publicUrl),
    status: row.status,
    updated_at: row.updated_at.toISOString(),
    reading_time: row.reading_minutes,
    ...fieldsOf(row, 'category', 'tags', 'author'),
  };
}
