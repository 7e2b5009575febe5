import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { ConfirmWithReason } from '../../parts/confirm-with-reason.jsx';
import { Facts } from '../../parts/facts.jsx';
import { Form, TextField, useAction } from '../../parts/form.jsx';
import { Failure, WhenLoaded } from '../../parts/notice.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { AccountList } from './accounts.jsx';
import { isProposal, outcomeOf } from '../outcome.js';
import { fullNameOf, type User, UserState } from './users.jsx';

const W = words.deskPeople;

export function OneUser({ username }: { readonly username: string }): JSX.Element {
  const loaded = useLoaded(username, (signal) => findUser(username, signal));
  return (
    <>
      <Link to="desk/people">{W.allUsers}</Link>
      <WhenLoaded of={loaded}>
        {(user) =>
          user === null ? (
            <Failure text={W.noUser} />
          ) : (
            <>
              <Overview user={user} onChanged={loaded.reload} />
              <section class="panel">
                <h2>{W.parts.accounts}</h2>
                <AccountList label={W.parts.accounts} query={{ owner: username }} />
              </section>
              <Password username={username} />
            </>
          )
        }
      </WhenLoaded>
    </>
  );
}

/** Among the users whose names begin so; those who are closed are asked for by their state alone. */
async function findUser(username: string, signal: AbortSignal): Promise<User | null> {
  for (const more of [{}, { status: 'closed' as const }]) {
    const { data } = await session.value.client.get('/admin/users', {
      params: { query: { q: username, limit: 200, ...more } },
      signal,
    });
    const found = data.find((each) => each.username === username);
    if (found !== undefined) return found;
  }
  return null;
}

interface OverviewProps {
  readonly user: User;
  readonly onChanged: () => void;
}

function Overview({ user, onChanged }: OverviewProps): JSX.Element {
  const { username, status, operator } = user;
  const [message, setMessage] = useState('');
  return (
    <section class="panel">
      <div class="row">
        <h2>{username}</h2>
        <UserState of={status} />
      </div>
      <Facts
        of={[
          [W.fullName, fullNameOf(user)],
          [W.email, user.email],
          [W.phone, user.phone],
          [W.person, user.person],
          [W.operator, operator ? W.yes : W.no],
          [W.created, <Moment at={user.created_at} />],
        ]}
      />
      <Acts user={user} onChanged={onChanged} onOutcome={setMessage} />
      <p class="outcome" role="status">
        {message}
      </p>
    </section>
  );
}

interface ActsProps extends OverviewProps {
  /** What became of an act that may have been proposed alone. */
  readonly onOutcome: (text: string) => void;
}

function Acts({ user, onChanged, onOutcome }: ActsProps): JSX.Element {
  const { username, status, operator } = user;
  const { client } = session.value;
  const params = { path: { username } };
  return (
    <div class="filters">
      {status === 'active' && (
        <ConfirmWithReason
          label={W.lock}
          of={username}
          what={W.lockWhat}
          work={(reason) => client.post('/admin/users/{username}/lock', { params, body: { reason } })}
          onDone={onChanged}
        />
      )}
      {status === 'locked' && (
        <ConfirmWithReason
          label={W.unlock}
          of={username}
          what={W.unlockWhat}
          isDangerous={false}
          isOptional
          work={(reason) =>
            client.post('/admin/users/{username}/unlock', {
              params,
              body: { ...(reason !== '' && { reason }) },
            })
          }
          onDone={onChanged}
        />
      )}
      {status !== 'closed' && (
        <Confirm
          label={W.resetFactor}
          of={username}
          what={W.resetFactorWhat}
          work={async () => {
            const answer = await client.delete('/admin/users/{username}/second-factors', { params });
            onOutcome(outcomeOf(answer, words.desk.done));
          }}
          onDone={onChanged}
        />
      )}
      {status === 'active' && !operator && (
        <Confirm
          label={W.makeOperator}
          of={username}
          what={W.makeOperatorWhat}
          work={async () => {
            const answer = await client.post('/admin/operators', { body: { username } });
            onOutcome(outcomeOf(answer, words.desk.done));
          }}
          onDone={onChanged}
        />
      )}
    </div>
  );
}

function Password({ username }: { readonly username: string }): JSX.Element {
  const [password, setPassword] = useState('');
  const action = useAction(['password']);
  const set = async (): Promise<string> => {
    const answer = await session.value.client.put('/user/{username}', {
      params: { path: { username } },
      body: { password },
    });
    setPassword('');
    return isProposal(answer) ? words.desk.proposed : words.desk.done;
  };
  return (
    <section class="panel">
      <h2>{W.password}</h2>
      <p class="hint">{W.passwordWhat}</p>
      <Form label={W.password} submit={W.password} action={action} onSubmit={() => void action.run(set)}>
        <TextField
          label={W.newPassword}
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          error={action.errors['password']}
        />
      </Form>
    </section>
  );
}
