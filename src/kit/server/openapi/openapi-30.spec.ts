import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from 'vitest';
import { asOpenApi30 } from './openapi-30.js';
import { operationsOf } from './operations.js';
import { isOfType, type Node, nodesWithin } from './schemas.js';

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
const old = asOpenApi30(structuredClone(document), 'POST /news/webhooks');

/** Examples are data; a field of an answer may be called `type`. */
function withoutData(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutData);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([name]) => !['example', 'value', 'default'].includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutData(member)]));
}

const schemasOf = (whole: OpenAPIObject): Node[] => nodesWithin(withoutData(whole));
const asOld = (schema: object): unknown => {
  const whole = { ...document, paths: {}, webhooks: {}, components: { schemas: { Schema: schema } } };
  return asOpenApi30(structuredClone(whole) as OpenAPIObject, '').components?.schemas?.['Schema'];
};

describe('the document in OpenAPI 3.0', () => {
  it('has nothing that 3.0 does not know', () => {
    expect(old.openapi).toBe('3.0.3');
    expect(old).not.toHaveProperty('webhooks');
    expect(old.info.license).not.toHaveProperty('identifier');
    for (const node of schemasOf(old)) {
      if (typeof node['$ref'] === 'string') expect(Object.keys(node)).toEqual(['$ref']);
      if (typeof node['type'] === 'object') expect(Array.isArray(node['type'])).toBe(false);
      expect(isOfType(node, 'null')).toBe(false);
      if (typeof node['const'] === 'string') expect(node).not.toHaveProperty('const');
    }
  });

  it('has every operation, schema, reference and example of the whole', () => {
    const names = (whole: OpenAPIObject): string[] =>
      operationsOf(whole).map(({ method, path, operation }) => `${method} ${path} ${operation.operationId}`);
    expect(names(old)).toEqual(names(document));
    for (const kind of ['schemas', 'parameters', 'responses', 'headers', 'securitySchemes'] as const) {
      expect(Object.keys(old.components?.[kind] ?? {})).toEqual(
        Object.keys(document.components?.[kind] ?? {}),
      );
    }
    const references = (whole: OpenAPIObject): number =>
      schemasOf(whole).filter((node) => typeof node['$ref'] === 'string').length;
    expect(references(old)).toBe(references(document));
    const withExample = (whole: OpenAPIObject): number =>
      nodesWithin(whole).filter((node) => 'example' in node).length;
    expect(withExample(old)).toBe(withExample(document));
  });

  it('says of as many values that they may be null', () => {
    const isNullable = (node: Node): boolean =>
      (isOfType(node, 'null') && Array.isArray(node['type'])) ||
      ['oneOf', 'anyOf'].some((choice) =>
        ((node[choice] ?? []) as Node[]).some((each) => isOfType(each, 'null')),
      );
    const nullable = schemasOf(old).filter((node) => node['nullable'] === true);
    expect(nullable.length).toBeGreaterThan(100);
    expect(nullable).toHaveLength(schemasOf(document).filter(isNullable).length);
  });

  it('has the webhooks as callbacks of what registers them', () => {
    const callbacks = old.paths['/news/webhooks']?.post?.callbacks ?? {};
    expect(Object.keys(callbacks)).toEqual(Object.keys(document.webhooks ?? {}));
    expect(callbacks).toHaveProperty(['order.filled', '{$request.body#/url}', 'post', 'requestBody']);
  });

  it.each([
    [{ type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [{ type: ['string', 'integer'] }, { anyOf: [{ type: 'string' }, { type: 'integer' }] }],
    [{ const: 'a' }, { enum: ['a'] }],
    [
      { type: 'integer', exclusiveMinimum: 0 },
      { type: 'integer', minimum: 0, exclusiveMinimum: true },
    ],
    [
      { type: 'number', exclusiveMaximum: 1 },
      { type: 'number', maximum: 1, exclusiveMaximum: true },
    ],
    [
      { $ref: '#/a', description: 'An a.' },
      { description: 'An a.', allOf: [{ $ref: '#/a' }] },
    ],
    [{ oneOf: [{ $ref: '#/a' }, { type: 'null' }] }, { nullable: true, allOf: [{ $ref: '#/a' }] }],
    [
      { anyOf: [{ $ref: '#/a' }, { $ref: '#/b' }, { type: 'null' }] },
      { nullable: true, anyOf: [{ $ref: '#/a' }, { $ref: '#/b' }] },
    ],
    [
      { properties: { const: { type: ['null', 'boolean'] }, example: { const: 1 } }, example: { const: 1 } },
      {
        properties: { const: { type: 'boolean', nullable: true }, example: { enum: [1] } },
        example: { const: 1 },
      },
    ],
  ])('puts %j as %j', (schema, expected) => {
    expect(asOld(schema)).toEqual(expected);
  });
});
