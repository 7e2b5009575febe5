import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { grouped } from '../decimal.js';
import { wordsOf } from '../live.js';
import type { Market } from './market.js';
import { Amount, Choice, Field } from '../parts/field.jsx';
import { hasDemoMoney, logIn, session } from '../session.js';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import type { AccountView } from './account.js';
import type { BookView } from './book.jsx';
import {
  type Draft,
  type Errors,
  hasPrice,
  hasStopPrice,
  sizeOf,
  takesAtOnce,
  timeInForceOf,
  timesOf,
} from './order-draft.js';
import { Preview } from './preview.jsx';
import { useTicket } from './use-ticket.js';

interface TicketProps {
  readonly market: Market;
  readonly book: BookView;
  readonly account: AccountView;
  /** The price that was taken from the book last. */
  readonly takenPrice: { readonly price: string } | null;
}

export function Ticket({ market, book, account, takenPrice }: TicketProps): JSX.Element {
  const { user } = useStore(session);
  const { draft, errors, preview, message, isBusy, bestPrice, change, look, place } = useTicket(market, book);
  const form = useRef<HTMLFormElement | null>(null);
  useEffect(() => {
    if (takenPrice === null) return;
    change({ price: takenPrice.price, ...(takesAtOnce(draft.type) && { type: 'limit' }) });
    form.current?.querySelector<HTMLElement>('[data-field=amount] input')?.focus();
  }, [takenPrice]);
  return (
    <section class="ticket">
      <h2>{words.ticket.title}</h2>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          place();
        }}
      >
        <SideChoice value={draft.side} onChange={(side) => change({ side })} />
        <Choice
          label={words.ticket.type}
          value={draft.type}
          options={words.ticket.types}
          error={errors.type}
          onChange={(type) => change({ type })}
        />
        <Prices draft={draft} errors={errors} unit={market.quote_asset} onChange={change} />
        <AmountOf
          draft={draft}
          market={market}
          bestPrice={bestPrice}
          error={errors.amount}
          onChange={change}
        />
        {user !== null && <Available draft={draft} market={market} account={account} />}
        <Terms draft={draft} errors={errors} onChange={change} />
        {errors.form !== undefined && (
          <p class="error" role="alert">
            {errors.form}
          </p>
        )}
        {user === null ? (
          <button type="button" class="primary" onClick={() => void logIn()}>
            {words.ticket.logInFirst}
          </button>
        ) : (
          <div class="row">
            <button type="button" disabled={isBusy} onClick={look}>
              {words.ticket.preview}
            </button>
            <button type="submit" class={`primary ${draft.side}`} disabled={isBusy}>
              {words.ticket.place}
            </button>
          </div>
        )}
        <p role="status" class="outcome">
          {message}
        </p>
      </form>
      {preview !== null && <Preview preview={preview} quoteAsset={market.quote_asset} />}
    </section>
  );
}

interface PartProps {
  readonly draft: Draft;
  readonly onChange: (part: Partial<Draft>) => void;
}

function SideChoice({
  value,
  onChange,
}: {
  value: Draft['side'];
  onChange: (side: Draft['side']) => void;
}): JSX.Element {
  return (
    <fieldset class="sides">
      <legend>{words.ticket.side}</legend>
      {(['buy', 'sell'] as const).map((side) => (
        <label key={side} class={side}>
          <input type="radio" name="side" checked={value === side} onChange={() => onChange(side)} />
          {words.side[side]}
        </label>
      ))}
    </fieldset>
  );
}

function Prices({
  draft,
  errors,
  unit,
  onChange,
}: PartProps & { errors: Errors; unit: string }): JSX.Element {
  return (
    <>
      {hasStopPrice(draft.type) && (
        <Amount
          label={words.ticket.stopPrice}
          value={draft.stopPrice}
          unit={unit}
          error={errors.stopPrice}
          onChange={(stopPrice) => onChange({ stopPrice })}
        />
      )}
      {hasPrice(draft.type) && (
        <Amount
          label={words.ticket.price}
          value={draft.price}
          unit={unit}
          error={errors.price}
          onChange={(price) => onChange({ price })}
        />
      )}
    </>
  );
}

interface AmountOfProps extends PartProps {
  readonly market: Market;
  readonly bestPrice: string | null;
  readonly error: string | undefined;
}

function AmountOf({ draft, market, bestPrice, error, onChange }: AmountOfProps): JSX.Element {
  const { ticket } = words;
  const isStake = draft.amountAs === 'stake';
  const baseAsset = market.base_asset ?? '';
  const size = isStake ? sizeOf(draft, market, bestPrice) : null;
  return (
    <div class="pair" data-field="amount">
      <Amount
        label={isStake ? ticket.stake : ticket.size}
        value={draft.amount}
        unit={isStake ? market.quote_asset : baseAsset}
        error={error}
        hint={size === null ? undefined : ticket.stakeIs(size, baseAsset)}
        onChange={(amount) => onChange({ amount })}
      />
      <Choice
        label={ticket.amountIn}
        value={draft.amountAs}
        options={{ size: ticket.size, stake: ticket.stake }}
        onChange={(amountAs) => onChange({ amountAs })}
      />
    </div>
  );
}

interface AvailableProps {
  readonly draft: Draft;
  readonly market: Market;
  readonly account: AccountView;
}

/** What the account can spend here; a newcomer can take demo money. */
function Available({ draft, market, account }: AvailableProps): JSX.Element | null {
  const [message, setMessage] = useState('');
  const asset = draft.side === 'sell' && market.base_asset !== null ? market.base_asset : market.quote_asset;
  const available = account.balances.get(asset)?.available ?? '0';
  if (!account.isKnown) return null;
  const take = async (): Promise<void> => {
    try {
      await session.value.client.post('/demo/deposits');
      setMessage(words.ticket.demoTaken);
    } catch (error) {
      setMessage(wordsOf(error));
    }
  };
  return (
    <p class="available">
      <span>{words.ticket.available(grouped(available), asset)}</span>
      {hasDemoMoney && account.balances.size === 0 && (
        <button type="button" onClick={() => void take()}>
          {words.ticket.demoMoney}
        </button>
      )}
      <span role="status">{message}</span>
    </p>
  );
}

function Terms({ draft, errors, onChange }: PartProps & { errors: Errors }): JSX.Element | null {
  const { ticket } = words;
  const check = (label: string, field: 'postOnly' | 'reduceOnly'): JSX.Element => (
    <label class="check">
      <input
        type="checkbox"
        checked={draft[field]}
        onChange={(event) => onChange({ [field]: event.currentTarget.checked })}
      />
      {label}
    </label>
  );
  return (
    <>
      <Choice
        label={ticket.timeInForce}
        value={timeInForceOf(draft)}
        options={timesOf(draft.type)}
        error={errors.timeInForce}
        onChange={(timeInForce) => onChange({ timeInForce })}
      />
      {timeInForceOf(draft) === 'GTD' && (
        <Field
          label={ticket.expiresAt}
          error={errors.expiresAt}
          render={(attributes) => (
            <input
              {...attributes}
              type="datetime-local"
              value={draft.expiresAt}
              onInput={(event) => onChange({ expiresAt: event.currentTarget.value })}
            />
          )}
        />
      )}
      <details>
        <summary>{ticket.more}</summary>
        {draft.type === 'limit' && check(ticket.postOnly, 'postOnly')}
        {check(ticket.reduceOnly, 'reduceOnly')}
        <Choice
          label={ticket.selfTrade}
          value={draft.selfTrade}
          options={ticket.selfTrades}
          onChange={(selfTrade) => onChange({ selfTrade })}
        />
      </details>
    </>
  );
}
