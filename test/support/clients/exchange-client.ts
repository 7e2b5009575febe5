/** Shared by the Exchange specs: event markets, and quotes and bets that must succeed. */
import { expect } from 'vitest';
import type { Caller, Json } from '../caller.js';
import { createMarket } from './markets-client.js';

/** Contracts, traded in cents. */
const EVENT = { kind: 'event', base_asset: undefined, lot_size: '1' };

export function createEvent(operator: Caller, marketId: string, more: Json = {}): Promise<string> {
  return createMarket(operator, marketId, { ...EVENT, ...more });
}

export async function quote(caller: Caller, terms: Json, headers?: Record<string, string>): Promise<Json> {
  const reply = await caller.post('/quotes', terms, headers);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body;
}

export async function accept(caller: Caller, { quote_id }: Json): Promise<Json> {
  const reply = await caller.post('/matched-bets', { quote_id });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body;
}

/** The status and the code that a request is refused with. */
export async function refusal(caller: Caller, path: string, body: Json): Promise<[number, string]> {
  const reply = await caller.post(path, body);
  return [reply.status, reply.body.error?.code];
}

/** The whole state of money, orders, positions and markets, as one text. */
export async function stateOf(operator: Caller): Promise<Json> {
  const { body } = await operator.get('/admin/ledger/check');
  expect(body).toMatchObject({ balanced: true, problems: [] });
  return { sequence: body.sequence, state_hash: body.state_hash };
}

/** Opens another funded account for a client; returns its id. */
export async function openAccount(operator: Caller, owner: string, usd = '1000000'): Promise<string> {
  const { body } = await operator.post('/admin/accounts', { name: 'Second', owner: `client:${owner}` });
  const deposit = { asset: 'USD', amount: usd, reference: 'test' };
  const reply = await operator.post(`/admin/accounts/${body.account_id}/deposits`, deposit);
  expect(reply.status).toBe(201);
  return body.account_id;
}

export async function totalUsd(caller: Caller, accountId = 'me'): Promise<string> {
  const { body } = await caller.get(`/accounts/${accountId}/balances?limit=200`);
  return body.data.find(({ asset }: Json) => asset === 'USD')?.total ?? '0';
}
