import type { JSX } from 'preact';
import { Amount } from '../../parts/field.jsx';
import { TextField } from '../../parts/form.jsx';
import { words } from '../../words/index.js';

const W = words.deskMarkets;

/** What both a new market and a change of one may tell, as people type it. */
export interface MarketTerms {
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly min_size: string;
  readonly max_size: string;
  readonly min_notional: string;
  readonly price_min: string;
  readonly price_max: string;
  readonly maker_fee_rate: string;
  readonly taker_fee_rate: string;
}

const AMOUNTS = {
  min_size: W.minSize,
  max_size: W.maxSize,
  min_notional: W.minNotional,
  price_min: W.priceMin,
  price_max: W.priceMax,
  maker_fee_rate: W.makerFee,
  taker_fee_rate: W.takerFee,
} as const;

export const TERM_FIELDS: readonly (keyof MarketTerms)[] = [
  'title',
  'description',
  'category',
  ...(Object.keys(AMOUNTS) as (keyof typeof AMOUNTS)[]),
];

interface TermFieldsProps {
  readonly terms: MarketTerms;
  readonly onChange: (changes: Partial<MarketTerms>) => void;
  readonly errors: Readonly<Record<string, string>>;
  readonly hint?: string;
}

export function TermFields({ terms, onChange, errors, hint }: TermFieldsProps): JSX.Element {
  return (
    <>
      <TextField
        label={W.name}
        value={terms.title}
        onChange={(title) => onChange({ title })}
        error={errors['title']}
      />
      <TextField
        label={W.description}
        rows={3}
        value={terms.description}
        onChange={(description) => onChange({ description })}
        error={errors['description']}
      />
      <TextField
        label={W.category}
        value={terms.category}
        onChange={(category) => onChange({ category })}
        error={errors['category']}
      />
      {(Object.entries(AMOUNTS) as [keyof typeof AMOUNTS, string][]).map(([name, label]) => (
        <Amount
          key={name}
          label={label}
          unit=""
          value={terms[name]}
          onChange={(value) => onChange({ [name]: value })}
          hint={hint}
          error={errors[name]}
        />
      ))}
    </>
  );
}

/** A time of the API, as an input of the browser has it: in the time of the place, without a zone. */
export function forInput(at: string | null): string {
  if (at === null) return '';
  const time = new Date(at);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function fromInput(local: string): string | null {
  return local === '' ? null : new Date(local).toISOString();
}
