import type { components } from '@tradepost/client';
import type { ProvenReceipt } from '@tradepost/verify';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Download } from '../parts/download.jsx';
import { Outcome, useAction } from '../parts/form.jsx';
import { Badge } from '../parts/notice.jsx';
import { words } from '../words/index.js';
import { Changes, prove } from './proven.jsx';

type Receipt = components['schemas']['ReceiptDto'];

const W = words.proof;

export interface ReceiptOffer {
  readonly label: string;
  readonly fileName: string;
  readonly get: () => Promise<Receipt>;
}

interface ReceiptPanelProps {
  readonly offers: readonly ReceiptOffer[];
  /** Whose receipt and of which order it has to be: a true one of something else would prove nothing here. */
  readonly accountId: string;
  readonly orderId?: string;
}

interface Held extends ProvenReceipt {
  readonly fileName: string;
  readonly text: string;
}

/** Receipts of what is shown above: fetched, checked by this browser, and to be saved. */
export function ReceiptPanel({ offers, accountId, orderId }: ReceiptPanelProps): JSX.Element {
  const [held, setHeld] = useState<Held | null>(null);
  const action = useAction();
  const take = async ({ fileName, get }: ReceiptOffer): Promise<undefined> => {
    setHeld(null);
    const receipt = await get();
    const proven = await prove(receipt);
    if (!isOf(proven, accountId, orderId)) throw new Error(`${W.bad}: ${W.ofAnother}`);
    setHeld({ ...proven, fileName, text: JSON.stringify(receipt, null, 2) });
    return undefined;
  };
  return (
    <section class="panel" aria-label={W.receipt}>
      <h3>{W.receipt}</h3>
      <p class="hint">{W.panelHint}</p>
      <div class="row start">
        {offers.map((offer) => (
          <button
            key={offer.label}
            type="button"
            disabled={action.isBusy}
            onClick={() => void action.run(() => take(offer))}
          >
            {offer.label}
          </button>
        ))}
      </div>
      <Outcome of={action} />
      {held !== null && <Checked {...held} />}
    </section>
  );
}

function Checked({ height, time, changes, fileName, text }: Held): JSX.Element {
  const open = (): Promise<Response> =>
    Promise.resolve(new Response(text, { headers: { 'Content-Type': 'application/json' } }));
  return (
    <>
      <p role="status">
        <Badge tone="good" text={W.checkedHere} /> {W.proven({ height, time })}
      </p>
      <div class="row start">
        <Download label={W.save} fileName={fileName} open={open} />
      </div>
      <details>
        <summary>{W.says}</summary>
        <Changes of={changes} />
      </details>
    </>
  );
}

function isOf(proven: ProvenReceipt, accountId: string, orderId: string | undefined): boolean {
  if (proven.accountId !== numberIn(accountId)) return false;
  if (orderId === undefined) return true;
  const wanted = numberIn(orderId);
  return proven.changes.some(({ table, row }) => table === 'orders' && row['order_id'] === wanted);
}

/** Ids are numbers in Crockford's base 32, and receipts have the numbers. */
function numberIn(id: string): number {
  const digits = id.slice(id.indexOf('_') + 1);
  return [...digits].reduce((number, digit) => number * 32 + DIGITS.indexOf(digit), 0);
}

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
