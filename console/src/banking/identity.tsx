import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Loaded, useLoaded, useLooks } from '../live.js';
import { Facts } from '../parts/facts.jsx';
import { WhenLoaded } from '../parts/notice.jsx';
import { type Column, Table } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { IdentityForm } from './identity-form.jsx';
import { isOpenCase, KycBadge } from './kyc-badge.jsx';
import { KycHistory } from './kyc-history.jsx';
import { Photos } from './photos.jsx';

type Case = components['schemas']['KycDto'];

const W = words.banking.identity;

export function Identity(): JSX.Element {
  const cases = useLoaded('kyc', async (signal) => {
    const { data } = await session.value.client.get('/kyc', { params: { query: { limit: 20 } }, signal });
    return data;
  });
  return (
    <>
      <p class="hint">{W.why}</p>
      <WhenLoaded of={cases}>{(data) => <Cases data={data} cases={cases} />}</WhenLoaded>
    </>
  );
}

interface CasesProps {
  /** Newest first. */
  readonly data: readonly Case[];
  readonly cases: Loaded<readonly Case[]>;
}

function Cases({ data, cases }: CasesProps): JSX.Element {
  const [isBeginning, setBeginning] = useState(false);
  const [current, ...earlier] = data;
  useLooks(current !== undefined && isOpenCase(current.status) && !isBeginning, cases);
  const submitted = (): void => {
    setBeginning(false);
    cases.reload();
  };
  if (current === undefined || isBeginning) {
    const onLeave = current === undefined ? undefined : (): void => setBeginning(false);
    return <IdentityForm onSubmitted={submitted} onLeave={onLeave} />;
  }
  return (
    <>
      <CurrentCase key={current.kyc_id} kycCase={current} />
      {isOpenCase(current.status) && <Photos kycId={current.kyc_id} />}
      <section class="panel">
        <h2>{W.startAnew}</h2>
        <p class="hint">{W.anewWhat}</p>
        <div>
          <button type="button" onClick={() => setBeginning(true)}>
            {W.startAnew}
          </button>
        </div>
      </section>
      {earlier.length > 0 && (
        <section class="panel">
          <h2>{W.earlier}</h2>
          <Table label={W.earlier} columns={EARLIER} rows={earlier} keyOf={({ kyc_id: id }) => id} />
        </section>
      )}
    </>
  );
}

const EARLIER: readonly Column<Case>[] = [
  { title: words.banking.created, cell: ({ created_at: at }) => <Moment at={at} /> },
  { title: words.banking.status, cell: ({ status }) => <KycBadge status={status} /> },
  { title: W.document, isWide: true, cell: ({ person }) => person?.document_number ?? '–' },
];

function CurrentCase({ kycCase }: { readonly kycCase: Case }): JSX.Element {
  const { kyc_id: id, status, level, person, reasons, requirements } = kycCase;
  const document = person && `${W.kinds[person.document_type]} ${person.document_number}`;
  return (
    <section class="panel">
      <div class="row">
        <h2>{W.current}</h2>
        <KycBadge status={status} />
      </div>
      <Facts
        of={[
          [W.level, level],
          [W.name, person?.name],
          [W.document, document],
          [W.expires, kycCase.document_expires_on],
          [W.decided, kycCase.decided_at && <Moment at={kycCase.decided_at} />],
        ]}
      />
      <Told title={W.reasons} messages={reasons.map(({ message }) => message)} />
      <Told title={W.requirements} messages={requirements.map(({ message }) => message)} />
      <History kycId={id} status={status} />
    </section>
  );
}

function Told({ title, messages }: { title: string; messages: readonly string[] }): JSX.Element | null {
  if (messages.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {messages.map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
    </>
  );
}

function History({ kycId, status }: { readonly kycId: string; readonly status: string }): JSX.Element {
  const states = useLoaded(`${kycId} ${status}`, (signal) =>
    session.value.client.get('/kyc/{kyc_id}/history', { params: { path: { kyc_id: kycId } }, signal }),
  );
  return <WhenLoaded of={states}>{({ data }) => <KycHistory states={data} />}</WhenLoaded>;
}
