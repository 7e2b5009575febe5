import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CONFIG, type Config } from '../../../kit/config/config.js';
import { decodeCursor, pageOf, type Page, type PageQueryDto } from '../../../kit/http/pagination.js';
import type { Dated, Found } from '../entries/dated.js';
import { EntryReader } from '../entries/entry-reader.js';
import {
  ENTRY_PATHS,
  modifiedAtOf,
  VISIBLE,
  WHOLE_ENTRY_COLUMNS,
  type WholeEntryRow,
} from '../entries/entry-row.js';
import type { CategoryDto } from './category.dto.js';
import { toPostDto, type ListPostsQueryDto, type PostDto } from './post.dto.js';

/** The HTML of one page of posts; the last post may go beyond. */
const PAGE_BYTES_MAX = 2_000_000;

interface ListedRow extends WholeEntryRow {
  /** Whether the posts before it leave room for its text. */
  readonly fits: boolean;
}

/** Bigints as text; null if not requested or unknown. */
interface LabelIds {
  readonly category_id: string | null;
  readonly tag_id: string | null;
}

/** The posts that everyone sees. */
@Injectable()
export class PostsService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(CONFIG) private readonly config: Config,
    private readonly entries: EntryReader,
  ) {}

  /** The newest first; a page ends early where its texts grow too large together. Throws `invalid_cursor` (400). */
  async list(query: ListPostsQueryDto): Promise<Dated<Page<PostDto>>> {
    // Read first: a change in between then appears as modified once more, and is never missed.
    const modifiedAt = await this.entries.changedAt();
    const rows = await this.read(query);
    const shown = Math.min(query.limit, rows.filter(({ fits }) => fits).length);
    const body = pageOf(
      rows,
      shown,
      (row) => [row.published_at?.getTime() ?? 0, Number(row.entry_id)],
      (row) => toPostDto(row, this.config.publicUrl),
    );
    return { body, modifiedAt };
  }

  /** Throws `not_found` (404). */
  async get(slug: string): Promise<Found<PostDto>> {
    const row = await this.entries.find('post', slug);
    if (row.slug !== slug) return { movedTo: ENTRY_PATHS.post + row.slug };
    return { body: toPostDto(row, this.config.publicUrl), modifiedAt: modifiedAtOf(row) };
  }

  /** The categories of posts that everyone sees, in the order of their slugs. Throws `invalid_cursor` (400). */
  async listCategories({ limit, cursor }: PageQueryDto): Promise<Dated<Page<CategoryDto>>> {
    const modifiedAt = await this.entries.changedAt();
    const [after] = decodeCursor(cursor, ['text']) ?? [''];
    const rows = await this.dataSource.query<CategoryDto[]>(
      `SELECT category.slug, category.name, count(*)::integer AS post_count
       FROM blog_categories category JOIN blog_entries entry USING (category_id)
       WHERE ${VISIBLE} AND category.slug > $1
       GROUP BY category.category_id ORDER BY category.slug LIMIT $2`,
      [after, limit + 1],
    );
    const body = pageOf(
      rows,
      limit,
      ({ slug }) => [slug],
      (row) => row,
    );
    return { body, modifiedAt };
  }

  /** Up to `limit + 1` posts. */
  private async read({ limit, cursor, category, tag, q }: ListPostsQueryDto): Promise<ListedRow[]> {
    const before = decodeCursor(cursor, ['integer', 'integer']);
    // Resolved first: an unknown label must not cost a scan of all posts, and with its id the planner knows whether a
    // tag is rare.
    const [{ category_id: categoryId, tag_id: tagId }] = await this.dataSource.query<[LabelIds]>(
      `SELECT (SELECT category_id FROM blog_categories WHERE slug = $1),
         (SELECT tag_id FROM blog_tags WHERE slug = $2)`,
      [category, tag],
    );
    if ((category !== undefined && categoryId === null) || (tag !== undefined && tagId === null)) return [];
    const parameters: unknown[] = [];
    const bind = (value: unknown): string => `$${parameters.push(value)}`;
    const conditions = [`entry.kind = 'post'`, VISIBLE];
    if (before !== undefined) {
      const [publishedAtMs, entryId] = before;
      conditions.push(
        `(entry.published_at, entry.entry_id) <
          (to_timestamp(${bind(publishedAtMs)}::bigint / 1000.0), ${bind(entryId)}::bigint)`,
      );
    }
    if (categoryId !== null) conditions.push(`entry.category_id = ${bind(categoryId)}`);
    if (tagId !== null) {
      conditions.push(
        `entry.entry_id IN (SELECT link.entry_id FROM blog_entry_tags link WHERE link.tag_id = ${bind(tagId)})`,
      );
    }
    if (q !== undefined) {
      // The expression of the index.
      conditions.push(
        `to_tsvector('english', entry.title || ' ' || entry.plain_text)
          @@ websearch_to_tsquery('english', ${bind(q)})`,
      );
    }
    return this.dataSource.query<ListedRow[]>(
      `WITH listed AS (
         SELECT entry_id,
           sum(bytes) OVER (ORDER BY published_at DESC, entry_id DESC) - bytes < ${PAGE_BYTES_MAX} AS fits
         FROM (
           SELECT entry.entry_id, entry.published_at, octet_length(entry.html) AS bytes
           FROM blog_entries entry WHERE ${conditions.join(' AND ')}
           ORDER BY entry.published_at DESC, entry.entry_id DESC LIMIT ${bind(limit + 1)}
         ) newest
       )
       SELECT ${WHOLE_ENTRY_COLUMNS}, listed.fits FROM listed JOIN blog_entries entry USING (entry_id)
       ORDER BY entry.published_at DESC, entry.entry_id DESC`,
      parameters,
    );
  }
}
