import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useLoaded, useLooks } from '../../live.js';
import { ConfirmWithReason } from '../../parts/confirm-with-reason.jsx';
import { Facts } from '../../parts/facts.jsx';
import { useOwnKey } from '../../parts/form.jsx';
import { WhenLoaded } from '../../parts/notice.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { ProposedSettlement } from '../markets/settlement-preview.jsx';
import { kindWords } from './kind-words.js';
import { StateBadge } from './state-badge.jsx';

type Approval = components['schemas']['ApprovalDto'];

const W = words.desk.inbox;

/** Where the desk shows what an approval is about. */
const PLACES: Readonly<Record<string, string>> = {
  account: 'desk/people/accounts',
  event_group: 'desk/event-groups',
  market: 'desk/markets',
  user: 'desk/people/users',
};

function Subject({ of: { type, id } }: { readonly of: Approval['subject'] }): JSX.Element {
  const place = PLACES[type];
  if (place === undefined) return <code>{`${type} ${id}`}</code>;
  return <Link to={`${place}/${encodeURIComponent(id)}`}>{`${type} ${id}`}</Link>;
}

export function OneApproval({ approvalId }: { readonly approvalId: string }): JSX.Element {
  const loaded = useLoaded(approvalId, (signal) =>
    session.value.client.get('/admin/approvals/{approval_id}', {
      params: { path: { approval_id: approvalId } },
      signal,
    }),
  );
  useLooks(loaded.value?.status === 'pending', loaded);
  return (
    <>
      <Link to="desk">{W.back}</Link>
      <WhenLoaded of={loaded}>
        {(approval) => (
          <section class="panel">
            <div class="row">
              <h2>{kindWords(approval.kind)}</h2>
              <StateBadge of={approval.status} />
            </div>
            <p>{approval.summary}</p>
            <Facts
              of={[
                [W.about, <Subject of={approval.subject} />],
                [W.proposedBy, approval.proposed_by],
                [W.proposed, <Moment at={approval.proposed_at} />],
                [W.expires, approval.expires_at && <Moment at={approval.expires_at} />],
                [W.decidedBy, approval.decided_by],
                [W.decided, approval.decided_at && <Moment at={approval.decided_at} />],
                [W.reason, approval.reason],
              ]}
            />
            {approval.status === 'pending' && approval.subject.type === 'market' && (
              <ProposedSettlement marketId={approval.subject.id} />
            )}
            {approval.status === 'pending' && <Decide approvalId={approvalId} onDecided={loaded.reload} />}
          </section>
        )}
      </WhenLoaded>
    </>
  );
}

interface DecideProps {
  readonly approvalId: string;
  readonly onDecided: () => void;
}

function Decide({ approvalId, onDecided }: DecideProps): JSX.Element {
  const key = useOwnKey(approvalId);
  const params = { path: { approval_id: approvalId } };
  const { client } = session.value;
  return (
    <div class="filters">
      <ConfirmWithReason
        label={W.approve}
        what={W.approveWhat}
        isDangerous={false}
        isOptional
        work={async (reason) => {
          await client.post('/admin/approvals/{approval_id}/approve', {
            params,
            body: { ...(reason !== '' && { reason }) },
            headers: { 'Idempotency-Key': key.current },
          });
          key.renew();
        }}
        onDone={onDecided}
      />
      <ConfirmWithReason
        label={W.reject}
        what={W.rejectWhat}
        work={(reason) => client.post('/admin/approvals/{approval_id}/reject', { params, body: { reason } })}
        onDone={onDecided}
      />
    </div>
  );
}
