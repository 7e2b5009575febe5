import type { components } from '@tradepost/client';
import type { JSX } from 'preact';
import { type Column, Table } from '../parts/table.jsx';
import { Moment } from '../parts/time.jsx';
import { words } from '../words/index.js';
import { wordFor } from '../words/word-for.js';
import { KycBadge } from './kyc-badge.jsx';

type State = components['schemas']['KycStateDto'];

const W = words.banking.identity;

const COLUMNS: readonly Column<State>[] = [
  { title: words.banking.status, cell: ({ status }) => <KycBadge status={status} /> },
  { title: words.banking.time, cell: ({ changed_at: at }) => <Moment at={at} /> },
  { title: W.by, isWide: true, cell: ({ changed_by: who }) => wordFor(W.byWhom, who) },
  { title: words.banking.reason, cell: ({ reason }) => reason ?? '' },
];

/** All states that a case was in. */
export function KycHistory({ states }: { readonly states: readonly State[] }): JSX.Element {
  return (
    <>
      <h3>{W.history}</h3>
      <Table
        label={W.history}
        columns={COLUMNS}
        rows={states}
        keyOf={({ changed_at: at, status }) => `${at} ${status}`}
      />
    </>
  );
}
