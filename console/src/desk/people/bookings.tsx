import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Amount, Choice } from '../../parts/field.jsx';
import { Form, TextField, useAction, useOwnKey } from '../../parts/form.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { outcomeOf } from '../outcome.js';

type NewDeposit = components['schemas']['DepositDto'];
type Adjustment = components['schemas']['AdjustmentDto'];

const W = words.deskPeople;
const NO_DEPOSIT: NewDeposit = { asset: '', amount: '', reference: '' };
const NO_ADJUSTMENT: Adjustment = { ...NO_DEPOSIT, direction: 'credit', reason: '' };

interface BookingProps {
  readonly accountId: string;
}

export function Deposit({ accountId }: BookingProps): JSX.Element {
  const [draft, setDraft] = useState(NO_DEPOSIT);
  const action = useAction(['asset', 'amount', 'reference']);
  const key = useOwnKey(draft);
  const book = async (): Promise<string> => {
    const answer = await session.value.client.post('/admin/accounts/{account_id}/deposits', {
      params: { path: { account_id: accountId } },
      body: draft,
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    setDraft(NO_DEPOSIT);
    return outcomeOf(answer, W.booked);
  };
  return (
    <section class="panel">
      <h2>{W.deposit}</h2>
      <p class="hint">{W.depositHint}</p>
      <Form label={W.deposit} submit={W.deposit} action={action} onSubmit={() => void action.run(book)}>
        <Money
          draft={draft}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
          errors={action.errors}
        />
      </Form>
    </section>
  );
}

export function Adjust({ accountId }: BookingProps): JSX.Element {
  const [draft, setDraft] = useState(NO_ADJUSTMENT);
  const action = useAction(['asset', 'amount', 'reference', 'direction', 'reason']);
  const key = useOwnKey(draft);
  const book = async (): Promise<string> => {
    const answer = await session.value.client.post('/admin/accounts/{account_id}/adjustments', {
      params: { path: { account_id: accountId } },
      body: draft,
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    setDraft(NO_ADJUSTMENT);
    return outcomeOf(answer, W.booked);
  };
  return (
    <section class="panel">
      <h2>{W.adjust}</h2>
      <p class="hint">{W.adjustHint}</p>
      <Form label={W.adjust} submit={W.adjust} action={action} onSubmit={() => void action.run(book)}>
        <Choice
          label={W.direction}
          value={draft.direction}
          options={W.directions}
          onChange={(direction) => setDraft({ ...draft, direction })}
          error={action.errors['direction']}
        />
        <Money
          draft={draft}
          onChange={(changes) => setDraft({ ...draft, ...changes })}
          errors={action.errors}
        />
        <TextField
          label={words.reason}
          value={draft.reason}
          onChange={(reason) => setDraft({ ...draft, reason })}
          error={action.errors['reason']}
        />
      </Form>
    </section>
  );
}

interface MoneyProps {
  readonly draft: NewDeposit;
  readonly onChange: (changes: Partial<NewDeposit>) => void;
  readonly errors: Readonly<Record<string, string>>;
}

/** What both have. */
function Money({ draft, onChange, errors }: MoneyProps): JSX.Element {
  return (
    <>
      <TextField
        label={W.asset}
        value={draft.asset}
        onChange={(asset) => onChange({ asset: asset.trim() })}
        error={errors['asset']}
      />
      <Amount
        label={W.amount}
        unit={draft.asset}
        value={draft.amount}
        onChange={(amount) => onChange({ amount })}
        error={errors['amount']}
      />
      <TextField
        label={W.reference}
        value={draft.reference}
        onChange={(reference) => onChange({ reference })}
        hint={W.referenceHint}
        error={errors['reference']}
      />
    </>
  );
}
