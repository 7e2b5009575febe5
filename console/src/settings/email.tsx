import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../live.js';
import { Form, Outcome, TextField, useAction } from '../parts/form.jsx';
import { Badge, WhenLoaded } from '../parts/notice.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

type Email = components['schemas']['EmailDto'];

const W = words.settings.email;

interface Part {
  readonly of: Email;
  readonly onChanged: () => void;
}

/** The address that resets of the password and news of one's security go to. */
export function EmailAddress(): JSX.Element {
  const email = useLoaded('email', (signal) => session.value.client.get('/user/email', { signal }));
  return (
    <section class="panel">
      <h2>{W.title}</h2>
      <p>{W.why}</p>
      <WhenLoaded of={email}>
        {(of) => (
          <>
            {of.email !== null && <Standing of={of} />}
            <Change of={of} onChanged={email.reload} />
          </>
        )}
      </WhenLoaded>
    </section>
  );
}

function Standing({ of: { email, verified_at: verifiedAt } }: Pick<Part, 'of'>): JSX.Element {
  const action = useAction();
  const send = (): Promise<boolean> =>
    action.run(async () => {
      await session.value.client.post('/user/email/verification');
      return W.sent;
    });
  const isVerified = verifiedAt !== null;
  return (
    <>
      <p>
        {email} <Badge tone={isVerified ? 'good' : 'plain'} text={isVerified ? W.verified : W.unverified} />
      </p>
      {!isVerified && (
        <div class="row">
          <button type="button" disabled={action.isBusy} onClick={() => void send()}>
            {W.send}
          </button>
        </div>
      )}
      <Outcome of={action} />
    </>
  );
}

function Change({ of, onChanged }: Part): JSX.Element {
  const [email, setEmail] = useState(of.email ?? '');
  const action = useAction(['email']);
  const change = async (): Promise<void> => {
    const { client, user } = session.value;
    const username = user?.username ?? '';
    const isDone = await action.run(async () => {
      await client.put('/user/{username}', { params: { path: { username } }, body: { email } });
      return W.changed;
    });
    if (isDone) onChanged();
  };
  return (
    <Form label={W.title} submit={W.change} action={action} onSubmit={() => void change()}>
      <TextField
        label={W.title}
        type="email"
        autoComplete="email"
        value={email}
        onChange={setEmail}
        error={action.errors['email']}
      />
    </Form>
  );
}
