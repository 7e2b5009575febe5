import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { grouped } from '../decimal.js';
import { wordsOf } from '../live.js';
import type { Market } from './market.js';
import { Amount, Choice, Field } from '../parts/field.jsx';
import { hasDemoMoney, logIn, session } from '../session.js';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import type { AccountView, Order } from './account.js';
import type { BookView } from './book.jsx';
import {
  type Draft,
  draftOf,
  EMPTY_DRAFT,
  isList,
  isSpending,
  mayHide,
  sizeOf,
  takesAtOnce,
  timeInForceOf,
  timesOf,
} from './order-draft.js';
import type { Errors } from './order-errors.js';
import { nameOf } from './order-name.js';
import { Preview } from './preview.jsx';
import { Prices } from './ticket-prices.jsx';
import { useTicket } from './use-ticket.js';

interface TicketProps {
  readonly market: Market;
  readonly book: BookView;
  readonly account: AccountView;
  /** The price that was taken from the book last. */
  readonly takenPrice: { readonly price: string } | null;
  /** The open order that was chosen last to be replaced. */
  readonly toReplace: { readonly order: Order } | null;
}

export function Ticket({ market, book, account, takenPrice, toReplace }: TicketProps): JSX.Element {
  const { user } = useStore(session);
  const { draft, errors, preview, message, isBusy, bestPrice, change, look, place } = useTicket(market, book);
  const form = useRef<HTMLFormElement | null>(null);
  useEffect(() => {
    if (takenPrice === null) return;
    const field = draft.type === 'oco' ? 'exitPrice' : 'price';
    change({ [field]: takenPrice.price, ...(takesAtOnce(draft) && { type: 'limit' }) });
    form.current?.querySelector<HTMLElement>('[data-field=amount] input')?.focus();
  }, [takenPrice]);
  useEffect(() => {
    if (toReplace === null) return;
    change(draftOf(toReplace.order));
    form.current?.querySelector<HTMLElement>('select')?.focus();
  }, [toReplace]);
  const replaced = draft.replacedId === null ? null : (account.orders.get(draft.replacedId) ?? null);
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
        {draft.replacedId !== null && <Replaced order={replaced} onKeep={() => change(EMPTY_DRAFT)} />}
        <SideChoice value={draft.side} onChange={(side) => change({ side })} />
        <Choice
          label={words.ticket.type}
          value={draft.type}
          options={draft.replacedId === null ? words.ticket.types : words.orders.types}
          hint={isList(draft) ? words.ticket.listHints[draft.type as 'oco' | 'bracket'] : undefined}
          error={errors.type}
          onChange={(type) => change({ type })}
        />
        <Prices draft={draft} market={market} errors={errors} onChange={change} />
        <AmountOf
          draft={draft}
          market={market}
          bestPrice={bestPrice}
          error={errors.amount}
          onChange={change}
        />
        {user !== null && <Available draft={draft} market={market} account={account} />}
        <Terms draft={draft} errors={errors} baseAsset={market.base_asset ?? ''} onChange={change} />
        {errors.form !== undefined && (
          <p class="error" role="alert">
            {errors.form}
          </p>
        )}
        <Acts draft={draft} isBusy={isBusy} onPreview={look} />
        <p role="status" class="outcome">
          {message}
        </p>
      </form>
      {preview !== null && <Preview preview={preview} quoteAsset={market.quote_asset} />}
    </section>
  );
}

interface ActsProps {
  readonly draft: Draft;
  readonly isBusy: boolean;
  readonly onPreview: () => void;
}

function Acts({ draft, isBusy, onPreview }: ActsProps): JSX.Element {
  const { user } = useStore(session);
  if (user === null)
    return (
      <button type="button" class="primary" onClick={() => void logIn()}>
        {words.ticket.logInFirst}
      </button>
    );
  return (
    <div class="row">
      <button type="button" disabled={isBusy} onClick={onPreview}>
        {words.ticket.preview}
      </button>
      <button type="submit" class={`primary ${draft.side}`} disabled={isBusy}>
        {placeLabelOf(draft)}
      </button>
    </div>
  );
}

function placeLabelOf(draft: Draft): string {
  if (draft.replacedId !== null) return words.ticket.replace;
  return isList(draft) ? words.ticket.placeList : words.ticket.place;
}

/** What the order in the ticket is to replace, unless that has ended meanwhile. */
function Replaced({ order, onKeep }: { order: Order | null; onKeep: () => void }): JSX.Element {
  const { ticket, orders } = words;
  return (
    <p class="replaced" role="status">
      <span>{order === null ? ticket.replacedEnded : ticket.replaces({ order: nameOf(order) })}</span>
      <button type="button" onClick={onKeep}>
        {orders.keep}
      </button>
    </p>
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

interface AmountOfProps extends PartProps {
  readonly market: Market;
  readonly bestPrice: string | null;
  readonly error: string | undefined;
}

function AmountOf({ draft, market, bestPrice, error, onChange }: AmountOfProps): JSX.Element {
  const { ticket } = words;
  const isStake = draft.amountAs === 'stake';
  const baseAsset = market.base_asset ?? '';
  const size = isStake && !isSpending(draft) ? sizeOf(draft, market, bestPrice) : null;
  const hint = isSpending(draft)
    ? ticket.spends[draft.side]
    : size && ticket.stakeIs({ size, asset: baseAsset });
  return (
    <div class="pair" data-field="amount">
      <Amount
        label={isStake ? ticket.stake : ticket.size}
        value={draft.amount}
        unit={isStake ? market.quote_asset : baseAsset}
        error={error}
        hint={hint ?? undefined}
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
      <span>{words.ticket.available({ amount: grouped(available), asset })}</span>
      {hasDemoMoney && account.balances.size === 0 && (
        <button type="button" onClick={() => void take()}>
          {words.ticket.demoMoney}
        </button>
      )}
      <span role="status">{message}</span>
    </p>
  );
}

function Terms({
  draft,
  errors,
  baseAsset,
  onChange,
}: PartProps & { errors: Errors; baseAsset: string }): JSX.Element {
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
  const selfTrade = (
    <Choice
      label={ticket.selfTrade}
      value={draft.selfTrade}
      options={ticket.selfTrades}
      onChange={(value) => onChange({ selfTrade: value })}
    />
  );
  if (isList(draft))
    return (
      <details>
        <summary>{ticket.more}</summary>
        {selfTrade}
      </details>
    );
  return (
    <>
      <Choice
        label={ticket.timeInForce}
        value={timeInForceOf(draft)}
        options={timesOf(draft)}
        error={errors.timeInForce}
        onChange={(timeInForce) => onChange({ timeInForce })}
      />
      {timeInForceOf(draft) === 'GTD' && (
        <Expiry draft={draft} error={errors.expiresAt} onChange={onChange} />
      )}
      <details open={errors.displaySize !== undefined || draft.displaySize !== '' ? true : undefined}>
        <summary>{ticket.more}</summary>
        {mayHide(draft) && (
          <Amount
            label={ticket.displaySize}
            value={draft.displaySize}
            unit={baseAsset}
            hint={ticket.displayHint}
            error={errors.displaySize}
            onChange={(displaySize) => onChange({ displaySize })}
          />
        )}
        {draft.type === 'limit' && check(ticket.postOnly, 'postOnly')}
        {check(ticket.reduceOnly, 'reduceOnly')}
        {selfTrade}
      </details>
    </>
  );
}

function Expiry({ draft, error, onChange }: PartProps & { error: string | undefined }): JSX.Element {
  return (
    <Field
      label={words.ticket.expiresAt}
      error={error}
      render={(attributes) => (
        <input
          {...attributes}
          type="datetime-local"
          value={draft.expiresAt}
          onInput={(event) => onChange({ expiresAt: event.currentTarget.value })}
        />
      )}
    />
  );
}
