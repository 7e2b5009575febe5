/**
 * Converts between decimals, as people write them, and the whole ticks and lots of the engine. Conversions are exact: a
 * figure that is not a whole number of steps is refused, never rounded.
 */
import {
  type Amount,
  amountOf,
  decimalsOf,
  AMOUNT_DECIMALS,
  formatAmount,
  mulDiv,
  parseAmount,
  UNITS_PER_ONE,
} from '../money/amount.js';

/** What a market's definition says of its steps. */
interface MarketSteps {
  readonly tickSize: Amount;
  readonly lotSize: Amount;
}

/** Why a figure is refused: it lies between two steps, or beyond safe integers. */
export type StepMisfit = 'not_a_multiple' | 'too_large';

/** Sums and products of up to this many decimal digits are exact in a JavaScript number. */
const EXACT_DIGITS = 15;

/** A market's tick or lot: `mantissa × 10^-decimals`. */
export class DecimalStep {
  private readonly decimals: number;
  /** NaN if the step has too many digits for the fast path. */
  private readonly mantissa: number;
  private readonly powerOfTen: number;

  constructor(readonly size: Amount) {
    this.decimals = decimalsOf(size);
    const mantissa = size / 10n ** BigInt(AMOUNT_DECIMALS - this.decimals);
    this.mantissa = mantissa < 10n ** BigInt(EXACT_DIGITS) ? Number(mantissa) : Number.NaN;
    this.powerOfTen = 10 ** this.decimals;
  }

  /** How many steps a decimal has; `text` was validated before. */
  countOf(text: string): number | StepMisfit {
    const point = text.indexOf('.');
    const wholeDigits = point < 0 ? text.length : point;
    if (Number.isNaN(this.mantissa) || wholeDigits + this.decimals > EXACT_DIGITS)
      return this.countExactly(text);
    const units = point < 0 ? Number(text) * this.powerOfTen : this.unitsOf(text, point);
    return units % this.mantissa === 0 ? units / this.mantissa : 'not_a_multiple';
  }

  /** The canonical decimal of `count` steps; a negative count keeps its sign. */
  format(count: number): string {
    const units = count * this.mantissa;
    if (!Number.isSafeInteger(units)) return formatAmount(this.amountOf(count));
    if (units < 0) return `-${this.format(-count)}`;
    if (this.decimals === 0) return String(units);
    const digits = String(units).padStart(this.decimals + 1, '0');
    const split = digits.length - this.decimals;
    let end = digits.length;
    while (end > split && digits.charCodeAt(end - 1) === 48) end--;
    return end === split ? digits.slice(0, split) : `${digits.slice(0, split)}.${digits.slice(split, end)}`;
  }

  /** `count` steps in units of 10^-18. */
  amountOf(count: number): Amount {
    return (BigInt(count) * this.size) as Amount;
  }

  /** The figure in units of 10^-decimals. NaN, a multiple of nothing, if it has more decimals. */
  private unitsOf(text: string, point: number): number {
    let end = text.length;
    while (text.charCodeAt(end - 1) === 48) end--;
    const missing = this.decimals - (end - point - 1);
    if (missing < 0) return Number.NaN;
    return Number(text.slice(0, point) + text.slice(point + 1, end)) * 10 ** missing;
  }

  private countExactly(text: string): number | StepMisfit {
    const units = parseAmount(text);
    if (units === undefined) throw new RangeError(`not a plain decimal: ${text}`);
    if (units % this.size !== 0n) return 'not_a_multiple';
    const count = Number(units / this.size);
    return Number.isSafeInteger(count) ? count : 'too_large';
  }
}

/** A hundredth of a percent, where a figure is a percentage. */
export const BASIS_POINT = new DecimalStep(amountOf('0.01'));

/** The units in which one market counts prices and sizes. */
export class MarketUnits {
  readonly price: DecimalStep;
  readonly size: DecimalStep;

  constructor(definition: MarketSteps) {
    this.price = new DecimalStep(definition.tickSize);
    this.size = new DecimalStep(definition.lotSize);
  }

  /**
   * Price times size; exact because a market's ticks and lots have at most 18 decimals together. The sign is that of
   * the lots.
   */
  notional(priceTicks: number, lots: number): Amount {
    return ((this.price.amountOf(priceTicks) * this.size.amountOf(lots)) / UNITS_PER_ONE) as Amount;
  }

  /** `value` divided by the size of `lots`, rounded down at 10^-18; null for no lots. */
  pricePer(value: Amount, lots: number): Amount | null {
    if (lots === 0) return null;
    return mulDiv(value, UNITS_PER_ONE, this.size.amountOf(lots), 'down') as Amount;
  }
}

const unitsByDefinition = new WeakMap<MarketSteps, MarketUnits>();

/** The units of a market, computed once: a definition is never changed in place. */
export function unitsOf(definition: MarketSteps): MarketUnits {
  let units = unitsByDefinition.get(definition);
  if (units === undefined) {
    units = new MarketUnits(definition);
    unitsByDefinition.set(definition, units);
  }
  return units;
}
