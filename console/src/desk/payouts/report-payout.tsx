import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from '../../parts/confirm.jsx';
import { Choice } from '../../parts/field.jsx';
import { TextField } from '../../parts/form.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';

const W = words.deskPayouts;

interface ReportPayoutProps {
  readonly payoutId: string;
  readonly of: string;
  /** What was paid can come back still. */
  readonly isPaid: boolean;
  readonly onDone: () => void;
}

/** What the bank says of one payout. */
export function ReportPayout({ payoutId, of, isPaid, onDone }: ReportPayoutProps): JSX.Element {
  const [status, setStatus] = useState<'paid' | 'failed' | 'returned'>(isPaid ? 'returned' : 'paid');
  const [code, setCode] = useState('');
  const [message, setMessage] = useState('');
  const report = (): Promise<unknown> =>
    session.value.client.post('/admin/payouts/{payout_id}/report', {
      params: { path: { payout_id: payoutId } },
      body: { status, ...(code !== '' && { code }), ...(message !== '' && { message }) },
    });
  return (
    <Confirm
      label={W.report}
      of={of}
      what={W.reportWhat}
      fields={['status', 'code', 'message']}
      work={report}
      onDone={onDone}
    >
      {({ errors }) => (
        <>
          <Choice
            label={W.bank}
            value={status}
            options={isPaid ? { returned: W.reported.returned } : W.reported}
            onChange={setStatus}
            error={errors['status']}
          />
          <TextField
            label={W.code}
            value={code}
            onChange={(text) => setCode(text.trim())}
            error={errors['code']}
          />
          <TextField label={W.message} value={message} onChange={setMessage} error={errors['message']} />
        </>
      )}
    </Confirm>
  );
}
