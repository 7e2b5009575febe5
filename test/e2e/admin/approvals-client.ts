/** Shared by the specs of approvals: a house whose operators all exist from the start. */
import { expect } from 'vitest';
import { type Amount, amountOf, formatAmount } from '../../../src/domain/money/amount.js';
import type { TestApp, TestAppOverrides } from '../../support/app.js';
import { queryOnce } from '../../support/core.js';
import { submitKyc } from '../../support/clients/kyc-client.js';
import type { Json, Reply } from '../../support/caller.js';
import { createMarket } from '../../support/clients/markets-client.js';
import { startBank } from '../../support/clients/payouts-client.js';
import { logIn, UserCaller } from '../../support/clients/users-client.js';

/** Three persons, none of whom created another. */
export const OPERATORS = ['first', 'second', 'third'] as const;

export interface House {
  readonly app: TestApp;
  readonly first: UserCaller;
  readonly second: UserCaller;
  readonly third: UserCaller;
}

/** A service with `FOUR_EYES` and without demo data, where payouts above an amount of EUR need an approval. */
export async function startHouse(
  approvalAbove: Amount = amountOf('100'),
  more: TestAppOverrides = {},
): Promise<House> {
  const app = await startBank({ PAYOUT_APPROVAL_ABOVE: `EUR:${formatAmount(approvalAbove)}` }, 'fatal', {
    seedDemo: false,
    fourEyes: true,
    rateLimits: 'off',
    bootstrapAdmins: OPERATORS.map((username) => ({ username, password: `${username}-password` })),
    ...more,
  });
  const first = await logIn(app, 'first');
  const second = await logIn(app, 'second');
  const third = await logIn(app, 'third');
  for (const code of ['EUR', 'USD']) await expectStatus(first.post('/admin/assets', { code, scale: 2 }), 201);
  return { app, first, second, third };
}

export async function expectStatus(reply: Promise<Reply>, status: number): Promise<Json> {
  const { status: given, body } = await reply;
  expect(given, JSON.stringify(body)).toBe(status);
  return body;
}

/** The approval that a request proposed, not yet carried out. */
export async function proposed(reply: Promise<Reply>): Promise<Json> {
  const body = await expectStatus(reply, 202);
  expect(body).toMatchObject({
    approval_id: expect.stringMatching(/^apv_/) as string,
    status: 'pending',
    decided_by: null,
    decided_at: null,
  });
  return body;
}

export function approve(by: UserCaller, approval: Json): Promise<Reply> {
  return by.post(`/admin/approvals/${approval.approval_id}/approve`, {});
}

/** A logged-in user whom somebody made. */
export async function userMadeBy(app: TestApp, maker: UserCaller, username: string): Promise<UserCaller> {
  await expectStatus(maker.post('/user', { username, password: `${username}-password` }), 200);
  return logIn(app, username);
}

/** A logged-in operator whom one operator made and another approved. */
export async function operatorMadeBy(
  app: TestApp,
  [maker, approver]: readonly [UserCaller, UserCaller],
  username: string,
): Promise<UserCaller> {
  await userMadeBy(app, maker, username);
  const approval = await proposed(maker.post('/admin/operators', { username }));
  await expectStatus(approve(approver, approval), 200);
  return logIn(app, username);
}

/** A client of the user with the scope `admin`, which no route grants. */
export async function adminClientOf(app: TestApp, user: UserCaller): Promise<UserCaller> {
  const client = await expectStatus(
    user.post('/auth/clients', {
      name: 'robot',
      grant_types: ['client_credentials'],
      scopes: ['account:read'],
    }),
    201,
  );
  await queryOnce(
    app.config.databaseUrl!,
    `UPDATE oauth_clients SET scopes = '{admin}' WHERE client_id = $1`,
    [client.client_id],
  );
  const token = await new UserCaller(app.url).tryToken(client.client_id, client.client_secret);
  return user.withBearer(token.body.access_token);
}

/** An API key of the user with the scope `admin`, which no route grants. */
export async function adminKeyOf(app: TestApp, user: UserCaller): Promise<UserCaller> {
  const key = await expectStatus(user.post('/auth/api-keys', { name: 'key', scopes: ['account:read'] }), 201);
  await queryOnce(app.config.databaseUrl!, `UPDATE api_keys SET scopes = '{admin}' WHERE api_key_id = $1`, [
    key.api_key_id,
  ]);
  return user.withApiKey(key.api_key);
}

/** The user's first account, the default of requests. */
export async function accountOf(user: UserCaller): Promise<string> {
  const { data } = await expectStatus(user.get('/accounts?limit=10'), 200);
  return data.map(({ account_id: id }: Json) => id).sort()[0];
}

/** Two operators deposit money into an account. */
export async function fund(
  [proposer, approver]: readonly [UserCaller, UserCaller],
  account: string,
  amount: string,
  asset = 'EUR',
): Promise<void> {
  const body = { ...eur(amount), asset };
  const deposit = await proposed(proposer.post(`/admin/accounts/${account}/deposits`, body));
  await expectStatus(approve(approver, deposit), 200);
}

export function eur(amount: string, reference = 'wire 1'): Json {
  return { asset: 'EUR', amount, reference };
}

/** Submits a case and the operator approves it alone, at the level of the checks. */
export async function knownPerson(user: UserCaller, operator: UserCaller): Promise<void> {
  const { kyc_id } = await submitKyc(user);
  const decision = { decision: 'approved', reason: 'Document and data agree.' };
  await expectStatus(operator.post(`/admin/kyc/${kyc_id}/decision`, decision), 200);
}

/** A closed event market without positions. */
export async function closedMarket(operator: UserCaller, marketId: string): Promise<string> {
  await createMarket(operator, marketId, {
    kind: 'event',
    base_asset: undefined,
    quote_asset: 'USD',
    lot_size: '1',
  });
  await expectStatus(operator.patch(`/admin/markets/${marketId}`, { status: 'closed' }), 200);
  return marketId;
}
