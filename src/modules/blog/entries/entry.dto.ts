import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches, MaxLength, MinLength } from 'class-validator';
import { SLUG_LENGTH_MAX, SLUG_PATTERN } from '../../../kit/content/slug.js';
import { PageQueryDto } from '../../../kit/http/pagination.js';
import { IsLabel } from '../../../kit/http/validation/is-label.js';
import { IsUtcTime } from '../../../kit/http/validation/is-utc-time.js';

export const ENTRY_STATUSES = ['draft', 'scheduled', 'published'] as const;

/** Scheduled entries are published by themselves at their time; drafts never are. */
export type EntryStatus = (typeof ENTRY_STATUSES)[number];

const TITLE_LENGTH_MAX = 200;
/** Of posts and pages, and of what is previewed. */
export const MARKDOWN_LENGTH_MAX = 100_000;

/** What the author of a post or page writes. */
export class WriteEntryDto {
  /** @example "Trading hours over the holidays" */
  @IsLabel(TITLE_LENGTH_MAX)
  title: string;

  /**
   * The end of its address: lower case Latin letters and digits, with hyphens between words. Left out: a new
   * one is made from the title, a known one is kept. Former ones lead to the new one.
   */
  @ApiPropertyOptional({ pattern: SLUG_PATTERN.source })
  @IsOptional()
  @IsString()
  @MaxLength(SLUG_LENGTH_MAX)
  @Matches(SLUG_PATTERN, { message: 'slug must be lower case letters and digits with hyphens between words' })
  slug?: string;

  /**
   * CommonMark with tables, strikethrough and HTML. What is not safe to show is left out of the HTML, such
   * as scripts.
   * @example "Markets stay **open**. Support answers from [Monday](/blog/pages/about) on."
   */
  @IsString()
  @MinLength(1)
  @MaxLength(MARKDOWN_LENGTH_MAX)
  markdown: string;

  /**
   * `scheduled` and `published` can be seen from `published_at` on. Left out: `draft` for a new one, the
   * status that it has for a known one.
   * @example "published"
   */
  @ApiPropertyOptional({ enum: ENTRY_STATUSES })
  @IsOptional()
  @IsIn(ENTRY_STATUSES)
  status?: EntryStatus;

  /**
   * RFC 3339 UTC. It must lie ahead for `scheduled` and must not for `published`. Left out: what it was, or
   * for `published` now.
   */
  @ApiPropertyOptional()
  @IsOptional()
  @IsUtcTime()
  published_at?: string;
}

/** The query of `GET /admin/blog/posts` and `GET /admin/blog/pages`. */
export class ListAuthoredQueryDto extends PageQueryDto {
  /** Only those that have this status now. */
  @ApiPropertyOptional({ enum: ENTRY_STATUSES })
  @IsOptional()
  @IsIn(ENTRY_STATUSES)
  status?: EntryStatus;
}

/** A category, tag or author, as entries name it. */
export class LabelDto {
  /** @example "product-news" */
  slug: string;

  /** @example "Product news" */
  name: string;
}

/** What operators see of a post or page beside what everyone sees. */
export class AuthoringDto {
  /**
   * As it was written.
   * @example "Markets stay **open**."
   */
  markdown: string;

  @ApiProperty({ enum: ENTRY_STATUSES })
  status: EntryStatus;

  /**
   * RFC 3339 UTC; of a draft, when it is meant to be published, or once was.
   * @example "2026-11-16T09:00:00.000Z"
   */
  published_at: string | null;

  /**
   * Counts the changes, from 1.
   * @example 1
   */
  @ApiProperty({ type: 'integer' })
  version: number;

  /**
   * RFC 3339 UTC.
   * @example "2026-11-16T09:00:00.000Z"
   */
  created_at: string;
}
