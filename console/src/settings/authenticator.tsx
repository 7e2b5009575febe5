import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useLoaded } from '../live.js';
import { Confirm } from '../parts/confirm.jsx';
import { Form, Outcome, TextField, useAction } from '../parts/form.jsx';
import { Badge, WhenLoaded } from '../parts/notice.jsx';
import { QrCode } from '../parts/qr-code.jsx';
import { Secret } from '../parts/secret.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { NewCodes, RenewCodes } from './recovery-codes.jsx';

type Schemas = components['schemas'];

const W = words.settings.authenticator;

/** The app whose codes log-ins ask for: to begin with one, and to do without. */
export function Authenticator(): JSX.Element {
  const totp = useLoaded('totp', (signal) => session.value.client.get('/user/totp', { signal }));
  const [codes, setCodes] = useState<readonly string[]>([]);
  const show = (shown: readonly string[]): void => {
    setCodes(shown);
    totp.reload();
  };
  return (
    <section class="panel">
      <h2>{W.title}</h2>
      <WhenLoaded of={totp}>
        {(state) =>
          state.is_enrolled ? <Enrolled of={state} onCodes={show} /> : <Enrolment onCodes={show} />
        }
      </WhenLoaded>
      <NewCodes codes={codes} />
    </section>
  );
}

interface EnrolledProps {
  readonly of: Schemas['TotpDto'];
  readonly onCodes: (codes: readonly string[]) => void;
}

function Enrolled({ of, onCodes }: EnrolledProps): JSX.Element {
  return (
    <>
      <p>
        <Badge tone="good" text={W.on} /> <Moment at={of.enrolled_at} />
      </p>
      <p>{W.left({ codes: of.recovery_codes_left })}</p>
      <div class="row">
        <RenewCodes onCodes={onCodes} />
        <Confirm
          label={W.remove}
          what={W.removeWhat}
          work={() => session.value.client.delete('/user/totp')}
          onDone={() => onCodes([])}
        />
      </div>
    </>
  );
}

function Enrolment({ onCodes }: Pick<EnrolledProps, 'onCodes'>): JSX.Element {
  const [secret, setSecret] = useState<Schemas['TotpSecretDto']>();
  const action = useAction();
  const begin = (): Promise<boolean> =>
    action.run(async () => {
      setSecret(await session.value.client.post('/user/totp'));
      return undefined;
    });
  if (secret !== undefined) return <FirstCode secret={secret} onCodes={onCodes} />;
  return (
    <>
      <p>{W.why}</p>
      <div class="row">
        <button type="button" class="primary" disabled={action.isBusy} onClick={() => void begin()}>
          {W.begin}
        </button>
      </div>
      <Outcome of={action} />
    </>
  );
}

interface FirstCodeProps extends Pick<EnrolledProps, 'onCodes'> {
  readonly secret: Schemas['TotpSecretDto'];
}

function FirstCode({ secret, onCodes }: FirstCodeProps): JSX.Element {
  const [code, setCode] = useState('');
  const action = useAction(['code']);
  const confirm = (): Promise<boolean> =>
    action.run(async () => {
      const { client } = session.value;
      onCodes((await client.post('/user/totp/confirm', { body: { code } })).recovery_codes);
      return undefined;
    });
  return (
    <>
      <p>{W.scan}</p>
      <QrCode label={W.qr} text={secret.otpauth_url} />
      <Secret label={W.secret} value={secret.secret} />
      <Form label={W.title} submit={W.confirm} action={action} onSubmit={() => void confirm()}>
        <TextField
          label={words.stepUp.code}
          autoComplete="one-time-code"
          value={code}
          onChange={setCode}
          error={action.errors['code']}
          hint={W.codeHint}
        />
      </Form>
    </>
  );
}
