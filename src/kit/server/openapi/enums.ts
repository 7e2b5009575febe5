import type { OpenAPIObject } from '@nestjs/swagger';
import { ROLES } from '../../security/scope.js';
import { nodesWithin, type Node } from './schemas.js';

/** Fields whose names alone do not say whose values they are. */
const GENERIC: ReadonlySet<string> = new Set([
  ...['direction', 'held', 'kind', 'method', 'role', 'scheme', 'side', 'source', 'status', 'type'],
]);

/** Sets with a name of their own, by their values in alphabetical order. */
const NAMES: Readonly<Record<string, string>> = {
  'buy,sell': 'Side',
  [ROLES.join()]: 'OperatorRole',
  'account_frozen,user_closed,user_locked': 'HoldReason',
};

/** One place of a set of values. */
interface Use {
  readonly schema: Node;
  /** The field or parameter. */
  readonly field: string;
  /** The schema that the field is in; none for a parameter. */
  readonly owner: string | undefined;
}

/**
 * Every set of values that is used twice becomes a component. It is named after its field, where no other set has a
 * field of that name, else after the schema and the field, such as `OrderStatus`.
 */
export function nameEnums(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Node>;
  const sets = new Map<string, Use[]>();
  for (const use of [...usesInSchemas(schemas), ...usesInParameters(document)]) {
    const values = valuesOf(use.schema).sort().join();
    sets.set(values, [...(sets.get(values) ?? []), use]);
  }
  const setsOfField = new Map<string, Set<string>>();
  for (const [values, uses] of sets) {
    for (const { field } of uses) setsOfField.set(field, (setsOfField.get(field) ?? new Set()).add(values));
  }
  for (const [text, uses] of sets) {
    if (uses.length < 2) continue;
    const saysAll = (field: string): boolean => !GENERIC.has(field) && setsOfField.get(field)?.size === 1;
    const name = NAMES[text] ?? nameOf(uses, saysAll, schemas);
    schemas[name] = { type: 'string', enum: valuesOf((uses[0] as Use).schema) };
    for (const { schema } of uses) replaceValues(schema, name);
  }
}

function usesInSchemas(schemas: Record<string, Node>): Use[] {
  return Object.entries(schemas).flatMap(([owner, root]) =>
    nodesWithin(root).flatMap((node) =>
      Object.entries((node['properties'] ?? {}) as Record<string, Node>).flatMap(([field, property]) =>
        usesOf(property, field, owner.replace(/Dto$/, '')),
      ),
    ),
  );
}

function usesInParameters(document: OpenAPIObject): Use[] {
  return nodesWithin(document.paths).flatMap((node) =>
    typeof node['in'] === 'string' && typeof node['name'] === 'string'
      ? usesOf((node['schema'] ?? {}) as Node, node['name'], undefined)
      : [],
  );
}

function usesOf(schema: Node, field: string, owner: string | undefined): Use[] {
  const items = schema['items'] as Node | undefined;
  if (items?.['enum'] !== undefined) return [{ schema: items, field: field.replace(/s$/, ''), owner }];
  return schema['enum'] === undefined ? [] : [{ schema, field, owner }];
}

function valuesOf(schema: Node): string[] {
  return (schema['enum'] as (string | null)[]).filter((value) => value !== null);
}

/** The shortest name of its kind: that of `OrderDto` rather than that of `OrderWithFillsDto`. */
function nameOf(
  uses: readonly Use[],
  saysAll: (field: string) => boolean,
  schemas: Record<string, Node>,
): string {
  const fields = uses.map(({ field }) => field).sort((a, b) => a.length - b.length);
  const plain = fields.filter(saysAll).map(pascalCase);
  const owned = uses
    .filter(({ owner }) => owner !== undefined && !/^(?:Create|Add|Write|Place|Submit|Upload)/.test(owner))
    .map(({ owner, field }) => joined(owner as string, pascalCase(field)))
    .sort((a, b) => a.length - b.length);
  const name = [...plain, ...owned].find((each) => !(each in schemas));
  if (name === undefined) throw new Error(`No name is free for the values of ${fields.join(', ')}.`);
  return name;
}

/** `OrderStatus`; a word that ends the one and begins the other stands once. */
function joined(owner: string, field: string): string {
  return owner.endsWith(field) ? owner : owner + field;
}

/** Whatever else the place says stays beside the reference. */
function replaceValues(schema: Node, name: string): void {
  const reference = { $ref: `#/components/schemas/${name}` };
  const isNullable = (schema['enum'] as unknown[]).includes(null) || Array.isArray(schema['type']);
  delete schema['enum'];
  delete schema['type'];
  if (isNullable) schema['oneOf'] = [reference, { type: 'null' }];
  else schema['$ref'] = reference.$ref;
}

function pascalCase(name: string): string {
  return name
    .split(/[-_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
