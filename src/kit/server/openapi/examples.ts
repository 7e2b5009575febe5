import type { OpenAPIObject } from '@nestjs/swagger';

type SchemaOrReference = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];
type Schema = Exclude<SchemaOrReference, { $ref: string }>;
type Schemas = Readonly<Record<string, SchemaOrReference>>;

/**
 * Gives every request body one complete example, built from the examples of its fields, and every path
 * parameter the example of the field of the same name. An optional field without an example is left out: tools that
 * generate examples would fill in all fields, including mutually exclusive ones.
 */
export function addRequestExamples(document: OpenAPIObject): void {
  const schemas: Schemas = document.components?.schemas ?? {};
  for (const path of Object.values(document.paths)) {
    for (const operation of [path.get, path.put, path.post, path.patch, path.delete]) {
      const body = operation?.requestBody;
      if (body && 'content' in body) {
        for (const media of Object.values(body.content)) {
          // A route's own examples take precedence.
          if (media.examples === undefined)
            media.example ??= media.schema && exampleOf(media.schema, schemas);
        }
      }
      for (const parameter of operation?.parameters ?? []) {
        if (!('in' in parameter) || parameter.in !== 'path' || parameter.schema === undefined) continue;
        if (exampleOf(parameter.schema, schemas) !== undefined) continue;
        parameter.example ??= exampleOfField(parameter.name, schemas);
      }
    }
  }
}

/** The example built from those under a schema; `undefined` where there are none. */
function exampleOf(schema: SchemaOrReference, schemas: Schemas): unknown {
  const resolved = resolve(schema, schemas);
  if (resolved.example !== undefined) return resolved.example as unknown;
  const { items, properties } = resolved;
  if (items) {
    const item = exampleOf(items, schemas);
    return item === undefined ? undefined : [item];
  }
  if (!properties) return undefined;
  const fields = Object.entries(properties)
    .map(([name, property]) => [name, exampleOf(property, schemas)] as const)
    .filter(([, value]) => value !== undefined);
  return fields.length > 0 ? Object.fromEntries(fields) : undefined;
}

function exampleOfField(name: string, schemas: Schemas): unknown {
  for (const schema of Object.values(schemas)) {
    const field = resolve(schema, schemas).properties?.[name];
    const example = field && exampleOf(field, schemas);
    if (example !== undefined) return example;
  }
  return undefined;
}

function resolve(schema: SchemaOrReference, schemas: Schemas): Schema {
  if (!('$ref' in schema)) return schema;
  const name = schema.$ref.slice('#/components/schemas/'.length);
  const target = schemas[name];
  if (target === undefined) throw new Error(`The document refers to ${schema.$ref}, which it lacks.`);
  return resolve(target, schemas);
}
