import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../../live.js';
import { Choice } from '../../parts/field.jsx';
import { Form, TextField, useAction } from '../../parts/form.jsx';
import { WhenLoaded } from '../../parts/notice.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

const W = words.deskFees;

/** No name that a schedule can have. */
const OF_ALL = '';

async function namesOf(signal: AbortSignal): Promise<string[]> {
  const names: string[] = [];
  const params = { query: { limit: 200 } };
  for await (const { name } of session.value.client.list('/admin/fee-schedules', { params, signal }))
    names.push(name);
  return names;
}

const give = (accountId: string, name: string): Promise<unknown> =>
  session.value.client.put('/admin/accounts/{account_id}/fee-schedule', {
    params: { path: { account_id: accountId } },
    body: { name: name === OF_ALL ? null : name },
  });

/** For an account whose id is entered. */
export function GiveSchedule(): JSX.Element {
  const [accountId, setAccountId] = useState('');
  return (
    <section class="panel">
      <h2>{W.giveTitle}</h2>
      <Give accountId={accountId} given={null} label={W.giveTitle}>
        <TextField
          label={W.accountId}
          value={accountId}
          onChange={(id) => setAccountId(id.trim())}
          hint={W.accountHint}
        />
      </Give>
    </section>
  );
}

/** What an account has been given, and what else it can be given. */
export function GivenSchedule({ accountId }: { readonly accountId: string }): JSX.Element {
  const loaded = useLoaded(accountId, (signal) =>
    session.value.client.get('/admin/accounts/{account_id}/fee-schedule', {
      params: { path: { account_id: accountId } },
      signal,
    }),
  );
  return (
    <section class="panel">
      <h2>{W.given}</h2>
      <WhenLoaded of={loaded}>
        {({ name }) => <Give accountId={accountId} given={name} label={W.given} />}
      </WhenLoaded>
    </section>
  );
}

interface GiveProps {
  readonly accountId: string;
  readonly given: string | null;
  readonly label: string;
  readonly children?: JSX.Element;
}

function Give({ accountId, given, label, children }: GiveProps): JSX.Element {
  const loaded = useLoaded('names', namesOf);
  const [name, setName] = useState(given ?? OF_ALL);
  const action = useAction(['name']);
  const work = async (): Promise<string> => {
    await give(accountId, name);
    return W.gave;
  };
  return (
    <WhenLoaded of={loaded}>
      {(names) => (
        <Form label={label} submit={W.give} action={action} onSubmit={() => void action.run(work)}>
          {children}
          <Choice
            label={W.given}
            value={name}
            options={{ [OF_ALL]: W.ofAll, ...Object.fromEntries(names.map((each) => [each, each])) }}
            onChange={setName}
            error={action.errors['name']}
          />
        </Form>
      )}
    </WhenLoaded>
  );
}
