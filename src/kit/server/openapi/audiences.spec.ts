import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from 'vitest';
import { AUDIENCES, type Audience, documentFor } from './audiences.js';
import { asOpenApi30 } from './openapi-30.js';
import { operationsOf } from './operations.js';
import { nodesWithin } from './schemas.js';
import { forExplorers } from './security.js';

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;
const { client_credentials: scheme } = document.components!.securitySchemes!;
const scopes = Object.keys(
  (scheme as { flows: { clientCredentials: { scopes: object } } }).flows.clientCredentials.scopes,
);
const terms = {
  roles: scopes.filter((scope) => scope === 'admin' || scope.startsWith('operator:')),
  sampleTags: ['Pets', 'Store'],
};
const partFor = (...audiences: Audience[]): OpenAPIObject =>
  documentFor(structuredClone(document), audiences, terms);
const namesIn = (part: OpenAPIObject): string[] =>
  operationsOf(part).map(({ method, path }) => `${method.toUpperCase()} ${path}`);

const kilobytes = (value: object): number =>
  brotliCompressSync(JSON.stringify(value), { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }).length /
  1_000;

describe('the parts of the document', () => {
  it('have each operation once between them', () => {
    const names = AUDIENCES.flatMap((audience) => namesIn(partFor(audience)));
    expect(names.toSorted()).toEqual(namesIn(document).toSorted());
  });

  it.each([
    ['public', 'GET /markets'],
    ['public', 'POST /auth/token'],
    ['public', 'POST /pet/{petId}'],
    ['trading', 'POST /orders'],
    ['trading', 'POST /user/password'],
    ['operator', 'POST /admin/markets'],
    ['operator', 'GET /metrics'],
  ] as const)('have in that for %s: %s', (audience, name) => {
    expect(namesIn(partFor(audience))).toContain(name);
  });

  it('have the components that they refer to, and no others', () => {
    for (const audience of AUDIENCES) {
      const part = partFor(audience);
      const references = new Set(
        nodesWithin(part).flatMap(({ $ref: reference }) =>
          typeof reference === 'string' ? [reference] : [],
        ),
      );
      for (const [kind, all] of Object.entries(part.components ?? {})) {
        if (kind === 'securitySchemes') continue;
        for (const name of Object.keys(all as object)) {
          expect(references.delete(`#/components/${kind}/${name}`), `${audience}: ${kind} ${name}`).toBe(
            true,
          );
        }
      }
      expect([...references], audience).toEqual([]);
    }
  });

  it('have the webhooks in that for customers alone', () => {
    expect(partFor('trading').webhooks).toEqual(document.webhooks);
    expect(partFor('public', 'operator')).not.toHaveProperty('webhooks');
  });

  it('are for explorers with three schemes, of which every operation that needs one takes one', () => {
    for (const audiences of [['public', 'trading'], ['operator']] as const) {
      const part = forExplorers(partFor(...audiences));
      expect(Object.keys(part.components?.securitySchemes ?? {})).toEqual([
        'client_credentials',
        'authorization_code',
        'session',
      ]);
      for (const { method, path, operation } of operationsOf(part)) {
        const before = document.paths[path]?.[method]?.security ?? [];
        if (before.length > 0) expect(operation.security, `${method} ${path}`).not.toEqual([]);
      }
    }
  });

  it('are small: a page is drawn and searched in what it loads', () => {
    const page = asOpenApi30(forExplorers(partFor('public', 'trading')), 'POST /news/webhooks');
    expect(kilobytes(page)).toBeLessThan(80);
    expect(operationsOf(page).length).toBeLessThan(240);
    expect(kilobytes(document)).toBeLessThan(103);
    expect(kilobytes(partFor('trading'))).toBeLessThan(62);
  });
});
