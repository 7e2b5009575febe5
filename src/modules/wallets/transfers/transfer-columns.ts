import type { CsvColumn } from '../../../kit/http/csv/csv-rows.js';
import type { TransferDto } from './transfer.dto.js';

/** The columns of the list as CSV. */
export const TRANSFER_COLUMNS = [
  'transfer_id',
  'wallet_id',
  'direction',
  'status',
  'reason',
  'asset',
  'amount',
  'fee',
  'fee_asset',
  'source.type',
  'source.account_id',
  'source.wallet_id',
  'source.chain',
  'source.address',
  'destination.type',
  'destination.account_id',
  'destination.wallet_id',
  'destination.chain',
  'destination.address',
  'tx_hash',
  'confirmations',
  'client_transfer_id',
  'created_at',
  'updated_at',
] as const satisfies readonly CsvColumn<TransferDto>[];
