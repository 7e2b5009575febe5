import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.js';
import { isReservedName } from '../text.js';
import { parseJsonBody } from './json-body.js';

const nested = (levels: number): string => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);

const namesIn = (json: string): string[] => {
  const names: string[] = [];
  JSON.parse(json, (name, value: unknown) => {
    names.push(name);
    return value;
  });
  return names;
};

const refused = (text: string): string => {
  try {
    parseJsonBody(text);
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    expect((error as ApiError).code).toBe('malformed_request');
    return (error as ApiError).message;
  }
  throw new Error(`was taken: ${text}`);
};

describe('parseJsonBody', () => {
  it('reads what JSON.parse reads', () => {
    const objects = fc.dictionary(
      fc.string({ unit: 'grapheme' }).filter((key) => !key.includes('\0')),
      fc.jsonValue({ maxDepth: 4 }),
    );
    fc.assert(
      fc.property(objects, fc.constantFrom(undefined, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        fc.pre(!text.includes('\\u') && !namesIn(text).some(isReservedName));
        expect(parseJsonBody(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('takes 32 levels and refuses 33', () => {
    expect(parseJsonBody(nested(32))).toBeTypeOf('object');
    expect(refused(nested(33))).toContain('nested deeper than 32');
  });

  it('refuses thousands of levels without running out of stack', () => {
    expect(refused(nested(8_000))).toContain('nested deeper');
    expect(refused('['.repeat(90_000))).toContain('nested deeper');
  });

  it('does not count braces, colons and escaped quotes inside texts', () => {
    const body = { text: `${'{['.repeat(50)}"\\":${':'.repeat(9)}\\`, 'a:b\\"': '\\\\' };
    expect(parseJsonBody(JSON.stringify(body))).toEqual(body);
  });

  it.each([
    ['a repeated member', '{"size":"1","size":"2"}'],
    ['a repeated member, escaped', '{"size":"1","\\u0073ize":"2"}'],
    ['a repeated member in a list', '[{"a":1},{"a":1,"b":2,"a":3}]'],
    ['__proto__', '{"__proto__":{"admin":true}}'],
    ['__proto__, escaped', '{"\\u005f_proto__":{"admin":true}}'],
    ['a method of every object', '{"a":[{"toString":1}]}'],
    ['constructor', '{"constructor":{"prototype":{}}}'],
    ['prototype', '{"prototype":{}}'],
    ['prototype, deep inside', '{"a":[{"b":{"prototype":1}}]}'],
    ['a byte order mark', '\ufeff{"a":1}'],
    ['something behind it', '{"a":1}{"a":1}'],
    ['a NUL behind it', '{"a":1}\0'],
    ['a NUL', '{"name":"a\\u0000b"}'],
    ['a NUL in a name', '{"a\\u0000b":1}'],
    ['half a surrogate pair', '{"name":"\\ud800"}'],
    ['half a surrogate pair in a list', '{"names":["\\udc00x"]}'],
    ['broken JSON', '{"a":'],
    ['an unfinished text', '{"a":"b'],
    ['a bare text', '"a"'],
    ['a bare number', '1'],
    ['null', 'null'],
    ['nothing but space', '  '],
    ['a trailing comma', '{"a":1,}'],
    ['NaN', '{"a":NaN}'],
  ])('refuses %s', (_name, text) => {
    refused(text);
  });

  it('takes a whole surrogate pair, escaped', () => {
    expect(parseJsonBody('{"name":"\\ud83d\\ude00"}')).toEqual({ name: '😀' });
  });
});
