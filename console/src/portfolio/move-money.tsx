import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Amount, Choice } from '../parts/field.jsx';
import { Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type Account = components['schemas']['ReachedAccountDto'];

const W = words.accounts;
const FIELDS = ['asset', 'amount', 'destination', 'destination.account_id'];

interface MoveMoneyProps {
  /** The user's own. */
  readonly accounts: readonly Account[];
}

/** Shown only to those who have several accounts. */
export function MoveMoney({ accounts }: MoveMoneyProps): JSX.Element | null {
  const main = accounts.find(({ is_main: isMain }) => isMain);
  const other = accounts.find((each) => each !== main);
  if (main === undefined || other === undefined) return null;
  return (
    <section class="panel">
      <h2>{W.move}</h2>
      <Move accounts={accounts} first={{ from: main.account_id, to: other.account_id }} />
    </section>
  );
}

interface Ends {
  readonly from: string;
  readonly to: string;
}

function Move({ accounts, first }: MoveMoneyProps & { readonly first: Ends }): JSX.Element {
  const [draft, setDraft] = useState({ ...first, asset: 'USD', amount: '' });
  const action = useAction(FIELDS);
  const key = useOwnKey(draft);
  const { errors } = action;
  const names = Object.fromEntries(accounts.map(({ account_id: id, name }) => [id, `${name} (${id})`]));
  const move = async (): Promise<string> => {
    const { from, to, asset, amount } = draft;
    await session.value.client.post('/accounts/{account_id}/transfers', {
      params: { path: { account_id: from } },
      body: { asset, amount, destination: { type: 'account', account_id: to } },
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    setDraft({ ...draft, amount: '' });
    return W.moved;
  };
  return (
    <Form label={W.move} submit={W.move} action={action} onSubmit={() => void action.run(move)}>
      <Choice
        label={W.from}
        value={draft.from}
        options={names}
        onChange={(from) => setDraft({ ...draft, from })}
      />
      <Choice
        label={W.to}
        value={draft.to}
        options={names}
        onChange={(to) => setDraft({ ...draft, to })}
        error={errors['destination.account_id'] ?? errors['destination']}
      />
      <TextField
        label={W.asset}
        value={draft.asset}
        onChange={(asset) => setDraft({ ...draft, asset: asset.trim() })}
        error={errors['asset']}
      />
      <Amount
        label={W.amount}
        value={draft.amount}
        unit={draft.asset}
        onChange={(amount) => setDraft({ ...draft, amount })}
        error={errors['amount']}
      />
    </Form>
  );
}
