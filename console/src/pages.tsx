import type { JSX } from 'preact';
import { MarketPage } from './pages/market.jsx';
import { MarketsPage } from './pages/markets.jsx';
import { words } from './words.js';

interface Page {
  /** The first part of its path. */
  readonly path: string;
  readonly title: string;
  readonly render: () => JSX.Element;
}

/** Those of the navigation, in its order. */
export const PAGES: readonly Page[] = [
  { path: 'markets', title: words.markets.title, render: () => <MarketsPage /> },
];

/** The page at a path such as `markets/BTC-USD`; the first page is also at no path at all. */
export function pageAt(name: string, parameter: string | undefined): Page | undefined {
  if (name === '' && parameter === undefined) return PAGES[0];
  if (name === 'markets' && parameter !== undefined) {
    return {
      path: 'markets',
      title: parameter,
      render: () => <MarketPage key={parameter} marketId={parameter} />,
    };
  }
  return parameter === undefined ? PAGES.find(({ path }) => path === name) : undefined;
}
