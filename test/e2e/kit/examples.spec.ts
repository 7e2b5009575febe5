import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import NoCasinoPlugin from '../../../examples/no-casino/no-casino.plugin.js';
import DeskLimitsPlugin from '../../../examples/desk-limits/desk-limits.plugin.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';

describe('the example plugins', () => {
  let database: TestDatabase;
  let service: TestApp;
  const startService = async (): Promise<void> => {
    service = await startTestApp({ plugins: [DeskLimitsPlugin, NoCasinoPlugin], databaseUrl: database.url });
  };
  beforeAll(async () => {
    database = await createTestDatabase();
    await startService();
  });
  afterAll(async () => {
    await service.close();
    await database.drop();
  });

  const call = async (client: string, method: string, path: string, body?: object): Promise<Answer> => {
    const issued = await fetch(`${service.url}/auth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client,
        client_secret: `${client}-secret`,
      }),
    });
    const { access_token: token } = (await issued.json()) as { access_token: string };
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  const buy = (client: string, size: string): Promise<Answer> =>
    call(client, 'POST', '/orders', { market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '100', size });
  const refused = {
    status: 422,
    body: { error: { code: 'risk_refused', message: 'The desk may place orders of 2.5 at most.' } },
  };

  it('limits the orders of one desk, and of no other', async () => {
    expect(await buy('demo', '2.6')).toMatchObject({ status: 201 });
    const { body: accounts } = await call('demo', 'GET', '/accounts');
    const path = `/admin/desk-limits/${accounts.data[0].account_id}`;
    expect(await call('admin', 'PUT', path, { max_size: '2.50' })).toEqual({
      status: 200,
      body: { max_size: '2.5' },
    });
    await eventually(async () => expect(await buy('demo', '2.6')).toMatchObject(refused));
    expect(await buy('demo', '2.5')).toMatchObject({ status: 201 });
    expect(await buy('maker', '2.6')).toMatchObject({ status: 201 });
  });

  it('keeps casinos out of what people write', async () => {
    const { body: room } = await call('demo', 'POST', '/chat/rooms', { type: 'public', name: 'Talk' });
    const say = (text: string): Promise<Answer> =>
      call('demo', 'POST', `/chat/rooms/${room.room_id}/messages`, { text });
    expect(await say('Come to my Casino')).toMatchObject({
      status: 422,
      body: { error: { code: 'no_casino_refused', message: 'Write about something else.' } },
    });
    expect(await say('Mine is 4111 1111 1111 1111, thanks')).toMatchObject({
      status: 201,
      body: { text: 'Mine is ****, thanks' },
    });
  });

  it('keeps them over a restart', async () => {
    await service.close();
    await startService();
    expect(await buy('demo', '2.6')).toMatchObject(refused);
  });

  it('obeys the rules of the house', async () => {
    const unknown = await call('admin', 'PUT', '/admin/desk-limits/nobody', { max_size: '1' });
    expect(unknown).toMatchObject({ status: 404, body: { error: { code: 'account_not_found' } } });
    const broken = await call('admin', 'PUT', '/admin/desk-limits/nobody', { max_size: 1 });
    expect(broken).toMatchObject({ status: 400, body: { error: { code: 'validation_failed' } } });
    const foreign = await call('demo', 'PUT', '/admin/desk-limits/nobody', { max_size: '1' });
    expect(foreign).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
  });
});

interface Answer {
  readonly status: number;
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- looked at by expectations alone
}
