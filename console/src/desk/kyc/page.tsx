import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { KycBadge } from '../../banking/kyc-badge.jsx';
import { after, usePaged } from '../../live.js';
import { Choice } from '../../parts/field.jsx';
import { type Column, PagedTable } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link, type PageProps } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { OneCase } from './case.jsx';
import { SanctionsList } from './sanctions-list.jsx';

type Case = components['schemas']['KycCaseDto'];

const W = words.deskKyc;

export function Identities({ rest: [kycId] }: PageProps): JSX.Element {
  if (kycId !== undefined) return <OneCase key={kycId} kycId={kycId} />;
  return (
    <>
      <AllCases />
      <SanctionsList />
    </>
  );
}

const COLUMNS: readonly Column<Case>[] = [
  {
    title: W.submitted,
    cell: ({ kyc_id: id, created_at: at }) => (
      <Link to={`desk/kyc/${id}`}>
        <Moment at={at} />
      </Link>
    ),
  },
  { title: W.owner, cell: ({ owner }) => owner },
  { title: W.document, isWide: true, cell: ({ person }) => person?.document_number ?? '–' },
  {
    title: W.outcomes.review,
    isWide: true,
    cell: ({ checks }) =>
      checks
        .filter(({ outcome }) => outcome !== 'passed')
        .map(({ check }) => W.checkNames[check])
        .join(', '),
  },
  { title: words.banking.status, cell: ({ status }) => <KycBadge status={status} /> },
];

function AllCases(): JSX.Element {
  const [status, setStatus] = useState<Case['status'] | 'any'>('in_review');
  const query = status === 'any' ? {} : { status };
  const pages = usePaged(status, (cursor, signal) =>
    session.value.client.get('/admin/kyc', { params: { query: { ...query, ...after(cursor) } }, signal }),
  );
  return (
    <section class="panel">
      <h2>{W.cases}</h2>
      <div class="filters">
        <Choice
          label={words.banking.status}
          value={status}
          options={{ any: words.desk.all, ...words.banking.identity.statuses }}
          onChange={setStatus}
        />
      </div>
      <PagedTable
        label={W.cases}
        columns={COLUMNS}
        pages={pages}
        none={W.none}
        keyOf={({ kyc_id: id }) => id}
      />
    </section>
  );
}
