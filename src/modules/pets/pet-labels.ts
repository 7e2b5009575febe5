/**
 * Categories and tags are identified by their names: a name selects its row or creates it. An id beside a name is
 * ignored, so that one caller's tags cannot rename those of others; an id alone selects its row.
 */
import type { EntityManager } from 'typeorm';
import { ApiError } from '../../kit/http/errors.js';
import type { PetLabelInputDto } from './pet.dto.js';

type LabelTable =
  | { readonly name: 'pet_categories'; readonly id: 'category_id' }
  | { readonly name: 'pet_tags'; readonly id: 'tag_id' };

const CATEGORIES: LabelTable = { name: 'pet_categories', id: 'category_id' };
const TAGS: LabelTable = { name: 'pet_tags', id: 'tag_id' };

/** The id of the category, made where it is new. Throws `validation_failed` (400) for an id that nothing has. */
export async function ensurePetCategory(
  manager: EntityManager,
  category: PetLabelInputDto | null | undefined,
): Promise<string | null> {
  if (!category) return null;
  const [id] = await ensureLabels(manager, CATEGORIES, [category], () => 'category');
  return id ?? null;
}

/** The ids of the tags in their order, each once. Throws as `ensurePetCategory` does. */
export function ensurePetTags(
  manager: EntityManager,
  tags: readonly PetLabelInputDto[] | null | undefined,
): Promise<string[]> {
  return ensureLabels(manager, TAGS, tags ?? [], (place) => `tags.${place}`);
}

async function ensureLabels(
  manager: EntityManager,
  table: LabelTable,
  labels: readonly PetLabelInputDto[],
  fieldOf: (place: number) => string,
): Promise<string[]> {
  if (labels.length === 0) return [];
  const names = labels.flatMap(({ name }) => name ?? []);
  const ids = labels.flatMap(({ id, name }) => (name == null && id ? [id] : []));
  // Sorted, so that two callers who create the same tags cannot deadlock. Existing ones are not inserted again: that
  // would use up an id each time.
  await manager.query(
    `INSERT INTO ${table.name} (name)
     SELECT DISTINCT wanted FROM unnest($1::text[]) wanted
     WHERE NOT EXISTS (SELECT FROM ${table.name} WHERE name = wanted)
     ORDER BY wanted
     ON CONFLICT DO NOTHING`,
    [names],
  );
  const rows = await manager.query<{ id: string; name: string }[]>(
    `SELECT ${table.id} AS id, name FROM ${table.name} WHERE name = ANY ($1) OR ${table.id} = ANY ($2)`,
    [names, ids],
  );
  const idOfName = new Map(rows.map(({ id, name }) => [name, id]));
  const known = new Set(rows.map(({ id }) => id));
  const found = labels.map(({ id, name }, place) => {
    const labelId = name == null ? String(id ?? 0) : idOfName.get(name);
    if (labelId !== undefined && known.has(labelId)) return labelId;
    throw ApiError.validation([
      { field: `${fieldOf(place)}.name`, message: 'name must be given, or the id of one that is known' },
    ]);
  });
  return [...new Set(found)];
}
