import type { JSX } from 'preact';
import { SubNav } from '../../parts/sub-nav.jsx';
import type { PageProps } from '../../router.jsx';
import { words } from '../../words/index.js';
import { AllPayouts } from './all.jsx';
import { Files } from './files.jsx';
import { UploadReport } from './report.jsx';

const PARTS = words.deskPayouts.parts;

/** What leaves for banks, the files that carry it, and what banks say of it. */
export function PayoutDesk({ rest: [part = 'all'] }: PageProps): JSX.Element {
  return (
    <>
      <SubNav label={words.deskPayouts.title} base="desk/payouts" parts={PARTS} current={part} />
      {part === 'all' && <AllPayouts />}
      {part === 'files' && (
        <>
          <Files />
          <UploadReport />
        </>
      )}
    </>
  );
}
