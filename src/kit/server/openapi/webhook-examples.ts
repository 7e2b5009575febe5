import type { OpenAPIObject } from '@nestjs/swagger';
import { isOfType, type Node } from './schemas.js';

type Schemas = Readonly<Record<string, Node>>;

const MOMENT = '2026-11-21T12:00:00.000Z';

/**
 * Gives every webhook one example with all fields that its schema requires: receivers are tested with it. A field
 * without an example of its own has that of a field of the same name elsewhere, else a value of its type.
 */
export function addWebhookExamples(document: OpenAPIObject): void {
  const schemas = (document.components?.schemas ?? {}) as Schemas;
  const byName = examplesByField(schemas);
  for (const { post } of Object.values(document.webhooks ?? {})) {
    const body = post?.requestBody;
    if (!body || !('content' in body)) continue;
    for (const media of Object.values(body.content)) {
      media.example = exampleOf((media.schema ?? {}) as Node, '', { schemas, byName });
    }
  }
}

interface Known {
  readonly schemas: Schemas;
  /** By the name of a field and its type. */
  readonly byName: ReadonlyMap<string, unknown>;
}

function exampleOf(schema: Node, field: string, known: Known): unknown {
  if (schema['example'] !== undefined) return schema['example'];
  if (typeof schema['$ref'] === 'string') {
    const target = known.schemas[schema['$ref'].slice('#/components/schemas/'.length)];
    return target && exampleOf(target, field, known);
  }
  const [choice] = (schema['oneOf'] ?? schema['anyOf'] ?? []) as Node[];
  if (choice !== undefined) return exampleOf(choice, field, known);
  if (schema['default'] !== undefined) return schema['default'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown;
  if (isOfType(schema, 'null')) return null;
  if (isOfType(schema, 'object') || schema['properties'] !== undefined) {
    const required = (schema['required'] ?? []) as string[];
    const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Node>);
    const shown = properties.filter(
      ([name, property]) => required.includes(name) || property['example'] !== undefined,
    );
    return Object.fromEntries(shown.map(([name, property]) => [name, exampleOf(property, name, known)]));
  }
  if (isOfType(schema, 'array')) return [exampleOf((schema['items'] ?? {}) as Node, field, known)];
  return known.byName.get(keyOf(field, schema)) ?? valueOf(schema);
}

function valueOf(schema: Node): unknown {
  if (schema['format'] === 'date-time') return MOMENT;
  if (schema['format'] === 'date') return MOMENT.slice(0, 10);
  if (isOfType(schema, 'boolean')) return true;
  if (isOfType(schema, 'integer') || isOfType(schema, 'number')) return schema['minimum'] ?? 1;
  return 'text';
}

function examplesByField(schemas: Schemas): Map<string, unknown> {
  const found = new Map<string, unknown>();
  for (const { properties } of Object.values(schemas)) {
    for (const [name, property] of Object.entries((properties ?? {}) as Record<string, Node>)) {
      const { example } = property;
      if (example !== undefined && example !== null && !found.has(keyOf(name, property))) {
        found.set(keyOf(name, property), example);
      }
    }
  }
  return found;
}

/** Nullable or not, a field of one name and type means the same. */
function keyOf(field: string, { type }: Node): string {
  return `${field} ${[type].flat().find((each) => each !== 'null') as string}`;
}
