import type { ArgumentMetadata, Type } from '@nestjs/common';
import { Expose, Transform, Type as NestedType } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '../errors.js';
import { compileRules } from './compiled-rules.js';
import { CompiledValidationPipe, createReferencePipe } from './compiled-validation.pipe.js';
import { IsPlainDecimal } from './is-plain-decimal.js';
import { NullMeansSomething } from './null-means-something.js';
import { QueryBoolean, QueryInteger, QueryText } from './query.js';

type Outcome = { accepted: unknown } | { refused: unknown };

const pipe = new CompiledValidationPipe();
const reference = createReferencePipe();

const outcomeOf = async (transform: () => unknown): Promise<Outcome> => {
  try {
    return { accepted: await transform() };
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError);
    const { code, details } = error as ApiError;
    return { refused: { code, details } };
  }
};

const metadataOf = (metatype: Type): ArgumentMetadata => ({ type: 'body', metatype, data: undefined });
const byPipe = (metatype: Type, value: unknown): Promise<Outcome> =>
  outcomeOf(() => pipe.transform(structuredClone(value), metadataOf(metatype)));
const byReference = (metatype: Type, value: unknown): Promise<Outcome> =>
  outcomeOf(() => reference.transform(structuredClone(value), metadataOf(metatype)));

/** They say by themselves that the field is optional. */
const OPTIONAL_RULES = [QueryInteger(1, 9), QueryBoolean(), QueryText(2)];

/** Rules by the kind of value that they are about; a field takes some of one kind. */
const RULES: Readonly<Record<string, readonly PropertyDecorator[]>> = {
  text: [
    IsString(),
    Length(1, 3),
    IsIn(['a', 'b', 3]),
    Matches(/^a/),
    IsString({ validateIf: (_object, value) => value !== 3 }),
  ],
  integer: [IsInt(), Min(2), Max(5)],
  flag: [IsBoolean(), IsDefined()],
  decimal: [IsPlainDecimal(), IsPlainDecimal({ positive: true })],
  list: [IsArray(), ArrayMaxSize(2), IsString({ each: true }), IsInt({ each: true })],
  query: [OPTIONAL_RULES[0]!],
  queryFlag: [OPTIONAL_RULES[1]!],
  queryText: [OPTIONAL_RULES[2]!],
  converted: [
    (target, name) => {
      IsDefined()(target, name);
      Transform(({ value }: { value: unknown }) => (value === 'b' ? 'a' : value))(target, name);
    },
  ],
};

const OPTIONAL = IsOptional();
const CONDITIONS: readonly PropertyDecorator[] = [
  OPTIONAL,
  ValidateIf((object: { a?: unknown }) => object.a === 'a'),
];

const FIELD_NAMES = ['a', 'b', 'c'] as const;

interface FieldShape {
  readonly rules: readonly PropertyDecorator[];
  readonly conditions: readonly PropertyDecorator[];
  readonly nested: boolean;
  readonly initial?: unknown;
}

type Shape = Partial<Record<(typeof FIELD_NAMES)[number], FieldShape>>;

// A field with a default but without rules would make the real pipe refuse every value.
const ruleSets = fc
  .constantFrom(...Object.values(RULES))
  .chain((rules) => fc.subarray([...rules], { minLength: 1 }));
const shapes: fc.Arbitrary<Shape> = fc.record(
  Object.fromEntries(
    FIELD_NAMES.map((name) => [
      name,
      fc.record(
        {
          rules: ruleSets,
          conditions: fc.subarray([...CONDITIONS]),
          nested: fc.boolean(),
          initial: fc.constantFrom('a', 3, undefined),
        },
        { requiredKeys: ['rules', 'conditions', 'nested'] },
      ),
    ]),
  ),
  { requiredKeys: [] },
);

function dtoOf(shape: Shape, nestedType?: Type): Type {
  class Dto {
    constructor() {
      for (const [name, field] of Object.entries(shape)) {
        if ('initial' in field) (this as Record<string, unknown>)[name] = field.initial;
      }
    }
  }
  for (const [name, field] of Object.entries(shape)) {
    for (const decorate of [...field.rules, ...field.conditions]) decorate(Dto.prototype, name);
    if (field.nested && nestedType) {
      ValidateNested({ each: true })(Dto.prototype, name);
      NestedType(() => nestedType)(Dto.prototype, name);
    }
  }
  return Dto;
}

/** The value without what is null in an optional field of the shape, and in those of the shape within. */
function withoutNulls(value: unknown, shape: Shape, inner: Shape = {}): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, shape, inner));
  if (typeof value !== 'object' || value === null) return value;
  const isOptional = (name: string): boolean => {
    const { conditions = [], rules = [] } = shape[name as keyof Shape] ?? {};
    return conditions.includes(OPTIONAL) || rules.some((rule) => OPTIONAL_RULES.includes(rule));
  };
  const kept = Object.entries(value).filter(([name, member]) => member !== null || !isOptional(name));
  return Object.fromEntries(
    kept.map(([name, member]) => [
      name,
      shape[name as keyof Shape]?.nested ? withoutNulls(member, inner) : (member as unknown),
    ]),
  );
}

const leaves = fc.constantFrom<unknown>(
  ...['a', 'b', 'ab', '', 'abcd', '1', '0', '01', '0.10', 'true', '1e3', '0x1', '9'],
  ...[0, 1, 3, 5, 2.5, -1, true, false, null],
);
const fieldsNamed = (names: readonly string[], inner: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(names.map((name) => [name, inner])), { requiredKeys: [] });
const fields = (inner: fc.Arbitrary<unknown>): fc.Arbitrary<object> =>
  fc.oneof(
    { weight: 7, arbitrary: fieldsNamed(FIELD_NAMES, inner) },
    { weight: 1, arbitrary: fieldsNamed([...FIELD_NAMES, 'unknown'], inner) },
  );
const values = fields(
  fc.oneof(
    { weight: 4, arbitrary: leaves },
    fc.array(leaves, { maxLength: 3 }),
    fields(leaves),
    fc.array(fc.oneof(fields(leaves), leaves), { maxLength: 3 }),
  ),
);

describe('CompiledValidationPipe', () => {
  it('says what the real ValidationPipe says where null is left out of optional fields, whatever the class and the value', async () => {
    let accepted = 0;
    let compiled = 0;
    const cases = fc.record({
      outer: shapes,
      inner: shapes,
      bodies: fc.array(values, { minLength: 1, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ outer, inner, bodies }) => {
        const type = dtoOf(outer, dtoOf(inner));
        if (compileRules(type)) compiled++;
        for (const body of [{}, ...bodies]) {
          const expected = await byReference(type, withoutNulls(body, outer, inner));
          expect(await byPipe(type, body)).toEqual(expected);
          if ('accepted' in expected) accepted++;
        }
      }),
      { numRuns: 400 },
    );
    // A generator that never makes a valid value would prove nothing.
    expect(accepted).toBeGreaterThan(100);
    expect(compiled).toBe(400);
  });

  class ItemDto {
    @IsPlainDecimal({ positive: true })
    price: string;
  }

  class BatchDto {
    @IsArray()
    @ArrayMaxSize(3)
    @ValidateNested({ each: true })
    @NestedType(() => ItemDto)
    orders: ItemDto[];

    @QueryInteger(1, 200)
    limit = 50;
  }

  it('makes instances, with nested ones and defaults', async () => {
    const dto = (await pipe.transform({ orders: [{ price: '1' }] }, metadataOf(BatchDto))) as BatchDto;
    expect(dto).toBeInstanceOf(BatchDto);
    expect(dto.orders[0]).toBeInstanceOf(ItemDto);
    expect(dto.limit).toBe(50);
  });

  it('takes null for nothing in optional fields, also deep inside, and refuses it in others', async () => {
    class InnerDto {
      @IsOptional()
      @IsString()
      note?: string;

      @IsString()
      name: string;
    }
    class OuterDto {
      @IsOptional()
      @IsArray()
      tags: string[] = ['usual'];

      @IsOptional()
      @NullMeansSomething()
      @IsString()
      until?: string | null;

      @ValidateNested({ each: true })
      @NestedType(() => InnerDto)
      inner: InnerDto[];
    }
    const body = { tags: null, until: null, inner: [{ note: null, name: 'a' }] };
    const inner = [Object.assign(new InnerDto(), { name: 'a' })];
    expect(await byPipe(OuterDto, body)).toEqual({
      accepted: Object.assign(new OuterDto(), { tags: ['usual'], until: null, inner }),
    });
    expect(await byPipe(OuterDto, { inner: [{ name: null }] })).toHaveProperty('refused');
    // The sender's body stays unchanged: repeats are compared with it.
    const sent = structuredClone(body);
    await pipe.transform(sent, metadataOf(OuterDto));
    expect(sent).toEqual(body);
  });

  it('names the path of a nested field, and unknown fields', async () => {
    const body = { orders: [{ price: '1' }, { price: 1, side: 'buy' }], limit: '7', extra: true };
    const { refused } = (await byPipe(BatchDto, body)) as { refused: { details: { field: string }[] } };
    expect(refused.details.map((detail) => detail.field).sort()).toEqual([
      'extra',
      'orders.1.price',
      'orders.1.side',
    ]);
  });

  it.each([[[]], ['text'], [5], [[{ orders: [] }]]])('refuses %j where an object is due', async (body) => {
    expect(await byPipe(BatchDto, body)).toEqual(await byReference(BatchDto, body));
    expect(await byPipe(BatchDto, body)).toHaveProperty('refused');
  });

  it('takes an absent body as an empty one', async () => {
    class FilterDto {
      @IsOptional()
      @IsString()
      note?: string;
    }
    expect(await byPipe(FilterDto, undefined)).toEqual({ accepted: new FilterDto() });
    expect(await byPipe(BatchDto, undefined)).toHaveProperty('refused');
  });

  it('leaves to the real pipe what it cannot compile', async () => {
    class GroupedDto {
      @IsString({ groups: ['admin'] })
      name: string;
    }
    class ExposedDto {
      @Expose({ name: 'id' })
      @IsString()
      key: string;
    }
    for (const type of [GroupedDto, ExposedDto]) {
      expect(compileRules(type)).toBeUndefined();
      for (const body of [{ name: 'a' }, { id: 'a' }, {}, { key: 1 }]) {
        expect(await byPipe(type, body)).toEqual(await byReference(type, body));
      }
    }
  });

  it('leaves plain types and custom parameters alone', () => {
    expect(pipe.transform('x', { type: 'param', metatype: String, data: 'id' })).toBe('x');
    expect(pipe.transform(7, { type: 'custom', metatype: BatchDto, data: undefined })).toBe(7);
  });
});

describe('IsPlainDecimal', () => {
  class DecimalDto {
    @IsPlainDecimal()
    value: string;
  }

  it.each(['0', '0.1', '0.10', '100', `${'9'.repeat(18)}.${'9'.repeat(18)}`])('takes %s', async (value) => {
    expect(await byPipe(DecimalDto, { value })).toEqual({
      accepted: Object.assign(new DecimalDto(), { value }),
    });
  });

  it.each([
    ...[
      '1e400',
      'NaN',
      '0x10',
      ' 1',
      '1 ',
      '１',
      '−1',
      '-0',
      '-1',
      '+1',
      '00012',
      '01',
      '1_000',
      '1,5',
      '1.',
      '.1',
      '',
    ],
    ...['9'.repeat(30), `0.${'1'.repeat(19)}`, '1\n', 'Infinity', 1, 0.1, null, true, [], ['1'], {}],
  ])('refuses %j', async (value) => {
    expect(await byPipe(DecimalDto, { value })).toHaveProperty('refused.code', 'validation_failed');
  });
});
