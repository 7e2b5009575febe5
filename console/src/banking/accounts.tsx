import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { after, usePaged } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { Choice } from '../parts/field.jsx';
import { Form, TextField, useAction, useOwnKey } from '../parts/form.jsx';
import { Badge, type Tone } from '../parts/notice.jsx';
import { type Column, PagedTable } from '../parts/table.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type BankAccount = components['schemas']['PayoutAccountDto'];
type NewAccount = components['schemas']['CreatePayoutAccountDto'];

const W = words.banking.accounts;

const CHECK_TONES: Readonly<Record<BankAccount['holder_name_check'], Tone>> = {
  match: 'good',
  mismatch: 'bad',
  unchecked: 'plain',
};

function columnsOf(reload: () => void): readonly Column<BankAccount>[] {
  return [
    { title: W.holder, cell: ({ holder_name: holder }) => holder },
    { title: W.kind, isWide: true, cell: ({ type }) => W.kinds[type] },
    { title: W.ends, cell: ({ last4 }) => <code>…{last4}</code> },
    {
      title: W.check,
      isWide: true,
      cell: ({ holder_name_check: check }) => <Badge tone={CHECK_TONES[check]} text={W.checks[check]} />,
    },
    {
      title: words.banking.actions,
      cell: ({ payout_account_id: id, last4 }) => (
        <Confirm
          label={W.delete}
          of={`…${last4}`}
          what={W.deleteWhat}
          work={() =>
            session.value.client.delete('/payout-accounts/{payout_account_id}', {
              params: { path: { payout_account_id: id } },
            })
          }
          onDone={reload}
        />
      ),
    },
  ];
}

export function BankAccounts(): JSX.Element {
  const pages = usePaged('payout-accounts', (cursor, signal) =>
    session.value.client.get('/payout-accounts', { params: { query: after(cursor) }, signal }),
  );
  return (
    <>
      <section class="panel">
        <h2>{words.banking.parts.accounts}</h2>
        <PagedTable
          label={words.banking.parts.accounts}
          columns={columnsOf(pages.reload)}
          pages={pages}
          none={W.none}
          keyOf={({ payout_account_id: id }) => id}
        />
      </section>
      <NewBankAccount onMade={pages.reload} />
    </>
  );
}

interface Draft {
  readonly type: NewAccount['type'];
  readonly holder: string;
  readonly iban: string;
  readonly bic: string;
  readonly routing: string;
  readonly number: string;
  readonly accountType: 'checking' | 'savings';
}

const EMPTY: Draft = {
  type: 'iban',
  holder: '',
  iban: '',
  bic: '',
  routing: '',
  number: '',
  accountType: 'checking',
};

const FIELDS = [
  'type',
  'holder_name',
  'iban',
  'bic',
  'routing_number',
  'account_number',
  'account_type',
] as const;

function accountOf({ type, holder, iban, bic, routing, number, accountType }: Draft): NewAccount {
  if (type === 'iban') {
    return { type, holder_name: holder, currency: 'EUR', iban, ...(bic !== '' && { bic }) };
  }
  return {
    type,
    holder_name: holder,
    currency: 'USD',
    routing_number: routing,
    account_number: number,
    account_type: accountType,
  };
}

function NewBankAccount({ onMade }: { readonly onMade: () => void }): JSX.Element {
  const [draft, setDraft] = useState(EMPTY);
  const action = useAction(FIELDS);
  const key = useOwnKey(draft);
  const { errors } = action;
  const add = async (): Promise<string> => {
    await session.value.client.post('/payout-accounts', {
      body: accountOf(draft),
      headers: { 'Idempotency-Key': key.current },
    });
    key.renew();
    setDraft(EMPTY);
    onMade();
    return W.added;
  };
  const text = (field: 'holder' | 'iban' | 'bic' | 'routing' | 'number', name: string): JSX.Element => (
    <TextField
      label={W[field]}
      value={draft[field]}
      hint={field === 'holder' ? W.holderHint : undefined}
      onChange={(value) => setDraft({ ...draft, [field]: field === 'holder' ? value : value.trim() })}
      error={errors[name]}
    />
  );
  return (
    <section class="panel">
      <h2>{W.make}</h2>
      <Form label={W.make} submit={W.make} action={action} onSubmit={() => void action.run(add)}>
        <Choice
          label={W.kind}
          value={draft.type}
          options={W.kinds}
          onChange={(type) => setDraft({ ...draft, type })}
          error={errors['type']}
        />
        {text('holder', 'holder_name')}
        {draft.type === 'iban' ? (
          <>
            {text('iban', 'iban')}
            {text('bic', 'bic')}
          </>
        ) : (
          <>
            {text('routing', 'routing_number')}
            {text('number', 'account_number')}
            <Choice
              label={W.type}
              value={draft.accountType}
              options={W.types}
              onChange={(accountType) => setDraft({ ...draft, accountType })}
              error={errors['account_type']}
            />
          </>
        )}
      </Form>
    </section>
  );
}
