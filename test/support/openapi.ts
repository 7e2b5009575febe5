import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readFile } from 'node:fs/promises';

/** The parts of the committed OpenAPI document that tests use. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** By type of event. */
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, { flows?: Record<string, { scopes: object }> }>>;
  };
}

export interface Operation {
  readonly summary?: string;
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { description: string; content?: Record<string, Media> }>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Schema {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly [keyword: string]: unknown;
}

export interface NamedOperation extends Operation {
  /** Such as `GET /orders/{order_id}`. */
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

/** The committed `openapi.json`. */
export async function readOpenApi(): Promise<OpenApiDocument> {
  return JSON.parse(await readFile('openapi.json', 'utf8')) as OpenApiDocument;
}

export function operationsOf(document: OpenApiDocument): NamedOperation[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => {
      const method = verb.toUpperCase();
      return { ...operation, method, path, name: `${method} ${path}` };
    }),
  );
}

/** All examples of a body, in either form. */
export function examplesOf({ example, examples = {} }: Media): unknown[] {
  return [example, ...Object.values(examples).map(({ value }) => value)].filter((each) => each !== undefined);
}

/** Checks a value against a schema of the document; returns the error, if any. */
export function schemaChecker(
  document: OpenApiDocument,
): (schema: Schema, value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  // Our own format, which a pattern beside it also expresses.
  ajv.addFormat('decimal', true);
  ajv.addSchema({ $id: 'openapi', ...document });
  const compiled = new Map<Schema, ValidateFunction>();
  return (schema, value) => {
    const absolute = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/');
    const validate = compiled.get(schema) ?? ajv.compile(JSON.parse(absolute) as object);
    compiled.set(schema, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors);
  };
}
