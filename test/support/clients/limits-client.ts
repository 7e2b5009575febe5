/** Shared by the specs of self-set limits: funded users, and limits that must succeed. */
import { expect } from 'vitest';
import type { TestApp } from '../app.js';
import type { Caller, Json } from '../caller.js';
import { queryOnce } from '../core.js';
import { logIn, type UserCaller } from './users-client.js';

export interface Trader {
  readonly username: string;
  readonly accountId: string;
  readonly caller: UserCaller;
}

/** A new user with money to trade, whom the operator or somebody else has made, and a session of theirs. */
export async function newTrader(
  app: TestApp,
  operator: Caller,
  username: string,
  usd = '1000',
  maker = operator,
): Promise<Trader> {
  const made = await maker.post('/user', { username, password: `${username}-password` });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const caller = await logIn(app, username);
  const { body } = await caller.get('/accounts');
  const accountId: string = body.data[0].account_id;
  await deposit(operator, accountId, usd);
  return { username, accountId, caller };
}

export async function deposit(operator: Caller, accountId: string, amount: string): Promise<void> {
  const reply = await operator.post(`/admin/accounts/${accountId}/deposits`, usd(amount));
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
}

export function usd(amount: string): Json {
  return { asset: 'USD', amount, reference: 'wire' };
}

export async function setLimit(caller: Caller, amount: string, more: Json = {}): Promise<Json> {
  const reply = await caller.post('/accounts/me/limits', {
    kind: 'stake',
    asset: 'USD',
    amount,
    period: 'day',
    ...more,
  });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return reply.body;
}

export async function limitsOf(caller: Caller): Promise<Json[]> {
  const { status, body } = await caller.get('/accounts/me/limits');
  expect(status, JSON.stringify(body)).toBe(200);
  return body.limits;
}

export function inDays(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString();
}

/** As if what is pending for a limit had been asked for more than a day ago. */
export async function letADayPass({ config }: TestApp): Promise<void> {
  await queryOnce(
    config.databaseUrl!,
    `UPDATE self_limits SET effective_at = effective_at - interval '1 day' WHERE effective_at IS NOT NULL`,
  );
}
