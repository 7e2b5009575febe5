import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../live.js';
import { canUsePasskeys, signByPasskey } from '../passkeys.js';
import { logInAgain, session } from '../session.js';
import { awaitedProof } from '../step-up.js';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import { Dialog } from './dialog.jsx';
import { Form, Outcome, TextField, useAction } from './form.jsx';
import { WhenLoaded } from './notice.jsx';

const W = words.stepUp;

/** Asks for the proof that somebody waits for. */
export function StepUpDialog(): JSX.Element | null {
  const finish = useStore(awaitedProof);
  const factors = useLoaded(finish === null ? null : 'factors', factorsOf);
  if (finish === null) return null;
  return (
    <Dialog title={W.title} onClose={() => finish(false)}>
      <p>{W.why}</p>
      <WhenLoaded of={factors}>
        {(held) => (
          <>
            {held.hasPasskey && canUsePasskeys() && <PasskeyProof onDone={() => finish(true)} />}
            <ProofForm {...held} onDone={() => finish(true)} />
            {!held.hasApp && !held.hasPasskey && <NewLogIn />}
          </>
        )}
      </WhenLoaded>
    </Dialog>
  );
}

interface Factors {
  readonly hasApp: boolean;
  readonly hasPasskey: boolean;
}

async function factorsOf(signal: AbortSignal): Promise<Factors> {
  const { client } = session.value;
  const [totp, passkeys] = await Promise.all([
    client.get('/user/totp', { signal }),
    client.get('/user/passkeys', { params: { query: { limit: 1 } }, signal }),
  ]);
  return { hasApp: totp.is_enrolled, hasPasskey: passkeys.data.length > 0 };
}

function PasskeyProof({ onDone }: Pick<ProofFormProps, 'onDone'>): JSX.Element {
  const action = useAction();
  const send = async (): Promise<void> => {
    const { client } = session.value;
    const isDone = await action.run(async () => {
      const passkey = await signByPasskey(await client.post('/user/step-up/options'));
      await client.post('/user/step-up', { body: { passkey } });
      return undefined;
    });
    if (isDone) onDone();
  };
  return (
    <div class="form">
      <div class="row">
        <button type="button" class="primary" disabled={action.isBusy} onClick={() => void send()}>
          {words.passkeys.use}
        </button>
      </div>
      <Outcome of={action} />
    </div>
  );
}

/** For who logs in by an identity elsewhere, and has no password here. */
function NewLogIn(): JSX.Element {
  return (
    <p>
      {W.elsewhere}{' '}
      <button type="button" onClick={() => void logInAgain()}>
        {W.again}
      </button>
    </p>
  );
}

interface ProofFormProps extends Factors {
  readonly onDone: () => void;
}

function ProofForm({ hasApp, hasPasskey, onDone }: ProofFormProps): JSX.Element {
  const takesCode = hasApp || hasPasskey;
  const [text, setText] = useState('');
  const action = useAction(['code', 'password']);
  const send = async (): Promise<void> => {
    const isDone = await action.run(async () => {
      await session.value.client.post('/user/step-up', {
        body: takesCode ? { code: text } : { password: text },
      });
      return undefined;
    });
    if (isDone) onDone();
  };
  return (
    <Form label={W.title} submit={W.confirm} action={action} onSubmit={() => void send()}>
      <TextField
        label={takesCode ? W.code : W.password}
        type={takesCode ? 'text' : 'password'}
        autoComplete={takesCode ? 'one-time-code' : 'current-password'}
        value={text}
        onChange={setText}
        error={action.errors[takesCode ? 'code' : 'password']}
        hint={hasApp ? W.codeHint : hasPasskey ? W.recoveryHint : undefined}
      />
    </Form>
  );
}
