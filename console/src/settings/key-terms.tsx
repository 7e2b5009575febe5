import type { JSX } from 'preact';
import { TextField } from '../parts/form.jsx';
import { words } from '../words/index.js';
import type { Scope } from './scopes.js';

const W = words.settings;

/** What a key may do, and where, and for how long, as it is typed. */
export interface KeyTerms {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** In the time of the place where the browser is. */
  readonly expires: string;
  /** One a line. */
  readonly addresses: string;
  /** One a line. */
  readonly markets: string;
}

export const NO_TERMS: KeyTerms = { name: '', scopes: [], expires: '', addresses: '', markets: '' };

/** The fields that the service may find fault with. */
export const TERMS = ['name', 'scopes', 'expires_at', 'allowed_addresses', 'markets'] as const;

/** As the service takes them. */
export function termsOf({ name, scopes, expires, ...lists }: KeyTerms): {
  name: string;
  scopes: Scope[];
  allowed_addresses?: string[];
  markets?: string[];
  expires_at?: string;
} {
  const [addresses, markets] = [linesOf(lists.addresses), linesOf(lists.markets)];
  return {
    name,
    scopes: [...scopes],
    ...(addresses.length > 0 && { allowed_addresses: addresses }),
    ...(markets.length > 0 && { markets }),
    ...(expires !== '' && { expires_at: new Date(expires).toISOString() }),
  };
}

interface TermFieldsProps {
  readonly terms: KeyTerms;
  readonly onChange: (terms: KeyTerms) => void;
  readonly errors: Readonly<Record<string, string | undefined>>;
}

/** The fields of what binds a key. */
export function TermFields({ terms, onChange, errors }: TermFieldsProps): JSX.Element {
  return (
    <>
      <TextField
        label={W.keys.addresses}
        rows={2}
        value={terms.addresses}
        onChange={(addresses) => onChange({ ...terms, addresses })}
        error={errors['allowed_addresses']}
        hint={W.keys.addressesHint}
      />
      <TextField
        label={W.keys.markets}
        rows={2}
        value={terms.markets}
        onChange={(markets) => onChange({ ...terms, markets })}
        error={errors['markets']}
        hint={W.keys.marketsHint}
      />
      <TextField
        label={W.keys.expires}
        type="datetime-local"
        value={terms.expires}
        onChange={(expires) => onChange({ ...terms, expires })}
        error={errors['expires_at']}
      />
    </>
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}
