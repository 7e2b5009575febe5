import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { words } from '../words/index.js';
import { Confirm } from './confirm.jsx';
import { TextField } from './form.jsx';

interface ConfirmWithReasonProps {
  readonly label: string;
  readonly of?: string;
  readonly what: string;
  readonly isDangerous?: boolean;
  /** Whether the service does without a reason. */
  readonly isOptional?: boolean;
  readonly work: (reason: string) => Promise<unknown>;
  readonly onDone: () => void;
}

/** For acts that are recorded with why they were done. */
export function ConfirmWithReason({
  isOptional,
  work,
  onDone,
  ...rest
}: ConfirmWithReasonProps): JSX.Element {
  const [reason, setReason] = useState('');
  return (
    <Confirm
      {...rest}
      fields={['reason']}
      work={() => work(reason)}
      onDone={() => {
        setReason('');
        onDone();
      }}
    >
      {({ errors }) => (
        <TextField
          label={isOptional === true ? words.reasonOptional : words.reason}
          value={reason}
          onChange={setReason}
          error={errors['reason']}
        />
      )}
    </Confirm>
  );
}
