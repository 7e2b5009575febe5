/** How the types of EIP-712 are written: `uint256`, `bytes`, `Person`, `Person[2][]`. */

export interface FieldType {
  /** A built-in type or the name of a struct. */
  readonly base: string;
  /** Of the list, and then of the lists in it. */
  readonly lengths: readonly (number | 'any')[];
}

export interface IntegerRange {
  readonly min: bigint;
  readonly max: bigint;
}

/** Solidity allows `$` too, but not all that hash typed data agree on it. */
export const IDENTIFIER = /^[A-Za-z_]\w{0,63}$/;

const BITS = Array.from({ length: 32 }, (_, i) => (i + 1) * 8).join('|');
const SIZES = Array.from({ length: 32 }, (_, i) => i + 1).join('|');

/** `int` and `uint` alone stand for nothing in EIP-712, and `bytes0` or `uint7` are no types at all. */
export const ATOMIC_TYPE = new RegExp(`^(?:address|bool|string|u?int(?:${BITS})|bytes(?:${SIZES})?)$`);

const FIELD_TYPE = /^([A-Za-z_]\w{0,63})((?:\[(?:[1-9][0-9]{0,3})?\]){0,4})$/;

/** `undefined` for an invalid type, or more than four dimensions. */
export function parseFieldType(text: string): FieldType | undefined {
  const [, base, suffix] = FIELD_TYPE.exec(text) ?? [];
  if (base === undefined || suffix === undefined) return undefined;
  const lengths = [...suffix.matchAll(/\[(\d*)\]/g)].map(([, digits]) => (digits ? Number(digits) : 'any'));
  // `Person[2][]` is any number of lists of two: the last bracket is the outermost.
  return { base, lengths: lengths.reverse() };
}

export function integerTypeOf(type: string): IntegerRange | undefined {
  const [, unsigned, digits] = /^(u?)int(\d+)$/.exec(type) ?? [];
  if (digits === undefined) return undefined;
  const bits = BigInt(digits);
  return unsigned
    ? { min: 0n, max: 2n ** bits - 1n }
    : { min: -(2n ** (bits - 1n)), max: 2n ** (bits - 1n) - 1n };
}

/** How many bytes a `bytesN` has. */
export function bytesTypeOf(type: string): number | 'any' {
  return type === 'bytes' ? 'any' : Number(type.slice('bytes'.length));
}
