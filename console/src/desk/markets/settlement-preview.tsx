import type { JSX } from 'preact';
import { grouped } from '../../decimal.js';
import { useLoaded } from '../../live.js';
import { Facts } from '../../parts/facts.jsx';
import { WhenLoaded } from '../../parts/notice.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

const W = words.deskMarkets;

interface SettlementPreviewProps {
  readonly marketId: string;
  readonly value: string;
}

/** Who would get what. */
export function SettlementPreview({ marketId, value }: SettlementPreviewProps): JSX.Element {
  const loaded = useLoaded(`${marketId} ${value}`, (signal) =>
    session.value.client.post('/admin/markets/{market_id}/settlement/preview', {
      params: { path: { market_id: marketId } },
      body: { settlement_value: value },
      signal,
    }),
  );
  return (
    <WhenLoaded of={loaded}>
      {(preview) => (
        <Facts
          of={[
            [W.value, preview.settlement_value],
            [W.contracts, grouped(preview.contracts)],
            [W.longs, preview.long_accounts],
            [W.toLongs, `${grouped(preview.to_longs)} ${preview.asset}`],
            [W.shorts, preview.short_accounts],
            [W.toShorts, `${grouped(preview.to_shorts)} ${preview.asset}`],
          ]}
        />
      )}
    </WhenLoaded>
  );
}

/** Who would get what by the value that is proposed. */
export function ProposedSettlement({ marketId }: { readonly marketId: string }): JSX.Element {
  const loaded = useLoaded(marketId, (signal) =>
    session.value.client.get('/admin/markets/{market_id}/settlement', {
      params: { path: { market_id: marketId } },
      signal,
    }),
  );
  return (
    <WhenLoaded of={loaded}>
      {({ proposal }) =>
        proposal !== null && <SettlementPreview marketId={marketId} value={proposal.settlement_value} />
      }
    </WhenLoaded>
  );
}
