/**
 * Money, prices, sizes and rates are integers in units of 10^-18. The service never holds one of them in a float; text
 * is converted only here.
 */

declare const amountBrand: unique symbol;

/** An integer count of 10^-18 of an asset, or of a dimensionless figure such as a price or a rate. */
export type Amount = bigint & { readonly [amountBrand]: true };

export const AMOUNT_DECIMALS = 18;

/** How many units make one whole. */
export const UNITS_PER_ONE = 10n ** 18n;

/** Every stored amount is smaller than this; it is what `numeric(38,0)` holds. */
export const AMOUNT_LIMIT = 10n ** 38n;

export const ZERO = 0n as Amount;
export const ONE = UNITS_PER_ONE as Amount;

/** How to round below 10^-18; there is no default, each caller decides. */
export type Rounding = 'down' | 'up';

/** The only form of a decimal that the API takes: ASCII digits, no sign, no exponent, no padding. */
export const DECIMAL_PATTERN = /^(0|[1-9]\d{0,17})(\.\d{1,18})?$/;

/** Marks an integer that is already counted in units of 10^-18. */
export function amount(units: bigint): Amount {
  return units as Amount;
}

/** Parses a plain decimal; `undefined` for any other text. */
export function parseAmount(text: string): Amount | undefined {
  if (!DECIMAL_PATTERN.test(text)) return undefined;
  const point = text.indexOf('.');
  if (point < 0) return (BigInt(text) * UNITS_PER_ONE) as Amount;
  const whole = text.slice(0, point);
  const fraction = text.slice(point + 1).padEnd(AMOUNT_DECIMALS, '0');
  return BigInt(whole + fraction) as Amount;
}

/** Parses a decimal that the code itself wrote, such as a constant or a row; throws on anything else. */
export function amountOf(text: string): Amount {
  const negative = text.startsWith('-');
  const parsed = parseAmount(negative ? text.slice(1) : text);
  if (parsed === undefined) throw new RangeError(`not a plain decimal: ${text}`);
  return (negative ? -parsed : parsed) as Amount;
}

/** Formats canonically: no trailing zeros, no trailing point, a minus sign if negative. */
export function formatAmount(value: bigint): string {
  if (value < 0n) return `-${formatAmount(-value)}`;
  const digits = value.toString();
  if (digits.length <= AMOUNT_DECIMALS) return withFraction('0', digits.padStart(AMOUNT_DECIMALS, '0'));
  const split = digits.length - AMOUNT_DECIMALS;
  return withFraction(digits.slice(0, split), digits.slice(split));
}

function withFraction(whole: string, fraction: string): string {
  let end = fraction.length;
  while (end > 0 && fraction.charCodeAt(end - 1) === 48) end--;
  return end === 0 ? whole : `${whole}.${fraction.slice(0, end)}`;
}

/** `a * b / divisor` over non-negative integers, rounded as named. */
export function mulDiv(a: bigint, b: bigint, divisor: bigint, rounding: Rounding): bigint {
  const product = a * b;
  const quotient = product / divisor;
  return rounding === 'up' && quotient * divisor !== product ? quotient + 1n : quotient;
}

/** How many decimals a figure has: 0.01 has two, 100 has none. */
export function decimalsOf(value: Amount): number {
  if (value === 0n) return 0;
  let decimals = AMOUNT_DECIMALS;
  let rest: bigint = value;
  while (decimals > 0 && rest % 10n === 0n) {
    rest /= 10n;
    decimals--;
  }
  return decimals;
}
