/**
 * Categories, tags and authors are identified by their slugs. A name selects the one with its slug, however it is
 * spelt, or creates it with this spelling. The caller's transaction is the only writer (see `beginWriting`), so no
 * other creates the same one.
 */
import type { EntityManager } from 'typeorm';
import { slugOf } from '../../../kit/content/slug.js';
import { ApiError } from '../../../kit/http/errors.js';

type LabelTable =
  | { readonly name: 'blog_categories'; readonly id: 'category_id' }
  | { readonly name: 'blog_tags'; readonly id: 'tag_id' }
  | { readonly name: 'blog_authors'; readonly id: 'author_id' };

/**
 * The id of the category, created if new; null without a name. Throws `validation_failed` (400) for a name without a
 * letter or digit, as the other two do.
 */
export async function ensureCategory(
  manager: EntityManager,
  name: string | null | undefined,
): Promise<string | null> {
  if (name == null) return null;
  const table: LabelTable = { name: 'blog_categories', id: 'category_id' };
  const [id] = await ensureLabels(manager, table, [name], () => 'category');
  return id ?? null;
}

/** The ids of the tags in their order, each once. */
export function ensureTags(
  manager: EntityManager,
  names: readonly string[] | null | undefined,
): Promise<string[]> {
  return ensureLabels(manager, { name: 'blog_tags', id: 'tag_id' }, names ?? [], (place) => `tags.${place}`);
}

/** The id of the author, made where it is new. */
export async function ensureAuthor(manager: EntityManager, name: string): Promise<string> {
  const table: LabelTable = { name: 'blog_authors', id: 'author_id' };
  const [id] = await ensureLabels(manager, table, [name], () => 'author');
  return id as string;
}

async function ensureLabels(
  manager: EntityManager,
  table: LabelTable,
  names: readonly string[],
  fieldOf: (place: number) => string,
): Promise<string[]> {
  if (names.length === 0) return [];
  const nameOfSlug = new Map<string, string>();
  for (const [place, name] of names.entries()) {
    const slug = slugOf(name);
    if (slug === '') throw refusal(fieldOf(place));
    if (!nameOfSlug.has(slug)) nameOfSlug.set(slug, name.trim());
  }
  const slugs = [...nameOfSlug.keys()];
  await manager.query(
    `INSERT INTO ${table.name} (slug, name)
     SELECT wanted.slug, wanted.name FROM unnest($1::text[], $2::text[]) wanted (slug, name)
     WHERE NOT EXISTS (SELECT FROM ${table.name} known WHERE known.slug = wanted.slug)`,
    [slugs, [...nameOfSlug.values()]],
  );
  const rows = await manager.query<{ id: string; slug: string }[]>(
    `SELECT ${table.id} AS id, slug FROM ${table.name} WHERE slug = ANY ($1)`,
    [slugs],
  );
  const idOfSlug = new Map(rows.map(({ id, slug }) => [slug, id]));
  return slugs.map((slug) => idOfSlug.get(slug) as string);
}

function refusal(field: string): ApiError {
  return ApiError.validation([{ field, message: `${field} must have a letter or digit in it` }]);
}
