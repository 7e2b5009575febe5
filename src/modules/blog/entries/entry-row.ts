import type { EntryKind } from './blog-entry.entity.js';
import type { EntryStatus, LabelDto } from './entry.dto.js';

/** Which entries everyone sees, at the moment of the statement: `now()` is that of its transaction. */
export const VISIBLE = 'NOT entry.is_draft AND entry.published_at <= statement_timestamp()';

/** What an entry is, at the moment of the statement. */
export const STATUS = `CASE WHEN entry.is_draft THEN 'draft' WHEN entry.published_at > statement_timestamp() THEN 'scheduled' ELSE 'published' END`;

/** An entry as it is read, with the names that belong to it. */
export interface EntryRow {
  /** A bigint, as text. */
  readonly entry_id: string;
  readonly kind: EntryKind;
  readonly slug: string;
  readonly title: string;
  readonly custom_excerpt: string | null;
  readonly excerpt: string;
  readonly reading_minutes: number;
  readonly feature_image: string | null;
  readonly status: EntryStatus;
  readonly published_at: Date | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly category: LabelDto | null;
  readonly tags: LabelDto[];
  readonly author: LabelDto;
}

/** An entry that was read with its text. */
export interface WholeEntryRow extends EntryRow {
  readonly markdown: string;
  readonly html: string;
}

/** The columns of an `EntryRow`, of `blog_entries entry`. */
export const ENTRY_COLUMNS = `
  entry.entry_id, entry.kind, entry.slug, entry.title, entry.custom_excerpt, entry.excerpt,
  entry.reading_minutes, entry.feature_image, ${STATUS} AS status, entry.published_at, entry.version,
  entry.created_at, entry.updated_at,
  (SELECT json_build_object('slug', category.slug, 'name', category.name)
    FROM blog_categories category WHERE category.category_id = entry.category_id) AS category,
  (SELECT coalesce(json_agg(json_build_object('slug', tag.slug, 'name', tag.name) ORDER BY link.position), '[]')
    FROM blog_entry_tags link JOIN blog_tags tag USING (tag_id) WHERE link.entry_id = entry.entry_id) AS tags,
  (SELECT json_build_object('slug', author.slug, 'name', author.name)
    FROM blog_authors author WHERE author.author_id = entry.author_id) AS author`;

/** Those of a `WholeEntryRow`. */
export const WHOLE_ENTRY_COLUMNS = `${ENTRY_COLUMNS}, entry.markdown, entry.html`;

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
