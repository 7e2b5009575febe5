import { benchMatching } from '../matching.js';
import { type Figure, rate, ratioFigure } from '../support/figures.js';

const RATIO_LEAST = 25;

/** The matching code alone, without ledger or service, against npm's order book. */
export async function benchMatchingAlone(): Promise<Figure[]> {
  const { rows } = await benchMatching();
  return rows.map(({ restingOrders, oursPerSecond, peerPerSecond, ratio }) =>
    ratioFigure(
      `matching alone / nodejs-order-book, ${restingOrders.toLocaleString('en-US')} orders in the book`,
      ratio,
      RATIO_LEAST,
      `${rate(oursPerSecond)} / ${rate(peerPerSecond)}`,
    ),
  );
}
