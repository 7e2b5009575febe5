import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { isOpenCase, KycBadge } from '../../banking/kyc-badge.jsx';
import { KycHistory } from '../../banking/kyc-history.jsx';
import { useLoaded } from '../../live.js';
import { Confirm } from '../../parts/confirm.jsx';
import { Facts } from '../../parts/facts.jsx';
import { Badge, type Tone, WhenLoaded } from '../../parts/notice.jsx';
import { type Column, Table } from '../../parts/table.jsx';
import { Moment } from '../../parts/time.jsx';
import { Link } from '../../router.jsx';
import { session } from '../../session.js';
import { words } from '../../words/index.js';
import { Decision } from './decision.jsx';
import { CasePhotos } from './photos.jsx';

type Schemas = components['schemas'];
type Case = Schemas['KycCaseDetailDto'];
type Check = Schemas['KycCheckDto'];
type Revealed = Schemas['RevealedPersonDto'];

const W = words.deskKyc;
const FIELDS = words.banking.identity;

interface OneCaseProps {
  readonly kycId: string;
}

/** One case: what was said and checked, and the photos beside it. */
export function OneCase({ kycId }: OneCaseProps): JSX.Element {
  const path = { kyc_id: kycId };
  const loaded = useLoaded(kycId, (signal) =>
    session.value.client.get('/admin/kyc/{kyc_id}', { params: { path }, signal }),
  );
  return (
    <>
      <Link to="desk/kyc">{W.all}</Link>
      <WhenLoaded of={loaded}>
        {(found) => (
          <>
            <div class="panels">
              <section class="panel">
                <Said kycCase={found} />
                <Checks checks={found.checks} />
              </section>
              <CasePhotos kycId={kycId} images={found.images} />
            </div>
            {(isOpenCase(found.status) || found.status === 'approved') && (
              <Decision
                key={found.status}
                kycId={kycId}
                isApproved={found.status === 'approved'}
                onDecided={loaded.reload}
              />
            )}
            <section class="panel">
              <KycHistory states={found.history} />
            </section>
          </>
        )}
      </WhenLoaded>
    </>
  );
}

function Said({ kycCase }: { readonly kycCase: Case }): JSX.Element {
  const { owner, status, level, person } = kycCase;
  const [revealed, setRevealed] = useState<Revealed | null>(null);
  const reveal = async (): Promise<void> => {
    const params = { path: { kyc_id: kycCase.kyc_id }, query: { reveal: true } };
    const seen = await session.value.client.get('/admin/kyc/{kyc_id}', { params });
    setRevealed(seen.revealed);
  };
  return (
    <>
      <div class="row">
        <h2>{owner}</h2>
        <KycBadge status={status} />
      </div>
      <Facts
        of={[
          [FIELDS.level, level],
          [FIELDS.name, person?.name],
          [W.document, person && `${FIELDS.kinds[person.document_type]} ${person.document_number}`],
          [FIELDS.expires, kycCase.document_expires_on],
          [W.submitted, <Moment at={kycCase.created_at} />],
          [W.submittedBy, kycCase.submitted_by === owner ? null : kycCase.submitted_by],
          [W.provider, kycCase.provider],
          [W.views, kycCase.views],
        ]}
      />
      {person !== null && revealed === null && (
        <div>
          <Confirm
            label={W.reveal}
            what={W.revealWhat}
            isDangerous={false}
            work={reveal}
            onDone={() => undefined}
          />
        </div>
      )}
      {revealed !== null && <Person person={revealed} />}
    </>
  );
}

function Person({ person }: { readonly person: Revealed }): JSX.Element {
  const { address, document } = person;
  const lines = [
    address.line1,
    address.line2,
    `${address.postal_code} ${address.city}`,
    address.region,
    address.country,
  ];
  return (
    <>
      <h3>{W.revealed}</h3>
      <Facts
        of={[
          [FIELDS.name, `${person.first_name} ${person.last_name}`],
          [W.born, person.date_of_birth],
          [W.nationality, person.nationality],
          [W.address, lines.filter(Boolean).join(', ')],
          [W.number, <code>{document.number}</code>],
          [W.issuedBy, document.issuing_country],
          [W.lines, document.mrz.length > 0 ? <pre>{document.mrz.join('\n')}</pre> : null],
        ]}
      />
    </>
  );
}

const TONES: Readonly<Record<Check['outcome'], Tone>> = { passed: 'good', review: 'waits', failed: 'bad' };

const CHECKS: readonly Column<Check>[] = [
  { title: W.check, cell: ({ check }) => W.checkNames[check] },
  {
    title: W.outcome,
    cell: ({ outcome }) => <Badge tone={TONES[outcome]} text={W.outcomes[outcome]} />,
  },
  {
    title: W.matches,
    isWide: true,
    cell: ({ matches }) => matches.map(matchWords).join('; '),
  },
];

function matchWords({ name: listed, score, program }: Check['matches'][number]): string {
  const name = listed ?? W.notListed;
  return program === null ? W.match({ name, score }) : W.matchOf({ name, score, program });
}

function Checks({ checks }: { readonly checks: readonly Check[] }): JSX.Element {
  return (
    <>
      <h3>{W.checks}</h3>
      <Table label={W.checks} columns={CHECKS} rows={checks} keyOf={({ check }) => check} />
    </>
  );
}
