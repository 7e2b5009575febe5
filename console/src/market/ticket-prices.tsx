import type { JSX } from 'preact';
import { Amount, Choice } from '../parts/field.jsx';
import { words } from '../words/index.js';
import type { Market } from './market.js';
import { type Draft, hasPrice, hasStopPrice, isList } from './order-draft.js';
import type { Errors } from './order-errors.js';

interface PricesProps {
  readonly draft: Draft;
  readonly market: Market;
  readonly errors: Errors;
  readonly onChange: (part: Partial<Draft>) => void;
}

/** The prices that an order, or each order of a list, needs. */
export function Prices({ draft, market, errors, onChange }: PricesProps): JSX.Element {
  const { ticket } = words;
  const price = (field: 'price' | 'stopPrice' | 'exitPrice' | 'stopLimit'): JSX.Element => (
    <Amount
      label={ticket[field]}
      value={draft[field]}
      unit={market.quote_asset}
      error={errors[field]}
      onChange={(text) => onChange({ [field]: text })}
    />
  );
  return (
    <>
      {draft.type === 'bracket' && (
        <Choice
          label={ticket.entry}
          value={draft.entryType}
          options={ticket.entryTypes}
          onChange={(entryType) => onChange({ entryType })}
        />
      )}
      {draft.type === 'bracket' && hasPrice(draft) && price('price')}
      {isList(draft) && price('exitPrice')}
      {hasStopPrice(draft) && price('stopPrice')}
      {hasStopPrice(draft) && (
        <Choice
          label={ticket.trigger}
          value={draft.trigger}
          options={ticket.triggers}
          onChange={(trigger) => onChange({ trigger })}
        />
      )}
      {isList(draft) && market.kind === 'spot' && price('stopLimit')}
      {!isList(draft) && hasPrice(draft) && price('price')}
      {draft.type === 'trailing_stop' && (
        <Trail draft={draft} unit={market.quote_asset} error={errors.trail} onChange={onChange} />
      )}
    </>
  );
}

interface TrailProps extends Pick<PricesProps, 'draft' | 'onChange'> {
  readonly unit: string;
  readonly error: string | undefined;
}

/** How far a stop follows behind. */
function Trail({ draft, unit, error, onChange }: TrailProps): JSX.Element {
  const { ticket } = words;
  return (
    <div class="pair">
      <Amount
        label={ticket.trails[draft.trailBy]}
        value={draft.trail}
        unit={draft.trailBy === 'offset' ? unit : '%'}
        hint={ticket.trailHint[draft.side]}
        error={error}
        onChange={(trail) => onChange({ trail })}
      />
      <Choice
        label={ticket.trailBy}
        value={draft.trailBy}
        options={ticket.trailsBy}
        onChange={(trailBy) => onChange({ trailBy, trail: '' })}
      />
    </div>
  );
}
