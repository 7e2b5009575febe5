import type { JSX } from 'preact';
import { forDrawing } from '../decimal.js';
import { words } from '../words/index.js';
import { type BookView, cumulative } from './book.jsx';

const WIDTH = 600;
const HEIGHT = 120;

/** How far the picture reaches beyond the nearer end of the book: an order far away would flatten all others. */
const REACH = 1.5;

type Side = ReturnType<typeof cumulative>;

function aroundTheMiddle(book: BookView): { readonly bids: Side; readonly asks: Side } {
  const [bids, asks] = [cumulative(book.bids), cumulative(book.asks)];
  const priceAt = (side: Side, at: number): number => forDrawing(side.at(at)?.[0] ?? '0');
  if (bids.length === 0 || asks.length === 0) return { bids, asks };
  const middle = (priceAt(bids, 0) + priceAt(asks, 0)) / 2;
  const reach = REACH * Math.min(middle - priceAt(bids, -1), priceAt(asks, -1) - middle);
  const isNear = ([price]: Side[number]): boolean => Math.abs(forDrawing(price) - middle) <= reach;
  return { bids: bids.filter(isNear), asks: asks.filter(isNear) };
}

/** How much could be bought and sold up to each price. */
export function Depth({ book }: { readonly book: BookView }): JSX.Element {
  const { bids, asks } = aroundTheMiddle(book);
  const prices = [...bids, ...asks].map(([price]) => forDrawing(price));
  const [low, high] = [Math.min(...prices), Math.max(...prices)];
  const most = Math.max(...[bids, asks].map((side) => forDrawing(side.at(-1)?.[2] ?? '0')));
  const x = (price: string): number =>
    high === low ? WIDTH / 2 : ((forDrawing(price) - low) / (high - low)) * WIDTH;
  const y = (total: string): number => HEIGHT - (forDrawing(total) / most) * (HEIGHT - 8);
  const area = (side: Side): string => {
    let height = HEIGHT;
    const steps = side.map(([price, , total]) => {
      const from = height;
      height = y(total);
      return `L${x(price).toFixed(1)},${from.toFixed(1)} L${x(price).toFixed(1)},${height.toFixed(1)}`;
    });
    const [first, last] = [side[0], side.at(-1)];
    if (first === undefined || last === undefined) return '';
    return `M${x(first[0]).toFixed(1)},${HEIGHT} ${steps.join(' ')} L${x(last[0]).toFixed(1)},${HEIGHT} Z`;
  };
  return (
    <section class="depth">
      <h2>{words.market.depth}</h2>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        <path class="buy" d={area(bids)} />
        <path class="sell" d={area(asks)} />
      </svg>
    </section>
  );
}
