import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../../decimal.js';
import { useLoaded } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { Facts } from '../../parts/facts.jsx';
import { Form, TextField, useAction } from '../../parts/form.jsx';
import { WhenLoaded } from '../../parts/notice.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { forInput, fromInput, type MarketTerms, TERM_FIELDS, TermFields } from './market-fields.jsx';
import { Settlement } from './settlement.jsx';

type Market = components['schemas']['MarketDto'];
type Change = components['schemas']['UpdateMarketDto'];

const W = words.deskMarkets;

const change = (marketId: string, body: Change): Promise<unknown> =>
  session.value.client.patch('/admin/markets/{market_id}', {
    params: { path: { market_id: marketId } },
    body,
  });

export function OneMarket({ marketId }: { readonly marketId: string }): JSX.Element {
  // Counts what was changed here, so that the parts below begin anew.
  const [changes, setChanges] = useState(0);
  const loaded = useLoaded(`${marketId} ${changes}`, (signal) =>
    session.value.client.get('/markets/{market_id}', {
      params: { path: { market_id: marketId } },
      signal,
    }),
  );
  const onChanged = (): void => setChanges(changes + 1);
  return (
    <WhenLoaded of={loaded}>
      {(market) => (
        <>
          <Overview market={market} onChanged={onChanged} />
          {market.kind === 'event' && <Settlement market={market} onChanged={onChanged} />}
          <Terms market={market} onChanged={onChanged} />
        </>
      )}
    </WhenLoaded>
  );
}

interface MarketProps {
  readonly market: Market;
  readonly onChanged: () => void;
}

/** What may be done by a market's state. */
const ACTS: Readonly<Record<Market['status'], readonly ('open' | 'halted' | 'closed')[]>> = {
  scheduled: ['open', 'closed'],
  open: ['halted', 'closed'],
  halted: ['open', 'closed'],
  closed: [],
  settling: [],
  settled: [],
};

function Overview({ market, onChanged }: MarketProps): JSX.Element {
  const { market_id: id, status, title, ticker } = market;
  return (
    <section class="panel">
      <div class="row">
        <h2>{`${id}: ${words.status[status]}`}</h2>
        <Link to={`markets/${encodeURIComponent(id)}`}>{W.see}</Link>
      </div>
      <Facts
        of={[
          [W.name, title],
          [W.kind, W.kinds[market.kind]],
          [W.tick, market.tick_size],
          [W.lot, market.lot_size],
          [W.last, ticker.last_price && grouped(ticker.last_price)],
          [W.volume, grouped(ticker.volume_24h)],
          [W.interest, ticker.open_interest && grouped(ticker.open_interest)],
          [W.opens, market.opens_at && <Moment at={market.opens_at} />],
        ]}
      />
      <div class="filters">
        {ACTS[status].map((act) => (
          <Confirm
            key={act}
            label={W.acts[act]}
            of={id}
            what={W.acts[`${act}What`]}
            isDangerous={act !== 'open'}
            work={() => change(id, { status: act })}
            onDone={onChanged}
          />
        ))}
      </div>
    </section>
  );
}

function termsOf(market: Market): MarketTerms & { readonly closes_at: string } {
  return {
    title: market.title,
    description: market.description,
    category: market.category,
    min_size: market.min_size,
    max_size: market.max_size,
    min_notional: market.min_notional,
    price_min: market.price_min,
    price_max: market.price_max,
    maker_fee_rate: market.maker_fee_rate,
    taker_fee_rate: market.taker_fee_rate,
    closes_at: forInput(market.closes_at),
  };
}

function Terms({ market, onChanged }: MarketProps): JSX.Element | null {
  // As it was read or saved here: what another operator has changed meanwhile is not sent, and stays.
  const [known, setKnown] = useState(() => termsOf(market));
  const [draft, setDraft] = useState(known);
  const action = useAction([...TERM_FIELDS, 'closes_at']);
  if (market.status === 'settling' || market.status === 'settled') return null;
  const save = async (): Promise<string> => {
    const { closes_at: closes, ...terms } = draft;
    const changed = TERM_FIELDS.filter((name) => terms[name] !== known[name]);
    await change(market.market_id, {
      ...Object.fromEntries(changed.map((name) => [name, terms[name]])),
      ...(closes !== known.closes_at && { closes_at: fromInput(closes) }),
    });
    setKnown(draft);
    onChanged();
    return W.saved;
  };
  return (
    <section class="panel">
      <h2>{W.change}</h2>
      <p class="hint">{W.changeHint}</p>
      <Form label={W.change} submit={W.save} action={action} onSubmit={() => void action.run(save)}>
        <TermFields
          terms={draft}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
          errors={action.errors}
        />
        <TextField
          label={W.closes}
          type="datetime-local"
          value={draft.closes_at}
          onChange={(at) => setDraft({ ...draft, closes_at: at })}
          error={action.errors['closes_at']}
        />
      </Form>
    </section>
  );
}
