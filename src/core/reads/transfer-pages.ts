import type { EntityManager } from 'typeorm';
import type { LedgerTransfer } from '../../domain/engine/types.js';
import { LEDGER_TRANSFER_COLUMNS } from '../tables/core-tables.js';
import { entriesOf, type SpanPage } from '../tables/ledger-transfers.js';
import { fieldReader, type TableRow } from '../tables/table-row.js';

const fieldsOf = fieldReader(LEDGER_TRANSFER_COLUMNS);
const MS = "round(date_part('epoch', created_at) * 1000) AS created_at";
const NAMES = LEDGER_TRANSFER_COLUMNS.map(({ name }) => (name === 'created_at' ? MS : name)).join(', ');

const pageOf = (order: SpanPage['order']): string => `
  SELECT ${NAMES}
  FROM (${entriesOf('= $1', { after: '$2::int8', until: '$3::int8' }, { order, limit: '$4' })}) AS page
  ORDER BY transfer_id ${order}`;
const PAGES = { ASC: pageOf('ASC'), DESC: pageOf('DESC') };

/** The transfers of an account after a sequence and up to another one, oldest or newest first. */
export async function readTransfers(
  manager: EntityManager,
  accountId: number,
  { after, until }: { readonly after: number; readonly until: number },
  { order, limit }: { readonly order: SpanPage['order']; readonly limit: number },
): Promise<LedgerTransfer[]> {
  const rows = await manager.query<TableRow<typeof LEDGER_TRANSFER_COLUMNS>[]>(PAGES[order], [
    accountId,
    after,
    until,
    limit,
  ]);
  return rows.map((row) => fieldsOf(row) as LedgerTransfer);
}
