import { columnsExcept, type Row, type RowOf } from '../../../kit/database/rows.js';
import { BlogEntryEntity } from './blog-entry.entity.js';
import type { EntryStatus, LabelDto } from './entry.dto.js';

/** Which entries everyone sees, at the moment of the statement: `now()` is that of its transaction. */
export const VISIBLE = 'NOT entry.is_draft AND entry.published_at <= statement_timestamp()';

/** What an entry is, at the moment of the statement. */
export const STATUS = `CASE WHEN entry.is_draft THEN 'draft' WHEN entry.published_at > statement_timestamp() THEN 'scheduled' ELSE 'published' END`;

const ENTRY = columnsExcept(
  BlogEntryEntity,
  'plainText',
  'isDraft',
  'categoryId',
  'authorId',
  'markdown',
  'html',
);

/** An entry as it is read, with the names that belong to it. */
export interface EntryRow extends RowOf<typeof ENTRY> {
  readonly status: EntryStatus;
  readonly category: LabelDto | null;
  readonly tags: LabelDto[];
  readonly author: LabelDto;
}

/** An entry that was read with its text. */
export interface WholeEntryRow extends EntryRow, Row<BlogEntryEntity, 'markdown' | 'html'> {}

/** The columns of an `EntryRow`, of `blog_entries entry`. */
export const BLOG_ENTRY_COLUMNS = `
  ${ENTRY.of('entry')}, ${STATUS} AS status,
  (SELECT json_build_object('slug', category.slug, 'name', category.name)
    FROM blog_categories category WHERE category.category_id = entry.category_id) AS category,
  (SELECT coalesce(json_agg(json_build_object('slug', tag.slug, 'name', tag.name) ORDER BY link.position), '[]')
    FROM blog_entry_tags link JOIN blog_tags tag USING (tag_id) WHERE link.entry_id = entry.entry_id) AS tags,
  (SELECT json_build_object('slug', author.slug, 'name', author.name)
    FROM blog_authors author WHERE author.author_id = entry.author_id) AS author`;

/** Those of a `WholeEntryRow`. */
export const WHOLE_ENTRY_COLUMNS = `${BLOG_ENTRY_COLUMNS}, entry.markdown, entry.html`;

/** The folders of the addresses of entries. */
export const ENTRY_PATHS = { post: '/blog/posts/', page: '/blog/pages/' } as const;

/** Where everyone reads an entry. */
export function entryUrl({ kind, slug }: Pick<EntryRow, 'kind' | 'slug'>, publicUrl: string): string {
  return `${publicUrl}${ENTRY_PATHS[kind]}${slug}`;
}

/** When the public state of an entry last changed: its publication may be later than its last edit. */
export function modifiedAtOf({ updated_at, published_at }: EntryRow): Date {
  return published_at !== null && published_at > updated_at ? published_at : updated_at;
}

/** The tag of the version that a writer has read; publication by schedule changes it as well. */
export function etagOf({ version, status }: Pick<EntryRow, 'version' | 'status'>): string {
  return `"${version}-${status}"`;
}
