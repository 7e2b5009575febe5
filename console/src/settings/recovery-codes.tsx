import type { JSX } from 'preact';
import { Confirm } from '../parts/confirm.jsx';
import { Secret } from '../parts/secret.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';

const W = words.settings.authenticator;

interface RenewCodesProps {
  readonly onCodes: (codes: readonly string[]) => void;
}

/** Gets new codes instead of those that are left. */
export function RenewCodes({ onCodes }: RenewCodesProps): JSX.Element {
  return (
    <Confirm
      label={W.renew}
      what={W.renewWhat}
      isDangerous={false}
      work={async () => {
        onCodes((await session.value.client.post('/user/totp/recovery-codes')).recovery_codes);
      }}
      onDone={() => undefined}
    />
  );
}

/** Codes that the service shows this once; nothing where there are none. */
export function NewCodes({ codes }: { readonly codes: readonly string[] }): JSX.Element | null {
  if (codes.length === 0) return null;
  return (
    <>
      <Secret label={W.codes} value={codes.join('\n')} />
      <p>{W.codesHint}</p>
    </>
  );
}
