import type { JSX } from 'preact';
import { SubNav } from '../../parts/sub-nav.jsx';
import type { PageProps } from '../../router.jsx';
import { words } from '../../words/index.js';
import { AllSchedules } from './all.jsx';
import { GiveSchedule } from './give.jsx';
import { NewSchedule, OneSchedule } from './schedule.jsx';

const PARTS = words.deskFees.parts;

/** What accounts pay by how much they trade. */
export function FeeDesk({ rest: [part = 'all'] }: PageProps): JSX.Element {
  return (
    <>
      <SubNav label={words.deskFees.title} base="desk/fees" parts={PARTS} current={part} />
      {part === 'all' && (
        <>
          <AllSchedules />
          <GiveSchedule />
        </>
      )}
      {part === 'create' && <NewSchedule />}
      {!(part in PARTS) && <OneSchedule key={part} name={part} />}
    </>
  );
}
