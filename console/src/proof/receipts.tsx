import type { components } from '@tradepost/client';
import type { ProvenReceipt } from '@tradepost/verify';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Check, Form, TextField, useAction } from '../parts/form.jsx';
import { Badge } from '../parts/notice.jsx';
import { session } from '../session.js';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import { Changes, prove } from './proven.jsx';

type Receipt = components['schemas']['ReceiptDto'];

const W = words.proof;

/** Receipts, fetched or pasted, checked by this browser. */
export function Receipts(): JSX.Element {
  const { user } = useStore(session);
  const [proven, setProven] = useState<ProvenReceipt | null>(null);
  /** Throws what differs, for the form to show. */
  const show = async (receipt: unknown): Promise<undefined> => {
    setProven(null);
    setProven(await prove(receipt));
    return undefined;
  };
  return (
    <section class="panel">
      <h2>{W.receipts}</h2>
      <p class="hint">{W.receiptsHint}</p>
      {user !== null && <OfOrder show={show} />}
      <Pasted show={show} />
      {proven !== null && <Proven {...proven} />}
    </section>
  );
}

interface ShowProps {
  readonly show: (receipt: unknown) => Promise<undefined>;
}

function OfOrder({ show }: ShowProps): JSX.Element {
  const [orderId, setOrderId] = useState('');
  const [isLatest, setLatest] = useState(false);
  const action = useAction();
  const get = async (): Promise<undefined> => {
    const receipt: Receipt = await session.value.client.get('/orders/{order_id}/receipt', {
      params: { path: { order_id: orderId.trim() }, query: { of: isLatest ? 'latest' : 'accepted' } },
    });
    return show(receipt);
  };
  return (
    <Form label={W.getReceipt} submit={W.getReceipt} action={action} onSubmit={() => void action.run(get)}>
      <TextField label={W.order} hint={W.orderHint} value={orderId} onChange={setOrderId} />
      <Check label={W.latest} checked={isLatest} onChange={setLatest} />
    </Form>
  );
}

function Pasted({ show }: ShowProps): JSX.Element {
  const [text, setText] = useState('');
  const action = useAction();
  const check = async (): Promise<undefined> => show(parsed(text));
  return (
    <Form label={W.check} submit={W.check} action={action} onSubmit={() => void action.run(check)}>
      <TextField label={W.receipt} rows={4} value={text} onChange={setText} />
    </Form>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(W.noJson);
  }
}

function Proven({ height, time, changes }: ProvenReceipt): JSX.Element {
  return (
    <>
      <p role="status">
        <Badge tone="good" text={W.good} /> {W.proven({ height, time })}
      </p>
      <Changes of={changes} />
    </>
  );
}
