import type { JSX } from 'preact';
import type { PageProps } from '../../router.jsx';
import { OneApproval } from './approval.jsx';
import { Approvals } from './approvals.jsx';

export function Inbox({ rest: [approvalId] }: PageProps): JSX.Element {
  return approvalId === undefined ? <Approvals /> : <OneApproval key={approvalId} approvalId={approvalId} />;
}
