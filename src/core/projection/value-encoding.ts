/**
 * Values as bytes, column by column, for the journal. Neighbours in a column are alike, so integers and
 * times are kept as the difference to the one before, and a text is written once and then referred to by its
 * number. `docs/journal.md` describes the format; `EFFECTS_VERSION` changes with it.
 */
import type { Value, ValueKind, ValueSink } from '../tables/values.js';

/** Differences beyond this would leave the safe integers once they carry a sign; such values are kept whole. */
const DIFFERENCE_MAX = 2 ** 50;
const TWO_31 = 2 ** 31;
/** PostgreSQL's columns hold 38 digits. */
const NUMERIC_END = 10n ** 38n;
const BIGINT_END = 2n ** 63n;
/** A numeric passes through here on its way between a `bigint` and its bytes, lowest first. */
const HALVES = new BigUint64Array(2);
const BYTES = new Uint8Array(HALVES.buffer);
if (new Uint8Array(new Uint16Array([1]).buffer)[0] !== 1)
  throw new Error('this needs a little-endian machine');

/** How an integer or a time begins; all else is a difference. */
const NULL = 0;
const WHOLE = 1;
const FIRST_DIFFERENCE = 2;
/** Marks a new text; any other number refers to a known one. */
const NEW_WORD = 1;
const FIRST_WORD = 2;

/**
 * Encodes columns. It refuses values that the tables could not hold: when the tables are written, it is too late to
 * refuse.
 */
export class ValueWriter implements ValueSink {
  private buffer: Buffer;
  private length = 0;
  /** The last integer or time of the column; the next one is stored as a difference. */
  private last = 0;
  private readonly words = new Map<string, number>();

  /** `baseMs` is the base of the first time of each column; the reader needs the same. */
  constructor(
    private readonly baseMs: number,
    expectedBytes = 1024,
  ) {
    this.buffer = Buffer.allocUnsafe(expectedBytes);
  }

  beginColumn(kind: ValueKind): void {
    this.last = kind === 'time' ? this.baseMs : 0;
  }

  /** A whole number from 0, outside of any column. */
  count(value: number): void {
    this.reserve(8);
    this.unsigned(value);
  }

  integer(value: number | null): void {
    this.reserve(9);
    if (value === null) {
      this.buffer[this.length++] = NULL;
      return;
    }
    if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no safe integer`);
    const difference = value - this.last;
    this.last = value;
    if (difference > DIFFERENCE_MAX || difference < -DIFFERENCE_MAX) {
      this.buffer[this.length++] = WHOLE;
      this.length = this.buffer.writeDoubleLE(value, this.length);
      return;
    }
    this.unsigned(FIRST_DIFFERENCE + (difference < 0 ? -2 * difference - 1 : 2 * difference));
  }

  time(ms: number | null): void {
    this.integer(ms);
  }

  bigint(value: bigint): void {
    if (value >= BIGINT_END || value < -BIGINT_END) throw new RangeError(`${value} does not fit in 64 bits`);
    this.numeric(value);
  }

  /** A byte of 1 + sign + 2 × the number of bytes that follow, then the absolute value, lowest byte first. */
  numeric(value: bigint | null): void {
    this.reserve(17);
    if (value === null) {
      this.buffer[this.length++] = NULL;
      return;
    }
    const sign = value < 0n ? 1 : 0;
    const absolute = sign === 1 ? -value : value;
    if (absolute >= NUMERIC_END) throw new RangeError(`${value} has more than 38 digits`);
    // An element keeps the lowest 64 bits of its input.
    HALVES[0] = absolute;
    HALVES[1] = absolute >> 64n;
    let bytes = HALVES[1] === 0n ? 8 : 16;
    while (bytes > 0 && BYTES[bytes - 1] === 0) bytes--;
    this.buffer[this.length++] = 1 + sign + 2 * bytes;
    for (let index = 0; index < bytes; index++) this.buffer[this.length++] = BYTES[index]!;
  }

  text(value: string | null): void {
    if (value === null) return this.count(NULL);
    const number = this.words.get(value);
    if (number !== undefined) return this.count(number);
    if (value.includes('\0')) throw new RangeError('a text has a NUL character');
    this.words.set(value, FIRST_WORD + this.words.size);
    const bytes = Buffer.byteLength(value);
    this.reserve(10 + bytes);
    this.unsigned(NEW_WORD);
    this.unsigned(bytes);
    this.length += this.buffer.write(value, this.length, 'utf8');
  }

  bool(value: boolean): void {
    this.reserve(1);
    this.buffer[this.length++] = value ? 1 : 0;
  }

  finish(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  /** Seven bits a byte, lowest first; the top bit says that more follow. */
  private unsigned(value: number): void {
    let rest = value;
    while (rest >= TWO_31) {
      this.buffer[this.length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      this.buffer[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.buffer[this.length++] = rest;
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + bytes));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

/** Reads what a `ValueWriter` wrote, in the same order of columns. */
export class ValueReader {
  private position = 0;
  private last = 0;
  private readonly words: string[] = [];

  constructor(
    private readonly buffer: Buffer,
    private readonly baseMs: number,
  ) {}

  /** A whole number from 0, outside of any column. */
  count(): number {
    const first = this.buffer[this.position];
    if (first !== undefined && first < 128) {
      this.position++;
      return first;
    }
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }

  /** The values of the next column. */
  column(kind: ValueKind, rows: number): Value[] {
    this.beginColumn(kind);
    // As long as it becomes: one that grows takes up several times its size.
    const values = new Array<Value>(rows);
    for (let row = 0; row < rows; row++) values[row] = this.value(kind);
    return values;
  }

  /** Before the first `value` of each column. */
  beginColumn(kind: ValueKind): void {
    this.last = kind === 'time' ? this.baseMs : 0;
  }

  value(kind: ValueKind): Value {
    switch (kind) {
      case 'integer':
      case 'time':
        return this.integer();
      case 'bigint':
      case 'numeric':
        return this.numeric();
      case 'text':
        return this.text();
      case 'bool':
        return this.byte() === 1;
    }
  }

  get isAtEnd(): boolean {
    return this.position === this.buffer.length;
  }

  private integer(): number | null {
    const begin = this.count();
    if (begin === NULL) return null;
    if (begin === WHOLE) {
      this.need(8);
      this.last = this.buffer.readDoubleLE(this.position);
      this.position += 8;
      return this.last;
    }
    const folded = begin - FIRST_DIFFERENCE;
    this.last += folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
    return this.last;
  }

  private numeric(): bigint | null {
    const begin = this.byte();
    if (begin === NULL) return null;
    const isNegative = (begin - 1) % 2 === 1;
    const bytes = (begin - 1) >> 1;
    this.need(bytes);
    if (bytes > BYTES.length) throw new RangeError('a number is too long');
    BYTES.fill(0);
    for (let index = 0; index < bytes; index++) BYTES[index] = this.buffer[this.position++]!;
    const absolute = bytes <= 8 ? HALVES[0]! : (HALVES[1]! << 64n) | HALVES[0]!;
    return isNegative ? -absolute : absolute;
  }

  private text(): string | null {
    const begin = this.count();
    if (begin === NULL) return null;
    if (begin >= FIRST_WORD) {
      const word = this.words[begin - FIRST_WORD];
      if (word === undefined) throw new RangeError('the bytes refer to a word that was not written');
      return word;
    }
    const bytes = this.count();
    this.need(bytes);
    const word = this.buffer.toString('utf8', this.position, this.position + bytes);
    this.position += bytes;
    this.words.push(word);
    return word;
  }

  private byte(): number {
    this.need(1);
    return this.buffer[this.position++]!;
  }

  private need(bytes: number): void {
    if (this.position + bytes > this.buffer.length) throw new RangeError('the bytes end too early');
  }
}
