import { benchMatching } from '../matching.js';
import { type Figure, fixed, rate, ratioFigure } from '../support/figures.js';

const RATIO_LEAST = 25;
/** The other book takes 50 µs for each. */
const COMMANDS = 300_000;

/** The matching code alone, without ledger or service, against npm's order book. */
export async function benchMatchingAlone(): Promise<Figure[]> {
  const { rows } = await benchMatching(COMMANDS);
  return rows.map(({ restingOrders, oursPerSecond, peerPerSecond, ratio }, i) => {
    const what = `matching alone / nodejs-order-book, ${restingOrders.toLocaleString('en-US')} orders in the book`;
    const basis = `${rate(oursPerSecond)} / ${rate(peerPerSecond)}`;
    // The promise is about the figure of record, which comes first; the others show how it depends on the book.
    return i === 0
      ? ratioFigure(what, ratio, RATIO_LEAST, basis)
      : { what, measured: fixed(ratio), goal: '', basis };
  });
}
