import type { OpenAPIObject } from '@nestjs/swagger';

/** A JSON Schema, or any other object of the document while it is walked. */
export type Node = Record<string, unknown>;

/** A moment by the names that fields have for one; days end with `_on`, `day` or `birth`. */
const MOMENT = /(?:^at|_at|_since|_until|^timestamp)$/;
const DAY = /(?:_on|^day|date_of_birth)$/;
const RFC_3339 = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;
const ISO_DAY = /^\d{4}-\d\d-\d\d$/;

/** The fields that are fractions; all other numbers of the API are whole, since amounts are strings. */
const FRACTIONS: ReadonlySet<string> = new Set(['progress']);

/** What the types of DTOs cannot say: which texts are times, and which numbers are whole. */
export function refineSchemas(document: OpenAPIObject): void {
  for (const node of nodesWithin(document.components?.schemas)) {
    for (const [name, property] of Object.entries((node['properties'] ?? {}) as Record<string, Node>)) {
      if (isOfType(property, 'string')) property['format'] ??= formatOf(name, property);
      if (isOfType(property, 'number') && !FRACTIONS.has(name))
        property['type'] = asInteger(property['type']);
      if (property['format'] === undefined) delete property['format'];
    }
    // A single `allOf` only carries the words beside a reference, which OpenAPI 3.1 takes beside it.
    const [only, ...others] = (node['allOf'] ?? []) as Node[];
    if (only !== undefined && '$ref' in only && others.length === 0) {
      delete node['allOf'];
      delete node['type'];
      Object.assign(node, only);
    }
  }
}

/** The pages of lists become components, each named after what it lists. */
export function namePages(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Node>;
  for (const node of nodesWithin(document.paths)) {
    const page = node['schema'] as Node | undefined;
    const item = page && itemOfPage(page);
    if (!page || item === undefined) continue;
    const name = `${item.replace(/Dto$/, '')}Page`;
    schemas[name] ??= page;
    node['schema'] = { $ref: `#/components/schemas/${name}` };
  }
}

/** All objects under a value, itself included. */
export function nodesWithin(value: unknown): Node[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.values(value).flatMap((each: unknown) => nodesWithin(each));
  return Array.isArray(value) ? below : [value as Node, ...below];
}

export function isOfType({ type }: Node, name: string): boolean {
  return [type].flat().includes(name);
}

function formatOf(name: string, { example, enum: values }: Node): string | undefined {
  if (values !== undefined) return undefined;
  if (typeof example === 'string') {
    if (RFC_3339.test(example)) return 'date-time';
    if (ISO_DAY.test(example)) return 'date';
    return undefined;
  }
  if (MOMENT.test(name)) return 'date-time';
  return DAY.test(name) ? 'date' : undefined;
}

function asInteger(type: unknown): unknown {
  const types = [type].flat().map((each) => (each === 'number' ? 'integer' : each));
  return types.length === 1 ? types[0] : types;
}

/** The name of the schema that a page lists. */
function itemOfPage({ properties }: Node): string | undefined {
  const { data, next_cursor: cursor, ...others } = (properties ?? {}) as Record<string, Node | undefined>;
  if (data === undefined || cursor === undefined || Object.keys(others).length > 0) return undefined;
  const reference = (data['items'] as Node | undefined)?.['$ref'];
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : undefined;
}
