import { type ProvenReceipt, verifyReceipt } from '@tradepost/verify';
import type { JSX } from 'preact';
import { type Column, Table } from '../parts/table.jsx';
import { session } from '../session.js';
import { words } from '../words/index.js';
import { knownKeys } from './witness.js';
import './proof.css';

const W = words.proof;

/** What a receipt proves, by the arithmetic of this browser. Throws what differs, in words for people. */
export async function prove(receipt: unknown): Promise<ProvenReceipt> {
  const keys = await knownKeys(session.value.client);
  if (keys === null) throw new Error(`${W.bad}: ${W.otherKey}`);
  const result = verifyReceipt(receipt, keys);
  if (!result.ok) throw new Error(`${W.bad}: ${result.reason}`);
  return result;
}

interface Cell {
  readonly key: string;
  readonly table: string;
  readonly column: string;
  readonly value: string;
}

const COLUMNS: readonly Column<Cell>[] = [
  { title: W.table, isWide: true, cell: ({ table }) => table },
  { title: W.column, cell: ({ column }) => <code>{column}</code> },
  { title: W.value, cell: ({ value }) => <code class="hash">{value}</code> },
];

/** The rows that a commit wrote, as a receipt has them. */
export function Changes({ of: changes }: { readonly of: ProvenReceipt['changes'] }): JSX.Element {
  const cells = changes.flatMap(({ table, row }, place) =>
    Object.entries(row).map(([column, value]) => ({
      key: `${place} ${column}`,
      table,
      column,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    })),
  );
  return (
    <>
      <p class="hint">{W.units}</p>
      <Table label={W.receipt} columns={COLUMNS} rows={cells} keyOf={({ key }) => key} />
    </>
  );
}
