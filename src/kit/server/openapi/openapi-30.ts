import type { OpenAPIObject } from '@nestjs/swagger';
import { isOfType, type Node } from './schemas.js';

/** Where the address of a webhook is in the request that registers it. */
const WEBHOOK_ADDRESS = '{$request.body#/url}';

/** Members whose values are data and no parts of the document. */
const DATA: ReadonlySet<string> = new Set(['default', 'enum', 'example', 'value']);

/** Members whose values are named parts: a field may be called `type` or `example`. */
const MAPS: ReadonlySet<string> = new Set([
  ...['callbacks', 'content', 'examples', 'headers', 'parameters', 'paths', 'properties'],
  ...['requestBodies', 'responses', 'schemas', 'securitySchemes', 'variables'],
]);

/**
 * The same document in OpenAPI 3.0.3, for tools that read nothing newer, or read it faster: Swagger UI does both. It says
 * the same in older words; webhooks become callbacks of the operation that registers them, `POST /webhooks` say.
 */
export function asOpenApi30(document: OpenAPIObject, registersWebhooks: string): OpenAPIObject {
  const { webhooks, ...others } = document;
  const old = partAs30(others) as OpenAPIObject;
  old.openapi = '3.0.3';
  const { license } = old.info;
  if (license !== undefined) old.info.license = { name: license.name };
  const [method = '', path = ''] = registersWebhooks.split(' ');
  const registers = (old.paths[path] as Record<string, Node> | undefined)?.[method.toLowerCase()];
  if (registers !== undefined && webhooks !== undefined) {
    registers['callbacks'] = Object.fromEntries(
      Object.entries(webhooks).map(([type, item]) => [type, { [WEBHOOK_ADDRESS]: partAs30(item) }]),
    );
  }
  return old;
}

function partAs30(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(partAs30);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => {
    if (DATA.has(name)) return [name, member as unknown];
    return [name, MAPS.has(name) && !Array.isArray(member) ? mapAs30(member) : partAs30(member)];
  });
  return schemaAs30(Object.fromEntries(members) as Node);
}

function mapAs30(map: unknown): unknown {
  if (typeof map !== 'object' || map === null) return map;
  return Object.fromEntries(Object.entries(map).map(([name, part]) => [name, partAs30(part)]));
}

/** What OpenAPI 3.0 has other words for; a part that is no schema has none of it. */
function schemaAs30(part: Node): Node {
  const { $ref: reference, const: only, exclusiveMinimum, exclusiveMaximum, ...others } = part;
  const schema: Node = others;
  // In 3.0 nothing may stand beside a reference.
  if (reference !== undefined) {
    if (Object.keys(others).length === 0) return { $ref: reference };
    schema['allOf'] = [{ $ref: reference }];
  }
  if (only !== undefined) schema['enum'] = [only];
  if (typeof exclusiveMinimum === 'number')
    Object.assign(schema, { minimum: exclusiveMinimum, exclusiveMinimum: true });
  if (typeof exclusiveMaximum === 'number')
    Object.assign(schema, { maximum: exclusiveMaximum, exclusiveMaximum: true });
  if (Array.isArray(schema['type'])) typesAs30(schema, schema['type'] as string[]);
  for (const choice of ['oneOf', 'anyOf'] as const) {
    if (Array.isArray(schema[choice])) choicesAs30(schema, choice, schema[choice] as Node[]);
  }
  return schema;
}

function typesAs30(schema: Node, types: readonly string[]): void {
  const others = types.filter((type) => type !== 'null');
  if (others.length < types.length) schema['nullable'] = true;
  delete schema['type'];
  if (others.length === 1) schema['type'] = others[0];
  else schema['anyOf'] = others.map((type) => ({ type }));
}

function choicesAs30(schema: Node, choice: 'oneOf' | 'anyOf', all: readonly Node[]): void {
  const others = all.filter((each) => !isOfType(each, 'null'));
  if (others.length === all.length) return;
  schema['nullable'] = true;
  schema[choice] = others;
  if (others.length > 1) return;
  schema['allOf'] = others;
  if (choice === 'oneOf') delete schema['oneOf'];
  else delete schema['anyOf'];
}
