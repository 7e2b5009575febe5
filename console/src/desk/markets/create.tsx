import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Amount, Choice } from '../../parts/field.jsx';
import { Form, TextField, useAction } from '../../parts/form.jsx';
import { navigate } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { fromInput, type MarketTerms, TERM_FIELDS, TermFields } from './market-fields.jsx';

type CreateMarketBody = components['schemas']['CreateMarketDto'];

const W = words.deskMarkets;

interface Draft extends MarketTerms {
  readonly market_id: string;
  readonly kind: CreateMarketBody['kind'];
  readonly base_asset: string;
  readonly quote_asset: string;
  readonly tick_size: string;
  readonly lot_size: string;
  readonly fee_base: NonNullable<CreateMarketBody['fee_base']>;
  readonly opens_at: string;
  readonly closes_at: string;
}

const EMPTY: Draft = {
  market_id: '',
  kind: 'spot',
  base_asset: '',
  quote_asset: 'USD',
  tick_size: '0.01',
  lot_size: '0.01',
  fee_base: 'notional',
  opens_at: '',
  closes_at: '',
  title: '',
  description: '',
  category: '',
  min_size: '',
  max_size: '',
  min_notional: '',
  price_min: '',
  price_max: '',
  maker_fee_rate: '',
  taker_fee_rate: '',
};

/** Without what was left empty, which gets the defaults of the service. */
function bodyOf({ opens_at: opens, closes_at: closes, ...draft }: Draft): CreateMarketBody {
  const told = Object.fromEntries(Object.entries(draft).filter(([, value]) => value !== ''));
  return {
    ...(told as unknown as CreateMarketBody),
    ...(opens !== '' && { opens_at: fromInput(opens)! }),
    ...(closes !== '' && { closes_at: fromInput(closes)! }),
  };
}

const FIELDS = [
  ...TERM_FIELDS,
  'market_id',
  'kind',
  'base_asset',
  'quote_asset',
  'tick_size',
  'lot_size',
  'fee_base',
  'opens_at',
  'closes_at',
];

export function CreateMarket(): JSX.Element {
  const [draft, setDraft] = useState(EMPTY);
  const action = useAction(FIELDS);
  const change = (changes: Partial<Draft>): void => setDraft({ ...draft, ...changes });
  const create = async (): Promise<undefined> => {
    const { market_id: id } = await session.value.client.post('/admin/markets', { body: bodyOf(draft) });
    navigate(`desk/markets/${encodeURIComponent(id)}`);
  };
  const { errors } = action;
  return (
    <section class="panel">
      <h2>{W.create}</h2>
      <Form label={W.create} submit={W.create} action={action} onSubmit={() => void action.run(create)}>
        <Identity draft={draft} onChange={change} errors={errors} />
        <TermFields terms={draft} onChange={change} errors={errors} hint={W.own} />
        <Choice
          label={W.feeBase}
          value={draft.fee_base}
          options={W.feeBases}
          onChange={(base) => change({ fee_base: base })}
          error={errors['fee_base']}
        />
        <TextField
          label={W.opens}
          type="datetime-local"
          value={draft.opens_at}
          onChange={(at) => change({ opens_at: at })}
          error={errors['opens_at']}
        />
        <TextField
          label={W.closes}
          type="datetime-local"
          value={draft.closes_at}
          onChange={(at) => change({ closes_at: at })}
          error={errors['closes_at']}
        />
      </Form>
    </section>
  );
}

interface IdentityProps {
  readonly draft: Draft;
  readonly onChange: (changes: Partial<Draft>) => void;
  readonly errors: Readonly<Record<string, string>>;
}

/** What never changes again. */
function Identity({ draft, onChange, errors }: IdentityProps): JSX.Element {
  return (
    <>
      <TextField
        label={W.id}
        value={draft.market_id}
        onChange={(id) => onChange({ market_id: id.trim() })}
        error={errors['market_id']}
        hint="BTC-USD"
      />
      <Choice
        label={W.kind}
        value={draft.kind}
        options={W.kinds}
        onChange={(kind) => onChange({ kind, ...(kind === 'event' && { base_asset: '' }) })}
        error={errors['kind']}
      />
      {draft.kind === 'spot' && (
        <TextField
          label={W.base}
          value={draft.base_asset}
          onChange={(asset) => onChange({ base_asset: asset.trim() })}
          error={errors['base_asset']}
        />
      )}
      <TextField
        label={W.quote}
        value={draft.quote_asset}
        onChange={(asset) => onChange({ quote_asset: asset.trim() })}
        error={errors['quote_asset']}
      />
      <Amount
        label={W.tick}
        unit={draft.quote_asset}
        value={draft.tick_size}
        onChange={(tick) => onChange({ tick_size: tick })}
        error={errors['tick_size']}
      />
      <Amount
        label={W.lot}
        unit={draft.base_asset}
        value={draft.lot_size}
        onChange={(lot) => onChange({ lot_size: lot })}
        error={errors['lot_size']}
      />
    </>
  );
}
