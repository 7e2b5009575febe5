/** A price step as the feed writes it: `minmov / pricescale`, where the scale is a power of ten. */
export interface PriceFormat {
  readonly minmov: number;
  readonly pricescale: number;
}

/** The step of a canonical decimal text, exactly: 0.25 is 25 / 100. */
export function priceFormatOf(tickSize: string): PriceFormat {
  const [whole = '', fraction = ''] = tickSize.split('.');
  return { minmov: Number(whole + fraction), pricescale: Number(`1${'0'.repeat(fraction.length)}`) };
}

/** How many decimals a canonical decimal text has: 0.01 has two, 100 has none. */
export function decimalsOf(text: string): number {
  return text.split('.')[1]?.length ?? 0;
}
