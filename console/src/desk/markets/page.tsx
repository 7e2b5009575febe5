import type { JSX } from 'preact';
import { SubNav } from '../../parts/sub-nav.jsx';
import type { PageProps } from '../../router.jsx';
import { words } from '../../words/index.js';
import { AllMarkets } from './all.jsx';
import { Assets } from './assets.jsx';
import { CreateMarket } from './create.jsx';
import { OneMarket } from './market.jsx';

const PARTS = words.deskMarkets.parts;

export function MarketDesk({ rest: [part = 'all'] }: PageProps): JSX.Element {
  return (
    <>
      <SubNav label={words.deskMarkets.title} base="desk/markets" parts={PARTS} current={part} />
      {part === 'all' && <AllMarkets />}
      {part === 'create' && <CreateMarket />}
      {part === 'assets' && <Assets />}
      {!(part in PARTS) && <OneMarket key={part} marketId={part} />}
    </>
  );
}
