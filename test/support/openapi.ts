import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
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
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, { flows?: Record<string, { scopes: object }> }>>;
  };
}

export interface Operation {
  readonly summary?: string;
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly Parameter[] | undefined;
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Media>>;
}

export interface Header {
  readonly $ref?: string;
  readonly schema?: Schema;
  /** Whether the answer always has it. */
  readonly required?: boolean;
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

/** All operations, with the parameters and responses that they refer to. */
export function operationsOf(document: OpenApiDocument): NamedOperation[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([verb, operation]) => {
      const method = verb.toUpperCase();
      const parameters = operation.parameters?.map((each) => resolved(document, each));
      const responses = Object.fromEntries(
        Object.entries(operation.responses).map(([status, each]) => [status, resolved(document, each)]),
      );
      return { ...operation, parameters, responses, method, path, name: `${method} ${path}` };
    }),
  );
}

/** What a reference such as `#/components/responses/BadRequest` names, else the value itself. */
function resolved<T extends object>(document: OpenApiDocument, value: T): T {
  if (!('$ref' in value)) return value;
  const steps = (value.$ref as string).split('/').slice(1);
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T;
}

/** All examples of a body, in either form. */
export function examplesOf({ example, examples = {} }: Media): unknown[] {
  return [example, ...Object.values(examples).map(({ value }) => value)].filter((each) => each !== undefined);
}

/** Checks a value against a schema of the document; returns the errors, if any, in one line. */
export function schemaChecker(
  document: OpenApiDocument,
): (schema: Schema, value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  // Our own format, which a pattern beside it also expresses.
  ajv.addFormat('decimal', true);
  ajv.addSchema({ $id: 'openapi', ...document });
  const compiled = new Map<Schema, ValidateFunction>();
  const compile = (schema: Schema): ValidateFunction => {
    const absolute = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/');
    return ajv.compile(JSON.parse(absolute) as object);
  };
  return (schema, value) => {
    const validate = compiled.get(schema) ?? compile(schema);
    compiled.set(schema, validate);
    return validate(value) ? undefined : validate.errors?.map(wordsOf).join(', ');
  };
}

function wordsOf({ instancePath, message, params }: ErrorObject): string {
  const { additionalProperty, allowedValues } = params as Record<string, unknown>;
  const detail = (additionalProperty ?? (allowedValues as unknown[] | undefined)?.join(' | ')) as string;
  return `data${instancePath} ${message}${detail ? `: ${detail}` : ''}`;
}

/**
 * The document with each object closed to fields that its schema does not name. The document itself leaves room for
 * fields to come; an answer of today has none of them.
 */
export function closeObjects(document: OpenApiDocument): OpenApiDocument {
  const closed = structuredClone(document);
  for (const schema of Object.values(closed.components.schemas)) close(schema);
  for (const { responses } of Object.values(closed.paths).flatMap((item) => Object.values(item))) {
    for (const { content = {} } of Object.values(responses)) {
      for (const { schema } of Object.values(content)) close(schema);
    }
  }
  return closed;
}

function close(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Record<string, unknown>;
  if ('allOf' in schema) throw new Error('The parts of an `allOf` cannot be closed each on its own.');
  const { properties = {}, items, oneOf = [], anyOf = [], additionalProperties } = schema;
  if ('properties' in schema) schema['additionalProperties'] ??= false;
  for (const each of Object.values(properties as object)) close(each);
  for (const each of [items, additionalProperties, ...(oneOf as unknown[]), ...(anyOf as unknown[])])
    close(each);
}
