import type { FieldValue } from '../../domain/fields.js';
import { isStorableText } from '../storable-text.js';
import { parseUtcTime } from '../http/validation/is-utc-time.js';

const TEXT_LENGTH_MAX = 2_000;
const CHOICES_MAX = 100;
const CHOICE_LENGTH_MAX = 64;
const DECIMAL = /^-?(0|[1-9]\d{0,17})(\.\d{1,18})?$/;
const DECIMAL_LENGTH_MAX = 38;
const INTEGER = /^-?(?:0|[1-9]\d{0,15})$/;
const INTEGER_LENGTH_MAX = 17;
const TIME_LENGTH = 24;

interface FieldTypeOptions {
  /** The end of "must be …". */
  readonly expects: string;
  /** JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Of a value as JSON, in characters. */
  readonly lengthMax: number;
  /** The value as it is stored; `undefined` for one of another type. */
  readonly valueOf: (value: unknown) => FieldValue | undefined;
  /** The same of a query's text. */
  readonly valueOfText?: (text: string) => FieldValue | undefined;
  /** Why no field may be of this type; null where one may. */
  readonly problem?: string | null;
  readonly isText?: boolean;
}

/** What a declared field may hold. */
export class FieldType {
  readonly expects: string;
  readonly schema: FieldTypeOptions['schema'];
  readonly lengthMax: number;
  readonly valueOf: FieldTypeOptions['valueOf'];
  readonly valueOfText: (text: string) => FieldValue | undefined;
  readonly problem: string | null;
  /** Whether it holds what somebody has written, which erasure deletes. */
  readonly isText: boolean;

  constructor(options: FieldTypeOptions) {
    this.expects = options.expects;
    this.schema = options.schema;
    this.lengthMax = options.lengthMax;
    this.valueOf = options.valueOf;
    this.valueOfText = options.valueOfText ?? options.valueOf;
    this.problem = options.problem ?? null;
    this.isText = options.isText ?? false;
  }
}

/** Text of 1 to `max` characters. */
export function text(max: number): FieldType {
  const isRight = Number.isInteger(max) && max >= 1 && max <= TEXT_LENGTH_MAX;
  return new FieldType({
    expects: `text of 1 to ${max} characters`,
    schema: { type: 'string', minLength: 1, maxLength: max },
    lengthMax: max,
    valueOf: (value) =>
      typeof value === 'string' && value.length >= 1 && value.length <= max && isStorableText(value)
        ? value
        : undefined,
    problem: isRight ? null : `needs text(max) with max from 1 to ${TEXT_LENGTH_MAX}`,
    isText: true,
  });
}

/** One of some texts, each of 1 to 64 characters. */
export function oneOf(...choices: readonly string[]): FieldType {
  const isRight =
    choices.length >= 1 &&
    choices.length <= CHOICES_MAX &&
    new Set(choices).size === choices.length &&
    choices.every(
      (choice) =>
        typeof choice === 'string' &&
        choice.length >= 1 &&
        choice.length <= CHOICE_LENGTH_MAX &&
        isStorableText(choice),
    );
  return new FieldType({
    expects: `one of ${choices.join(', ')}`,
    schema: { type: 'string', enum: choices },
    lengthMax: CHOICE_LENGTH_MAX,
    valueOf: (value) => (typeof value === 'string' && choices.includes(value) ? value : undefined),
    problem: isRight
      ? null
      : `needs oneOf(…) with 1 to ${CHOICES_MAX} different texts of 1 to ${CHOICE_LENGTH_MAX} characters`,
  });
}

/** A whole number that a double holds exactly: of less than 2^53, with either sign. */
export const integer = new FieldType({
  expects: 'a whole number between -(2^53 - 1) and 2^53 - 1',
  schema: {
    type: 'integer',
    format: 'int64',
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
  },
  lengthMax: INTEGER_LENGTH_MAX,
  valueOf: safeInteger,
  valueOfText: (value) => (INTEGER.test(value) ? safeInteger(Number(value)) : undefined),
});

/** A decimal in a string: up to 18 whole and 18 fraction digits, with either sign. Stored without trailing zeros. */
export const decimal = new FieldType({
  expects: 'a plain decimal in a string, such as "-0.1"',
  schema: { type: 'string', format: 'decimal', pattern: DECIMAL.source },
  lengthMax: DECIMAL_LENGTH_MAX,
  valueOf: (value) => (typeof value === 'string' && DECIMAL.test(value) ? shortestDecimal(value) : undefined),
});

export const bool = new FieldType({
  expects: 'true or false',
  schema: { type: 'boolean' },
  lengthMax: 'false'.length,
  valueOf: (value) => (typeof value === 'boolean' ? value : undefined),
  valueOfText: (value) => (value === 'true' ? true : value === 'false' ? false : undefined),
});

/** An RFC 3339 time in UTC, to the millisecond. */
export const timestamp = new FieldType({
  expects: 'an RFC 3339 time in UTC, such as "2026-11-01T12:00:00.000Z"',
  schema: { type: 'string', format: 'date-time' },
  lengthMax: TIME_LENGTH,
  valueOf: (value) => {
    const timeMs = typeof value === 'string' ? parseUtcTime(value) : undefined;
    return timeMs === undefined ? undefined : new Date(timeMs).toISOString();
  },
});

/** Without a negative zero, which JSON would not keep. */
function safeInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value + 0 : undefined;
}

function shortestDecimal(value: string): string {
  const short = value.includes('.') ? value.replace(/\.?0+$/, '') : value;
  return short === '-0' ? '0' : short;
}
