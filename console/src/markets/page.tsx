import type { JSX } from 'preact';
import { useLoaded } from '../live.js';
import { WhenLoaded } from '../parts/notice.jsx';
import type { PageProps } from '../router.jsx';
import { MarketList } from './list.jsx';

/** All markets, or one of them, which needs much more code. */
export function Markets({ rest: [marketId] }: PageProps): JSX.Element {
  const code = useLoaded(
    marketId === undefined ? null : 'market',
    async () => (await import('../market/page.jsx')).MarketPage,
  );
  if (marketId === undefined) return <MarketList />;
  return (
    <WhenLoaded of={code}>{(MarketPage) => <MarketPage key={marketId} marketId={marketId} />}</WhenLoaded>
  );
}
