/**
 * How posts and pages are written. Writers take turns: every transaction begins with `beginWriting`, so that
 * what it finds out about slugs, labels and versions stays true until it commits.
 */
import type { EntityManager } from 'typeorm';
import { numberedSlug, slugOf } from '../../../kit/content/slug.js';
import { requireMatch } from '../../../kit/http/conditional.js';
import { CONFLICT } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { RenderedText } from '../rendering/markdown.js';
import { BlogEntryEntity, type EntryKind } from './blog-entry.entity.js';
import type { WriteEntryDto } from './entry.dto.js';
import { entryNotFound } from './entry-reader.js';
import { etagOf } from './entry-row.js';
import { publicationOf, statusOf } from './publication.js';

/** How many entries may make their slug from one title. */
const NUMBERED_SLUGS_MAX = 100;

/** The fields of an entry besides its author's choice of slug and status. */
export interface EntryContent extends RenderedText {
  readonly authorId: string;
  readonly categoryId: string | null;
  readonly featureImage: string | null;
  readonly customExcerpt: string | null;
}

/** Waits for the writers before, keeps others out until the transaction ends, and answers the database's time. */
export async function beginWriting(manager: EntityManager): Promise<Date> {
  const [[{ now }]] = await manager.query<[[{ now: Date }], number]>(
    `UPDATE blog_changes SET changed_at = greatest(changed_at, clock_timestamp())
     RETURNING date_trunc('milliseconds', clock_timestamp()) AS now`,
  );
  return now;
}

/**
 * Inserts an entry and answers its id. Throws `conflict` (409) for a slug that another one has, and
 * `validation_failed` (400) as `publicationOf` does.
 */
export async function insertEntry(
  manager: EntityManager,
  kind: EntryKind,
  body: WriteEntryDto,
  content: EntryContent,
  now: Date,
): Promise<string> {
  const slug = body.slug ?? (await freeSlug(manager, kind, slugOf(body.title) || kind));
  await requireFree(manager, kind, slug);
  const inserted = await manager.insert(BlogEntryEntity, {
    kind,
    slug,
    title: body.title,
    markdown: body.markdown,
    ...columnsOf(content),
    ...publicationOf(body, now),
    version: 1,
    createdAt: now,
    updatedAt: now,
  });
  return (inserted.identifiers[0] as { entryId: string }).entryId;
}

/**
 * The entry as it is now. Throws `not_found` (404), and `precondition_failed` (412) where it is not the one
 * that `ifMatch` names.
 */
export async function findForWriting(
  manager: EntityManager,
  kind: EntryKind,
  entryId: string | undefined,
  ifMatch: string | undefined,
  now: Date,
): Promise<BlogEntryEntity> {
  const entry = entryId === undefined ? null : await manager.findOneBy(BlogEntryEntity, { kind, entryId });
  if (!entry) throw entryNotFound(kind);
  requireMatch(ifMatch, etagOf({ version: entry.version, status: statusOf(entry, now) }));
  return entry;
}

/** Replaces the content of an entry. Throws as `insertEntry` does. */
export async function replaceEntry(
  manager: EntityManager,
  entry: BlogEntryEntity,
  body: WriteEntryDto,
  content: EntryContent,
  now: Date,
): Promise<void> {
  const slug = body.slug ?? entry.slug;
  if (slug !== entry.slug) {
    await requireFree(manager, entry.kind, slug);
    await leaveSlug(manager, entry, now);
  }
  await manager.update(
    BlogEntryEntity,
    { entryId: entry.entryId },
    {
      slug,
      title: body.title,
      markdown: body.markdown,
      ...columnsOf(content),
      ...publicationOf(body, now, entry),
      version: entry.version + 1,
      updatedAt: now,
    },
  );
}

/** Deletes an entry; its present and former slugs lead nowhere from then on. */
export async function deleteEntry(manager: EntityManager, { entryId }: BlogEntryEntity): Promise<void> {
  await manager.delete(BlogEntryEntity, { entryId });
}

function columnsOf(content: EntryContent): EntryContent {
  const { html, plainText, readingMinutes, authorId, categoryId, featureImage, customExcerpt } = content;
  const excerpt = customExcerpt ?? content.excerpt;
  return { html, plainText, excerpt, readingMinutes, authorId, categoryId, featureImage, customExcerpt };
}

async function requireFree(manager: EntityManager, kind: EntryKind, slug: string): Promise<void> {
  if (await manager.existsBy(BlogEntryEntity, { kind, slug })) throw slugTaken(slug);
}

/** The slug itself or with a number: one that no entry has, and that leads to none. */
async function freeSlug(manager: EntityManager, kind: EntryKind, slug: string): Promise<string> {
  const candidates = Array.from({ length: NUMBERED_SLUGS_MAX }, (_, i) =>
    i === 0 ? slug : numberedSlug(slug, i + 1),
  );
  const rows = await manager.query<{ slug: string }[]>(
    `SELECT slug FROM blog_entries WHERE kind = $1 AND slug = ANY ($2)
     UNION SELECT slug FROM blog_former_slugs WHERE kind = $1 AND slug = ANY ($2)`,
    [kind, candidates],
  );
  const taken = new Set(rows.map((row) => row.slug));
  const free = candidates.find((candidate) => !taken.has(candidate));
  if (free === undefined) throw slugTaken(slug);
  return free;
}

/**
 * Makes the old slug of an entry redirect to it. A slug that was public replaces an older redirect; an unpublished slug
 * needs none, since nobody knows it.
 */
async function leaveSlug(
  manager: EntityManager,
  { kind, entryId, slug, ...entry }: BlogEntryEntity,
  now: Date,
): Promise<void> {
  const wasVisible = statusOf(entry, now) === 'published';
  await manager.query(
    `INSERT INTO blog_former_slugs (kind, slug, entry_id) VALUES ($1, $2, $3)
     ON CONFLICT (kind, slug) ${wasVisible ? 'DO UPDATE SET entry_id = excluded.entry_id' : 'DO NOTHING'}`,
    [kind, slug, entryId],
  );
}

function slugTaken(slug: string): ApiError {
  return new ApiError(CONFLICT, `The slug ${slug} is taken; choose another one.`);
}
