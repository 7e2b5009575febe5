import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { grouped } from '../decimal.js';
import { Amount, Choice } from '../parts/field.jsx';
import { Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type BankAccount = components['schemas']['PayoutAccountDto'];
type Balance = components['schemas']['BalanceDto'];

interface NewPayoutProps {
  /** The trading account that the money leaves. */
  readonly accountId: string;
  readonly accounts: readonly BankAccount[];
  readonly balances: readonly Balance[];
  readonly onMade: () => void;
}

const W = words.banking.payouts;

const FIELDS = ['payout_account_id', 'amount', 'reference'] as const;

const nameOf = ({ holder_name: holder, last4, currency }: BankAccount): string =>
  W.account({ holder, last4, currency });

/** Says first what will be paid and where to, and pays when that is confirmed as it stands. */
export function NewPayout({ accountId, accounts, balances, onMade }: NewPayoutProps): JSX.Element {
  const [draft, setDraft] = useState({ to: accounts[0]!.payout_account_id, amount: '', reference: '' });
  const [isChecked, setChecked] = useState(false);
  const action = useAction(FIELDS);
  const key = useOwnKey({ ...draft, accountId });
  const change = (changes: Partial<typeof draft>): void => {
    setDraft({ ...draft, ...changes });
    setChecked(false);
  };
  const to = accounts.find(({ payout_account_id: id }) => id === draft.to) ?? accounts[0]!;
  const { currency } = to;
  const pay = async (): Promise<string> => {
    const { status } = await session.value.client.post('/payouts', {
      body: {
        payout_account_id: to.payout_account_id,
        amount: draft.amount,
        currency,
        ...(draft.reference !== '' && { reference: draft.reference }),
        ...(accountId !== 'me' && { account_id: accountId }),
      },
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    change({ amount: '', reference: '' });
    onMade();
    return status === 'pending_approval' ? W.waits : W.made;
  };
  const submit = (): void => {
    if (!isChecked && draft.amount !== '') {
      action.reset();
      setChecked(true);
    } else void action.run(pay);
  };
  const available = balances.find(({ asset }) => asset === currency)?.available ?? '0';
  const { errors } = action;
  return (
    <Form label={W.make} submit={isChecked ? W.send : W.check} action={action} onSubmit={submit}>
      <Choice
        label={W.to}
        value={to.payout_account_id}
        options={Object.fromEntries(accounts.map((each) => [each.payout_account_id, nameOf(each)]))}
        onChange={(id) => change({ to: id })}
        error={errors['payout_account_id']}
      />
      <Amount
        label={W.amount}
        value={draft.amount}
        unit={currency}
        onChange={(amount) => change({ amount })}
        hint={W.has({ amount: `${grouped(available)} ${currency}` })}
        error={errors['amount']}
      />
      <TextField
        label={W.referenceOptional}
        value={draft.reference}
        onChange={(reference) => change({ reference })}
        hint={W.referenceHint}
        error={errors['reference']}
      />
      {isChecked && (
        <p role="status">
          <strong>{W.about({ what: `${draft.amount} ${currency}`, where: nameOf(to) })}</strong>
        </p>
      )}
    </Form>
  );
}
