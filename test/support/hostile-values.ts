/** Values that a hostile or a careless client sends, and the fields for them: bodies and parameters of the document. */
import type { OpenApiDocument, Schema } from './openapi.js';

/** Raw JSON text that no JavaScript value produces, such as `1e400` or a member named `__proto__`. */
export class RawJson {
  constructor(readonly text: string) {}
}

const WRONG_TYPES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  '',
  'x',
  '0',
  [],
  [null],
  {},
  { a: { b: [1] } },
  new RawJson('9007199254740993'),
  new RawJson('1e400'),
];

const EXTREMES: readonly unknown[] = [
  new RawJson('-0'),
  new RawJson('-1e400'),
  new RawJson('0.1e-400'),
  new RawJson(`1${'0'.repeat(400)}`),
  new RawJson('{"__proto__":{"admin":true}}'),
  new RawJson('{"a":1,"a":2}'),
  { constructor: { prototype: {} } },
  { prototype: 1 },
  { toString: 1, valueOf: 2 },
  1e21,
  -(2 ** 53),
  2 ** 31,
  ' ',
  '-1',
  '-0',
  '1e5',
  '+1',
  '1_000',
  '0x10',
  'NaN',
  'Infinity',
  '00',
  '1.',
  '.5',
  '0.0000000000000000001',
  '999999999999999999.999999999999999999',
  '9'.repeat(400),
  'x'.repeat(10_000),
  '💥'.repeat(5_000),
  '\u202egnp.exe',
  'e\u0301'.repeat(100),
  '\ufeff',
  '\u2028',
  'a\nb\r\nc\td',
  '\0',
  '\ud800',
  '\udc00a',
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  '../../../etc/passwd',
  "'; DROP TABLE orders; --",
  '%00%ff',
  '${7*7}',
  'null',
  'undefined',
  'me',
  'acc_00000000000',
  'acc_7ZZZZZZZZZZ',
  'ord_ZZZZZZZZZZZ',
  '2026-02-30',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59.999999999Z',
  '+275760-09-13T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  '2026-01-01T00:00:60Z',
  'http://[::1]:0/',
  'javascript:alert(1)',
  '(a+)+$',
  Array.from({ length: 1_000 }, () => 'x'),
  Array.from({ length: 300 }, (_, i) => ({ i })),
  [[[[[[[[[[]]]]]]]]]],
  ['x', 'x'],
  ['', null, {}],
];

/** Values for addresses and forms, which carry text only. */
const WRONG_TEXTS = ['', 'x', '0', '-1', '1.5', 'null', '[]', '{}', '9007199254740993', '1e400'];

/** A seeded generator of numbers in [0, 1). */
export function randomsFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Values for one field of a JSON body: at most `share` of each kind. */
export function hostileValues(random: () => number, share: number): unknown[] {
  return [...sample(WRONG_TYPES, share, random), ...sample(EXTREMES, share, random)];
}

/** Values for one parameter, or one field of a form. */
export function hostileTexts(random: () => number, share: number): string[] {
  const texts = EXTREMES.filter((each): each is string => typeof each === 'string');
  return [...sample(WRONG_TEXTS, share, random), ...sample(texts, share, random)];
}

function sample<Item>(items: readonly Item[], count: number, random: () => number): Item[] {
  const left = [...items];
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0]!,
  );
}

/** Like `JSON.stringify`, with `RawJson` inserted verbatim. */
export function toJson(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(toJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${toJson(member)}`).join(',')}}`;
}

type Path = readonly (string | number)[];

export interface Field {
  readonly path: Path;
  /** A body in which the field can be set: optional parents may have to be added first. */
  readonly body: unknown;
}

/** Every field of a body, at any depth, including those that its example lacks. */
export function fieldsOf(document: OpenApiDocument, schema: Schema, body: unknown): Field[] {
  const found: Field[] = [];
  const walk = (declared: Schema, path: Path, whole: unknown): void => {
    const { properties, items } = resolved(document, declared);
    for (const [name, property] of Object.entries((properties ?? {}) as Record<string, Schema>)) {
      const inner = [...path, name];
      found.push({ path: inner, body: whole });
      const sampled = at(whole, inner) ?? sampleOf(document, property);
      if (typeof sampled === 'object' && inner.length < 6)
        walk(property, inner, withValue(whole, inner, sampled));
    }
    const [first] = (Array.isArray(at(whole, path)) ? at(whole, path) : []) as unknown[];
    if (items !== undefined && first !== undefined) {
      found.push({ path: [...path, 0], body: whole });
      walk(items as Schema, [...path, 0], whole);
    }
  };
  walk(schema, [], body);
  return found;
}

/** A copy of the body with the value at the path; `undefined` leaves the member out. */
export function withValue(body: unknown, path: Path, value: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  const copy = (Array.isArray(body) ? [...(body as unknown[])] : { ...(body as object) }) as Record<
    string | number,
    unknown
  >;
  copy[first] = withValue(copy[first], rest, value);
  return copy;
}

function at(body: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, name) => (inner as Record<string | number, unknown> | null)?.[name],
    body,
  );
}

function resolved(document: OpenApiDocument, schema: Schema): Schema {
  const [only] = (schema['allOf'] ?? schema['oneOf'] ?? schema['anyOf'] ?? []) as Schema[];
  if (only !== undefined) return resolved(document, only);
  if (schema.$ref === undefined) return schema;
  return resolved(document, document.components.schemas[schema.$ref.split('/').at(-1)!]!);
}

/** A sample of an optional object that the example lacks. */
function sampleOf(document: OpenApiDocument, schema: Schema): unknown {
  const { example, properties, type } = resolved(document, schema);
  if (example !== undefined) return example;
  if (type === 'array') return undefined;
  if (properties === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(properties as Record<string, Schema>).map(([name, property]) => [
      name,
      sampleOf(document, property),
    ]),
  );
}
