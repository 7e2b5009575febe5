/** Decimals as the API sends them, in text. They are added and compared as integers, so that no cent is lost. */

interface Decimal {
  readonly units: bigint;
  /** How many of the digits are behind the point. */
  readonly scale: number;
}

const DECIMAL = /^-?(?:\d+\.?\d*|\.\d+)$/;

export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

export function add(a: string, b: string): string {
  const [x, y] = aligned(a, b);
  return textOf({ units: x.units + y.units, scale: x.scale });
}

export function multiply(a: string, b: string): string {
  const [x, y] = [parse(a), parse(b)];
  return textOf({ units: x.units * y.units, scale: x.scale + y.scale });
}

/** Rounded towards zero to so many digits behind the point. */
export function divide(a: string, b: string, digits: number): string {
  const [x, y] = aligned(a, b);
  if (y.units === 0n) throw new RangeError('division by zero');
  return textOf({ units: (x.units * 10n ** BigInt(digits)) / y.units, scale: digits });
}

export function compare(a: string, b: string): number {
  const [x, y] = aligned(a, b);
  return x.units < y.units ? -1 : x.units > y.units ? 1 : 0;
}

export function isZero(text: string): boolean {
  return parse(text).units === 0n;
}

/** The largest multiple of `step` that is not above a positive decimal, such as a size in whole lots. */
export function floorTo(text: string, step: string): string {
  const [x, y] = aligned(text, step);
  return textOf({ units: x.units - (x.units % y.units), scale: x.scale });
}

/** How many digits a step such as `0.01` has behind the point. */
export function scaleOf(step: string): number {
  return parse(textOf(parse(step))).scale;
}

/** With exactly so many digits behind the point, further ones cut off; for columns that align. */
export function fixed(text: string, digits: number): string {
  const { units, scale } = parse(text);
  const cut = scale > digits ? units / 10n ** BigInt(scale - digits) : units * 10n ** BigInt(digits - scale);
  return signed(cut, digits);
}

/** With thin spaces between the thousands. */
export function grouped(text: string): string {
  const [whole = '', fraction] = text.split('.');
  const spaced = whole.replace(/\B(?=(?:\d{3})+$)/g, '\u202f');
  return fraction === undefined ? spaced : `${spaced}.${fraction}`;
}

/** The change from one price to another in percent, with two digits and its sign; null from nothing. */
export function percentChange(from: string, to: string): string | null {
  if (isZero(from)) return null;
  const [x, y] = aligned(from, to);
  const text = signed(((y.units - x.units) * 10_000n) / x.units, 2);
  return text.startsWith('-') || /^0\.00$/.test(text) ? text : `+${text}`;
}

/** For pictures alone, where a float is as good as a pixel. */
export function forDrawing(text: string): number {
  return Number(text);
}

function parse(text: string): Decimal {
  if (!isDecimal(text)) throw new RangeError(`not a decimal: ${text}`);
  const [whole = '', fraction = ''] = text.split('.');
  const digits = (whole === '-' ? '-0' : whole) + fraction;
  return { units: BigInt(digits), scale: fraction.length };
}

function aligned(a: string, b: string): [Decimal, Decimal] {
  const [x, y] = [parse(a), parse(b)];
  const scale = Math.max(x.scale, y.scale);
  const to = ({ units, scale: own }: Decimal): Decimal => ({
    units: units * 10n ** BigInt(scale - own),
    scale,
  });
  return [to(x), to(y)];
}

function textOf({ units, scale }: Decimal): string {
  const text = signed(units, scale);
  return scale === 0 ? text : text.replace(/\.?0+$/, '');
}

function signed(units: bigint, digits: number): string {
  const sign = units < 0n ? '-' : '';
  const text = (units < 0n ? -units : units).toString().padStart(digits + 1, '0');
  return digits === 0 ? sign + text : `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
}
