import type { components } from '@tradepost/client';
import { after } from '../live.js';
import { session } from '../session.js';
import type { Source } from './source.js';

export type Transfer = components['schemas']['TransferDto'];
export type TransferWithStates = components['schemas']['TransferWithStatesDto'];
export type NewTransfer = components['schemas']['CreateTransferDto'];

type Receipt = components['schemas']['ReceiptDto'];
type TransferPage = components['schemas']['TransferPage'];

const CSV = { Accept: 'text/csv' };

/** The same calls for wallets and for trading accounts. */
export interface TransferCalls {
  readonly list: (cursor: string | undefined, signal: AbortSignal) => Promise<TransferPage>;
  readonly csv: () => Promise<Response>;
  readonly one: (transferId: string, signal: AbortSignal) => Promise<TransferWithStates>;
  /** What was booked of it last; wallets have no receipts. */
  readonly receipt?: (transferId: string) => Promise<Receipt>;
  readonly send: (body: NewTransfer, key: string) => Promise<Transfer>;
}

export function callsOf({ kind, id }: Pick<Source, 'kind' | 'id'>): TransferCalls {
  const { client } = session.value;
  if (kind === 'wallet') {
    const path = { wallet_id: id };
    const all = '/wallets/{wallet_id}/transfers';
    return {
      list: (cursor, signal) => client.get(all, { params: { path, query: after(cursor) }, signal }),
      csv: () => client.response(all, { params: { path }, headers: CSV }),
      one: (transferId, signal) =>
        client.get('/wallets/{wallet_id}/transfers/{transfer_id}', {
          params: { path: { ...path, transfer_id: transferId } },
          signal,
        }),
      send: (body, key) => client.post(all, { params: { path }, body, headers: { 'Idempotency-Key': key } }),
    };
  }
  const path = { account_id: id };
  const all = '/accounts/{account_id}/transfers';
  return {
    list: (cursor, signal) => client.get(all, { params: { path, query: after(cursor) }, signal }),
    csv: () => client.response(all, { params: { path }, headers: CSV }),
    one: (transferId, signal) =>
      client.get('/accounts/{account_id}/transfers/{transfer_id}', {
        params: { path: { ...path, transfer_id: transferId } },
        signal,
      }),
    receipt: (transferId) =>
      client.get('/accounts/{account_id}/transfers/{transfer_id}/receipt', {
        params: { path: { ...path, transfer_id: transferId } },
      }),
    send: (body, key) => client.post(all, { params: { path }, body, headers: { 'Idempotency-Key': key } }),
  };
}
