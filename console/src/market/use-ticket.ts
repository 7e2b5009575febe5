import { TradepostError } from '@tradepost/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useOwnKey } from '../parts/form.jsx';
import { session } from '../session.js';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import { wordFor } from '../words/word-for.js';
import type { Order } from './account.js';
import type { BookView } from './book.jsx';
import type { Market } from './market.js';
import { type Draft, EMPTY_DRAFT } from './order-draft.js';
import { type Errors, errorsOf } from './order-errors.js';
import { isRequest, type OrderRequest, previewOf, requestOf, send } from './order-request.js';
import type { Previewed } from './preview.jsx';

/** How long a draft stays as it is before its preview is asked for. */
const PREVIEW_AFTER_MS = 500;

export interface TicketState {
  readonly draft: Draft;
  readonly errors: Errors;
  readonly preview: Previewed | null;
  /** What became of the last order. */
  readonly message: string;
  readonly isBusy: boolean;
  readonly bestPrice: string | null;
  readonly change: (part: Partial<Draft>) => void;
  readonly look: () => void;
  readonly place: () => void;
}

/** An order on its way from what a person enters to the service. */
export function useTicket(market: Market, book: BookView): TicketState {
  const { user } = useStore(session);
  const [draft, setDraft] = useState<Draft>(EMPTY_DRAFT);
  const [errors, setErrors] = useState<Errors>({});
  const [message, setMessage] = useState('');
  const [isBusy, setBusy] = useState(false);
  const sending = useRef(false);
  const orderId = useOwnKey(draft);
  const bestPrice = (draft.side === 'buy' ? book.asks : book.bids)[0]?.[0] ?? null;
  const made = requestOf(draft, market, bestPrice);
  const [preview, look] = usePreview(user === null || !isRequest(made) ? null : made, draft, setErrors);

  const place = async (): Promise<void> => {
    // Nothing has changed since the last order: this is its Enter, pressed once more.
    if (message !== '') return;
    setErrors(isRequest(made) ? {} : made);
    // A state is known with the next rendering alone, and Enter may be pressed twice before that.
    if (!isRequest(made) || sending.current) return;
    sending.current = true;
    setBusy(true);
    try {
      const placed = await send(session.value.client, made, orderId.current);
      orderId.renew();
      setDraft((known) => ({ ...known, amount: '', replacedId: null }));
      setMessage(outcomeOf(placed, made.kind));
    } catch (error) {
      if (isRefusal(error)) orderId.renew();
      setErrors(errorsOf(error, draft));
    }
    sending.current = false;
    setBusy(false);
  };
  return {
    draft,
    errors,
    preview,
    message,
    isBusy,
    bestPrice,
    change(part) {
      setDraft((known) => ({ ...known, ...part }));
      setErrors({});
      setMessage('');
    },
    look() {
      setErrors(isRequest(made) ? {} : made);
      look();
    },
    place: () => void place(),
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof TradepostError && error.status >= 400 && error.status < 500;
}

/** What an order would do: asked for once a draft stays as it is for a moment, and whenever `look` is called. */
function usePreview(
  request: OrderRequest | null,
  draft: Draft,
  onErrors: (errors: Errors) => void,
): [Previewed | null, () => void] {
  const [preview, setPreview] = useState<Previewed | null>(null);
  const round = useRef(0);
  const look = async (): Promise<void> => {
    if (request === null) return;
    const own = ++round.current;
    try {
      const answer = await previewOf(session.value.client, request);
      if (own === round.current) setPreview(answer);
    } catch (error) {
      if (own !== round.current) return;
      setPreview(null);
      onErrors(errorsOf(error, draft));
    }
  };
  useEffect(() => {
    round.current++;
    setPreview(null);
    if (request === null) return;
    const timer = setTimeout(() => void look(), PREVIEW_AFTER_MS);
    return () => clearTimeout(timer);
    // The best price alone changes nothing that a person has entered.
  }, [draft, request === null]);
  return [preview, () => void look()];
}

function outcomeOf(order: Order, kind: OrderRequest['kind']): string {
  const { placed, partlyFilled, ended, replacedOnly } = words.ticket;
  if (kind === 'replacement' && order.status === 'rejected')
    return replacedOnly({ reason: wordFor(words.orderReasons, order.status_reason!) });
  if (kind === 'list' && order.status !== 'cancelled') return placed.list;
  switch (order.status) {
    case 'open':
      return placed.rested;
    case 'filled':
      return placed.filled;
    case 'untriggered':
      return placed.waits;
    case 'partially_filled':
      return partlyFilled({ filled: order.filled_size });
    default:
      return ended[order.status];
  }
}
