import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Choice } from '../../parts/field.jsx';
import { Form, TextField, useAction } from '../../parts/form.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { outcomeOf } from '../outcome.js';

const W = words.deskKyc;
const LEVELS = Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((level) => [level, String(level)]));

interface DecisionProps {
  readonly kycId: string;
  /** What was approved can be rejected still. */
  readonly isApproved: boolean;
  readonly onDecided: () => void;
}

export function Decision({ kycId, isApproved, onDecided }: DecisionProps): JSX.Element {
  const [decision, setDecision] = useState<'approved' | 'rejected'>(isApproved ? 'rejected' : 'approved');
  const [level, setLevel] = useState('1');
  const [reason, setReason] = useState('');
  const action = useAction(['decision', 'level', 'reason']);
  const decide = async (): Promise<string> => {
    const answer = await session.value.client.post('/admin/kyc/{kyc_id}/decision', {
      params: { path: { kyc_id: kycId } },
      body: { decision, reason, ...(decision === 'approved' && { level: Number(level) }) },
    });
    setReason('');
    onDecided();
    return outcomeOf(answer, W.decided);
  };
  return (
    <section class="panel">
      <h2>{W.decide}</h2>
      <Form
        label={W.decide}
        submit={W.decisions[decision]}
        action={action}
        onSubmit={() => void action.run(decide)}
      >
        {!isApproved && (
          <Choice
            label={W.decision}
            value={decision}
            options={W.decisions}
            onChange={setDecision}
            error={action.errors['decision']}
          />
        )}
        {decision === 'approved' && (
          <Choice
            label={W.level}
            value={level}
            options={LEVELS}
            onChange={setLevel}
            hint={W.levelHint}
            error={action.errors['level']}
          />
        )}
        <TextField
          label={words.reason}
          value={reason}
          onChange={setReason}
          hint={W.reasonHint}
          error={action.errors['reason']}
        />
      </Form>
    </section>
  );
}
