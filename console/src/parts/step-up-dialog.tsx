import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../live.js';
import { session } from '../session.js';
import { awaitedProof } from '../step-up.js';
import { useStore } from '../store.js';
import { words } from '../words/index.js';
import { Dialog } from './dialog.jsx';
import { Form, TextField, useAction } from './form.jsx';
import { WhenLoaded } from './notice.jsx';

const W = words.stepUp;

/** Asks for the proof that somebody waits for. */
export function StepUpDialog(): JSX.Element | null {
  const finish = useStore(awaitedProof);
  const totp = useLoaded(finish === null ? null : 'totp', (signal) =>
    session.value.client.get('/user/totp', { signal }),
  );
  if (finish === null) return null;
  return (
    <Dialog title={W.title} onClose={() => finish(false)}>
      <p>{W.why}</p>
      <WhenLoaded of={totp}>
        {({ is_enrolled: hasApp }) => <ProofForm hasApp={hasApp} onDone={() => finish(true)} />}
      </WhenLoaded>
    </Dialog>
  );
}

interface ProofFormProps {
  readonly hasApp: boolean;
  readonly onDone: () => void;
}

function ProofForm({ hasApp, onDone }: ProofFormProps): JSX.Element {
  const [text, setText] = useState('');
  const action = useAction(['code', 'password']);
  const send = async (): Promise<void> => {
    const isDone = await action.run(async () => {
      await session.value.client.post('/user/step-up', {
        body: hasApp ? { code: text } : { password: text },
      });
      return undefined;
    });
    if (isDone) onDone();
  };
  return (
    <Form label={W.title} submit={W.confirm} action={action} onSubmit={() => void send()}>
      <TextField
        label={hasApp ? W.code : W.password}
        type={hasApp ? 'text' : 'password'}
        autoComplete={hasApp ? 'one-time-code' : 'current-password'}
        value={text}
        onChange={setText}
        error={action.errors[hasApp ? 'code' : 'password']}
        hint={hasApp ? W.codeHint : undefined}
      />
    </Form>
  );
}
