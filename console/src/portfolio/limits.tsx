import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { Choice } from '../parts/field.jsx';
import { Form, TextField, useAction } from '../parts/form.jsx';
import { WhenLoaded } from '../parts/notice.jsx';
import { type Column, Table } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { Exclusion } from './exclusion.jsx';
import type { PartProps } from './part.js';

type Limit = components['schemas']['SelfLimitDto'];
type Draft = components['schemas']['SetSelfLimitDto'];

const W = words.limits;

function columnsOf(accountId: string, reload: () => void): readonly Column<Limit>[] {
  return [
    { title: W.kind, cell: ({ kind }) => W.kinds[kind] },
    { title: W.period, cell: ({ period }) => W.periods[period] },
    { title: W.asset, cell: ({ asset }) => asset },
    { title: W.amount, isNumber: true, cell: ({ amount }) => amount },
    { title: W.used, isNumber: true, isWide: true, cell: ({ used }) => used },
    { title: W.remaining, isNumber: true, cell: ({ remaining }) => remaining },
    { title: W.next, isWide: true, cell: ({ period_end: at }) => <Moment at={at} /> },
    { title: W.changes, cell: (limit) => <Pending of={limit} /> },
    {
      title: W.actions,
      cell: ({ limit_id: limitId, kind, period }) => (
        <Confirm
          label={W.remove}
          of={`${W.kinds[kind]}, ${W.periods[period]}`}
          what={W.removeWhat}
          work={() =>
            session.value.client.delete('/accounts/{account_id}/limits/{limit_id}', {
              params: { path: { account_id: accountId, limit_id: limitId } },
            })
          }
          onDone={reload}
        />
      ),
    },
  ];
}

function Pending({ of: { pending_amount: amount, effective_at: at } }: { readonly of: Limit }): JSX.Element {
  if (at === null) return <></>;
  return (
    <>
      {amount === null ? W.ends : W.becomes({ amount })} <Moment at={at} />
    </>
  );
}

/** The limits that the owner of the account has set, and what excludes the owner from trading. */
export function Limits({ accountId }: PartProps): JSX.Element {
  const limits = useLoaded(`limits ${accountId}`, (signal) =>
    session.value.client.get('/accounts/{account_id}/limits', {
      params: { path: { account_id: accountId } },
      signal,
    }),
  );
  return (
    <>
      <section class="panel">
        <h2>{W.title}</h2>
        <p>{W.why}</p>
        <WhenLoaded of={limits}>
          {({ limits: rows }) =>
            rows.length === 0 ? (
              <p class="empty">{W.none}</p>
            ) : (
              <Table
                label={W.title}
                columns={columnsOf(accountId, limits.reload)}
                rows={rows}
                keyOf={({ limit_id: id }) => id}
              />
            )
          }
        </WhenLoaded>
      </section>
      <NewLimit accountId={accountId} onSet={limits.reload} />
      <Exclusion />
    </>
  );
}

const NO_LIMIT: Draft = { kind: 'stake', asset: 'USD', amount: '', period: 'week' };

interface NewLimitProps {
  readonly accountId: string;
  readonly onSet: () => void;
}

function NewLimit({ accountId, onSet }: NewLimitProps): JSX.Element {
  const [draft, setDraft] = useState(NO_LIMIT);
  const action = useAction(['asset', 'amount']);
  const set = async (): Promise<void> => {
    const isDone = await action.run(async () => {
      const limit = await session.value.client.post('/accounts/{account_id}/limits', {
        params: { path: { account_id: accountId } },
        body: draft,
      });
      return limit.effective_at === null ? W.isSet : W.waits;
    });
    if (!isDone) return;
    setDraft({ ...draft, amount: '' });
    onSet();
  };
  return (
    <section class="panel">
      <h2>{W.set}</h2>
      <Form label={W.set} submit={W.set} action={action} onSubmit={() => void set()}>
        <Choice
          label={W.kind}
          value={draft.kind}
          options={W.kinds}
          onChange={(kind) => setDraft({ ...draft, kind })}
        />
        <Choice
          label={W.period}
          value={draft.period}
          options={W.periods}
          onChange={(period) => setDraft({ ...draft, period })}
        />
        <TextField
          label={W.asset}
          value={draft.asset}
          onChange={(asset) => setDraft({ ...draft, asset })}
          error={action.errors['asset']}
        />
        <TextField
          label={W.amount}
          value={draft.amount}
          onChange={(amount) => setDraft({ ...draft, amount })}
          error={action.errors['amount']}
        />
      </Form>
    </section>
  );
}
