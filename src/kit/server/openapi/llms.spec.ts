import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from 'vitest';
import { ERROR_MEANINGS } from '../../../openapi/error-meanings.js';
import { llmsFullText, llmsText } from './llms.js';
import { operationsOf } from './operations.js';

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as OpenAPIObject;

describe('what language models read of the API', () => {
  it('has every operation once, with a link to it', () => {
    const text = llmsText(document);
    expect(text).toMatch(/^# Tradepost\n\n> A marketplace and trading service/);
    for (const { method, path, operation } of operationsOf(document)) {
      const link = `(/docs#/${operation.tags?.[0]}/${operation.operationId}): \`${method.toUpperCase()} ${path}\`\n`;
      expect(text.split(link), link).toHaveLength(2);
    }
  });

  it('has in full what is sent, and how it fails', () => {
    const text = llmsFullText(document, ERROR_MEANINGS);
    const [, order = ''] = text.split('### POST /orders\n');
    const [shown = ''] = order.split('\n### ');
    expect(shown).toContain('"market_id":"BTC-USD"');
    expect(shown).toContain('`Idempotency-Key` (header)');
    expect(shown).toContain('client_credentials');
    expect(shown).toMatch(/^- 404: .*`market_not_found`/m);
    expect(text).not.toMatch(/undefined|\[object/);
  });

  it('and readers of the page of errors find a meaning for each code', () => {
    const code = document.components?.schemas?.['Error'];
    expect(code).toHaveProperty('properties.code.enum', Object.keys(ERROR_MEANINGS));
  });
});
