import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

interface Operation {
  readonly summary?: string;
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly { name: string; in: string; schema: Schema; example?: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { description: string; content?: Record<string, Media> }>>;
}
interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
interface Schema {
  readonly $ref?: string;
  readonly example?: unknown;
  readonly [keyword: string]: unknown;
}
interface Document {
  readonly openapi: string;
  readonly tags: readonly { name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, { flows?: Record<string, { scopes: object }> }>>;
  };
}

const run = promisify(execFile);

let document: Document;
let operations: { name: string; operation: Operation }[];

beforeAll(async () => {
  document = JSON.parse(await readFile('openapi.json', 'utf8')) as Document;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
});

describe('openapi.json', () => {
  it('is what the built service says of itself', async () => {
    await run('npm', ['run', '--silent', 'openapi', '--', '--check']);
  });

  it('is OpenAPI 3.1 throughout', () => {
    expect(document.openapi).toBe('3.1.0');
    for (const schema of schemasWithin(document)) expect(schema).not.toHaveProperty('nullable');
  });

  it('gives every operation a summary, an id of its own and one declared tag', () => {
    const tags = document.tags.map(({ name }) => name);
    for (const { name, operation } of operations) {
      expect(operation.summary, name).toMatch(/^[A-Z].{5,80}[^.]$/);
      expect(operation.tags, name).toHaveLength(1);
      expect(tags, name).toContain(operation.tags?.[0]);
    }
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length);
  });

  it('names only schemes and scopes that it declares', () => {
    for (const { name, operation } of operations) {
      for (const [scheme, scopes] of (operation.security ?? []).flatMap(Object.entries<readonly string[]>)) {
        const declared = document.components.securitySchemes[scheme];
        expect(declared, `${name}: ${scheme}`).toBeDefined();
        const offered = Object.values(declared?.flows ?? {}).flatMap((flow) => Object.keys(flow.scopes));
        expect(offered, `${name}: ${scheme}`).toEqual(expect.arrayContaining([...scopes]));
      }
    }
  });

  it('says how every operation succeeds and fails', () => {
    for (const { name, operation } of operations) {
      const statuses = Object.keys(operation.responses);
      expect(statuses.filter((status) => /^[23]/.test(status)).length, name).toBeGreaterThan(0);
      expect(statuses, name).toContain('default');
      if (operation.security?.length) expect(statuses, name).toEqual(expect.arrayContaining(['401', '403']));
      for (const [status, { description, content }] of Object.entries(operation.responses)) {
        if (!/^2/.test(status)) expect(description, `${name} ${status}`).not.toBe('');
        if (/^2/.test(status) && status !== '204') expect(content, `${name} ${status}`).toBeDefined();
      }
    }
  });

  it('answers failures with the envelope, but for the standard token endpoint', () => {
    for (const { name, operation } of operations.filter((each) => !each.name.includes(' /oauth/'))) {
      for (const [status, { content }] of Object.entries(operation.responses)) {
        if (!/^[45]|default/.test(status) || name.includes('/health/ready')) continue;
        expect(content?.['application/json']?.schema?.$ref, `${name} ${status}`).toBe(
          '#/components/schemas/ErrorEnvelope',
        );
      }
    }
  });

  it('gives every request body an example', () => {
    for (const { name, operation } of operations) {
      for (const media of Object.values(operation.requestBody?.content ?? {})) {
        expect(examplesOf(media).length, name).toBeGreaterThan(0);
      }
    }
  });

  it('has only examples that are valid', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    // What the house calls a plain decimal; its pattern says the rest.
    ajv.addFormat('decimal', true);
    ajv.addSchema({ $id: 'openapi', ...document });
    const complaints: string[] = [];
    const check = (where: string, schema: Schema, example: unknown): void => {
      if (example === undefined) return;
      const valid = ajv.validate(withAbsoluteReferences(schema), example);
      if (!valid) complaints.push(`${where}: ${JSON.stringify(example)} ${ajv.errorsText()}`);
    };
    for (const { name, operation } of operations) {
      for (const { schema, example, ...parameter } of operation.parameters ?? []) {
        check(`${name} ${parameter.name}`, schema, example ?? schema.example);
      }
      const responses = Object.values(operation.responses).flatMap(({ content }) =>
        Object.values(content ?? {}),
      );
      for (const media of [...Object.values(operation.requestBody?.content ?? {}), ...responses]) {
        for (const example of examplesOf(media)) check(name, media.schema ?? {}, example);
      }
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      for (const nested of schemasWithin(schema)) check(name, nested, nested.example);
    }
    expect(complaints).toEqual([]);
  });
});

function examplesOf({ example, examples = {} }: Media): unknown[] {
  return [example, ...Object.values(examples).map(({ value }) => value)].filter((each) => each !== undefined);
}

/** All objects under `value`, itself included; every schema is among them. */
function schemasWithin(value: unknown): Schema[] {
  if (typeof value !== 'object' || value === null) return [];
  return [
    ...(Array.isArray(value) ? [] : [value as Schema]),
    ...Object.values(value).flatMap((nested: unknown) => schemasWithin(nested)),
  ];
}

function withAbsoluteReferences(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/')) as Schema;
}
