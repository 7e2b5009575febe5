import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { isSlug } from '../../../kit/content/slug.js';
import { NOT_FOUND } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import { decodeCursor } from '../../../kit/http/pagination.js';
import { ENTRY_KINDS, type EntryKind } from './blog-entry.entity.js';
import type { EntryStatus } from './entry.dto.js';
import {
  ENTRY_COLUMNS,
  STATUS,
  VISIBLE,
  WHOLE_ENTRY_COLUMNS,
  type EntryRow,
  type WholeEntryRow,
} from './entry-row.js';

/** Of the entries that operators list: how many, and after which one. */
interface AuthoredQuery {
  readonly limit: number;
  readonly cursor?: string;
  readonly status?: EntryStatus;
}

/** What posts and pages have in common for those who read them. */
@Injectable()
export class EntryReader {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /**
   * The visible entry that has the slug, else the one that had it before. The slug of a draft leads nowhere,
   * and hides nothing that it led to before. Throws `not_found` (404).
   */
  async find(kind: EntryKind, slug: string): Promise<WholeEntryRow> {
    const [entry] = isSlug(slug)
      ? await this.dataSource.query<WholeEntryRow[]>(
          `SELECT ${WHOLE_ENTRY_COLUMNS} FROM blog_entries entry
           WHERE entry.kind = $1 AND ${VISIBLE} AND (entry.slug = $2 OR entry.entry_id =
             (SELECT former.entry_id FROM blog_former_slugs former WHERE former.kind = $1 AND former.slug = $2))
           ORDER BY entry.slug = $2 DESC LIMIT 1`,
          [kind, slug],
        )
      : [];
    if (!entry) throw entryNotFound(kind);
    return entry;
  }

  /** An entry in whatever status, as the given transaction sees it. Throws `not_found` (404). */
  async get(
    kind: EntryKind,
    entryId: string | undefined,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<WholeEntryRow> {
    const [entry] = await manager.query<WholeEntryRow[]>(
      `SELECT ${WHOLE_ENTRY_COLUMNS} FROM blog_entries entry WHERE entry.kind = $1 AND entry.entry_id = $2`,
      [kind, entryId],
    );
    if (!entry) throw entryNotFound(kind);
    return entry;
  }

  /** Up to `limit + 1` entries in whatever status, the newest first. Throws `invalid_cursor` (400). */
  listAuthored(kind: EntryKind, { limit, cursor, status }: AuthoredQuery): Promise<EntryRow[]> {
    const [before] = decodeCursor(cursor, ['integer']) ?? [];
    return this.dataSource.query<EntryRow[]>(
      `SELECT ${ENTRY_COLUMNS} FROM blog_entries entry
       WHERE entry.kind = $1 AND ($2::bigint IS NULL OR entry.entry_id < $2)
         AND ($3::text IS NULL OR ${STATUS} = $3)
       ORDER BY entry.entry_id DESC LIMIT $4`,
      [kind, before, status, limit + 1],
    );
  }

  /**
   * When any public list last changed, by an operator's act or by an entry's publication time. It never goes back, even
   * if the newest entry is deleted.
   */
  async changedAt(): Promise<Date> {
    const [{ changed_at }] = await this.dataSource.query<[{ changed_at: Date }]>(
      `SELECT greatest(changes.changed_at, max(newest.published_at)) AS changed_at
       FROM blog_changes changes, unnest($1::text[]) kinds (kind) LEFT JOIN LATERAL (
         SELECT entry.published_at FROM blog_entries entry WHERE entry.kind = kinds.kind AND ${VISIBLE}
         ORDER BY entry.published_at DESC LIMIT 1
       ) newest ON true
       GROUP BY changes.changed_at`,
      [ENTRY_KINDS],
    );
    return changed_at;
  }
}

export function entryNotFound(kind: EntryKind): ApiError {
  return new ApiError(NOT_FOUND, `There is no such ${kind}.`);
}
