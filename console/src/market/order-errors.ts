import { TradepostError } from '@tradepost/client';
import { wordsOf } from '../live.js';
import { type Draft, hasPrice, hasStopPrice, isList } from './order-draft.js';

/** Fields beside which an error can stand; `form` for what is about none of them. */
export type FieldName =
  | 'side'
  | 'type'
  | 'price'
  | 'stopPrice'
  | 'exitPrice'
  | 'stopLimit'
  | 'trail'
  | 'amount'
  | 'displaySize'
  | 'timeInForce'
  | 'expiresAt'
  | 'form';
export type Errors = Partial<Readonly<Record<FieldName, string>>>;

const FIELDS: Readonly<Record<string, FieldName>> = {
  side: 'side',
  type: 'type',
  price: 'price',
  stop_price: 'stopPrice',
  trailing_offset: 'trail',
  trailing_percent: 'trail',
  size: 'amount',
  quote_size: 'amount',
  display_size: 'displaySize',
  time_in_force: 'timeInForce',
  expires_at: 'expiresAt',
};

/** Of the orders of a list, as they are sent: `orders.1.price`. */
const LISTED = /^orders\.(\d)\.(\w+)$/;

/** Refusals that name no field, by a word of their codes. */
const FIELD_OF_CODE: readonly (readonly [RegExp, FieldName])[] = [
  [/stop_price/, 'stopPrice'],
  [/price|tick|post_only/, 'price'],
  [/size|lot|notional|funds|amount|liquidity|reduce/, 'amount'],
  [/time_in_force/, 'timeInForce'],
  [/expir/, 'expiresAt'],
];

/** What the service has refused, beside the fields that caused it. */
export function errorsOf(error: unknown, draft: Draft): Errors {
  const text = wordsOf(error);
  if (!(error instanceof TradepostError)) return { form: text };
  const named = error.details.flatMap(({ field, message }) => {
    const name = fieldOf(field, draft);
    return name === undefined ? [] : [[name, message] as const];
  });
  if (named.length > 0 && named.length === error.details.length) return Object.fromEntries(named);
  const others = error.details.map(({ field, message }) => `${field}: ${message}`);
  if (others.length > 0) return { form: [text, ...others].join(' ') };
  return { [fieldOfRefusal(error.code, error.reason, draft)]: text };
}

function fieldOf(field: string, draft: Draft): FieldName | undefined {
  const listed = LISTED.exec(field);
  if (listed === null) return FIELDS[field];
  const place = Number(listed[1]) - (draft.type === 'bracket' ? 1 : 0);
  const name = FIELDS[listed[2]!];
  if (name !== 'price' || place < 0) return name;
  return place === 0 ? 'exitPrice' : 'stopLimit';
}

/** Many messages begin with the field that they are about. Of several prices nobody knows which is meant. */
function fieldOfRefusal(code: string, text: string, draft: Draft): FieldName {
  const told = FIELDS[/^[a-z_]+/.exec(text)?.[0] ?? ''];
  const name = told ?? FIELD_OF_CODE.find(([each]) => each.test(code))?.[1] ?? 'form';
  if (name === 'price') {
    if (draft.type === 'trailing_stop') return 'trail';
    if (hasPrice(draft) !== hasStopPrice(draft)) return hasPrice(draft) ? 'price' : 'stopPrice';
    return 'form';
  }
  const isHidden = isList(draft) && (name === 'timeInForce' || name === 'expiresAt');
  return isHidden ? 'form' : name;
}
