/** Shared by the specs of sub-accounts and their members. */
import { expect } from 'vitest';
import type { TestApp } from '../app.js';
import { queryOnce } from '../core.js';
import { callerFor, type Json, type Reply } from '../caller.js';
import { logIn, type UserCaller } from './users-client.js';

/** The body of an answer that must have this status. */
export async function answered(reply: Promise<Reply>, status: number): Promise<Json> {
  const { status: was, body } = await reply;
  expect(was, JSON.stringify(body)).toBe(status);
  return body;
}

/** The status and, of a refusal, the code. */
export async function outcomeOf(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply;
  return body?.error === undefined ? String(status) : `${status} ${body.error.code}`;
}

/** A new user's session. */
export async function newUser(app: TestApp, username: string): Promise<UserCaller> {
  const operator = await logIn(app, 'admin');
  await answered(operator.post('/user', { username, password: `${username}-password` }), 200);
  return logIn(app, username);
}

export async function openSubAccount(owner: UserCaller, name: string): Promise<string> {
  const body = await answered(owner.post('/accounts', { name }), 201);
  return body.account_id;
}

/** Money into an account, from outside. */
export async function fund(app: TestApp, accountId: string, amount: string, asset = 'USD'): Promise<void> {
  const operator = await callerFor(app.url, 'admin');
  const deposit = { asset, amount, reference: `funds of ${accountId}` };
  await answered(operator.post(`/admin/accounts/${accountId}/deposits`, deposit), 201);
}

export async function move(caller: UserCaller, from: string, to: string, amount: string): Promise<Reply> {
  return caller.post(`/accounts/${from}/transfers`, {
    asset: 'USD',
    amount,
    destination: { type: 'account', account_id: to },
  });
}

export async function invite(
  owner: UserCaller,
  accountId: string,
  username: string,
  role: string,
): Promise<Json> {
  return answered(owner.post(`/accounts/${accountId}/members`, { username, role }), 201);
}

/** Invited by the owner, and accepted. */
export async function letIn(
  owner: UserCaller,
  accountId: string,
  member: UserCaller,
  username: string,
  role: string,
): Promise<void> {
  await invite(owner, accountId, username, role);
  await answered(member.post(`/accounts/${accountId}/membership`, {}), 204);
}

/** A key with every scope that reaches money, bound to an account if one is given. */
export async function newKey(owner: UserCaller, accountId?: string): Promise<UserCaller> {
  const scopes = [
    'account:read',
    'markets:trade',
    'wallets:read',
    'wallets:write',
    'banking:read',
    'banking:write',
  ];
  const body = await answered(
    owner.post('/auth/api-keys', { name: 'Bot', scopes, account_id: accountId }),
    201,
  );
  return owner.withApiKey(body.api_key);
}

/** The sessions of a user are no longer new; processes know within a second. */
export async function forgetProofs({ config }: TestApp, username: string): Promise<void> {
  await queryOnce(
    config.databaseUrl!,
    `UPDATE sessions SET proved_at = now() - interval '1 hour'
     WHERE user_id = (SELECT user_id FROM users WHERE username = $1)`,
    [username],
  );
}
