/** Shared by the specs of exports and erasure: users who leave something in every group, under words of their own. */
import sharp from 'sharp';
import { expect } from 'vitest';
import type { TestApp } from '../app.js';
import type { Json, Reply } from '../caller.js';
import { eventually, queryOnce } from '../core.js';
import { filesOfZip } from '../zip.js';
import { accept, quote } from './exchange-client.js';
import { approvedKyc } from './kyc-client.js';
import { addIban, payOut } from './payouts-client.js';
import { postParts } from './pets-client.js';
import { clientOf, logIn, type UserCaller } from './users-client.js';

export const PASSWORD_OF = (username: string): string => `${username}-password`;

/** A user who has used everything. */
export interface Life {
  readonly username: string;
  readonly userId: string;
  readonly session: UserCaller;
  /** Letters that stand in every text that the user has written, and nowhere else. */
  readonly mark: string;
  readonly accountId: string;
  readonly walletId: string;
  readonly kycId: string;
  /** A public room of the user's. */
  readonly roomId: string;
  readonly apiKey: string;
  readonly webhookSecret: string;
}

async function made(reply: Promise<Reply>): Promise<Json> {
  const { status, body } = await reply;
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body;
}

/** Makes a user with money and lets it use every group. The service must have banks, and deliver webhooks to anywhere. */
export async function live(app: TestApp, username: string, mark: string, hook: string): Promise<Life> {
  const operator = await clientOf(app, 'admin');
  const names = { firstName: `First${mark}`, lastName: `Last${mark}` };
  const contact = { email: `${mark}@example.com`, phone: `+351 ${mark}` };
  await made(operator.post('/user', { username, password: PASSWORD_OF(username), ...names, ...contact }));
  const session = await logIn(app, username);
  const [{ user_id: userId }] = (await queryOnce<{ user_id: string }>(
    app.config.databaseUrl!,
    'SELECT user_id FROM users WHERE username = $1',
    [username],
  )) as [{ user_id: string }];
  const [account] = (await made(session.get('/accounts'))).data;
  const accountId: string = account.account_id;
  for (const [asset, amount] of [
    ['USD', '100000'],
    ['EUR', '10000'],
  ]) {
    await made(operator.post(`/admin/accounts/${accountId}/deposits`, { asset, amount, reference: 'cash' }));
  }

  const kycId = await approvedKyc(session, operator, {
    first_name: `First${mark}`,
    last_name: `Last${mark}`,
    zone: { names: `LAST${mark}<<FIRST${mark}`.toUpperCase() },
    address: { line1: `Street ${mark}` },
  });
  const iban = await addIban(session, { holder_name: `First${mark} Last${mark}` });
  await payOut(session, iban, '25', { reference: `Ref ${mark}` });

  const { webhook_id: webhookId, secret } = await made(
    session.post('/news/webhooks', {
      url: `${hook}/${mark}`,
      event_types: ['order.accepted', 'order.filled'],
    }),
  );
  await trade(app, session);
  const walletId = await useWallet(app, session, { userId, accountId, mark });
  const roomId = await chat(session, mark);

  const { api_key: apiKey } = await made(session.post('/auth/api-keys', { name: `Key ${mark}` }));
  await made(session.post('/auth/clients', { name: `Client ${mark}`, scopes: ['account:read'] }));
  const [pet] = (await made(session.get('/pet/findByStatus?status=available'))) as Json[];
  await made(session.post('/store/order', { petId: pet.id, quantity: 2 }));
  // Two orders that filled and one that rests. Deliveries are noted after the answers to the orders.
  await eventually(async () => {
    expect((await made(session.get(`/news/webhooks/${webhookId}/deliveries`))).data).toHaveLength(3);
  });
  return {
    username,
    userId,
    session,
    mark,
    accountId,
    walletId,
    kycId,
    roomId,
    apiKey,
    webhookSecret: secret,
  };
}

async function trade(app: TestApp, session: UserCaller): Promise<void> {
  const market = { market_id: 'BTC-USD', side: 'buy' };
  const maker = await clientOf(app, 'maker');
  await maker.place({ ...market, side: 'sell', type: 'limit', price: '50000', size: '0.1' });
  await session.place({ ...market, type: 'market', size: '0.01' });
  await session.place({ ...market, type: 'limit', price: '10', size: '0.5' });
  await accept(session, await quote(session, { ...market, size: '0.01' }));
}

async function useWallet(
  app: TestApp,
  session: UserCaller,
  { userId, accountId, mark }: { userId: string; accountId: string; mark: string },
): Promise<string> {
  const { wallet_id: walletId } = await made(session.post('/wallets', { name: `Wallet ${mark}` }));
  const address = { chain: 'ethereum', purpose: 'signing', label: `Address ${mark}` };
  const { address: signer } = await made(session.post(`/wallets/${walletId}/addresses`, address));
  await queryOnce(
    app.config.databaseUrl!,
    `INSERT INTO chains (chain, network_id, hot_address, sealed_hot_key, house_account_id, head_block, scanned_block,
       max_fee_per_gas, looked_at) VALUES ('ethereum', 'none', '0x', '', 0, 1, 1, 0, now()) ON CONFLICT DO NOTHING`,
  );
  await queryOnce(
    app.config.databaseUrl!,
    `INSERT INTO chain_deposits
       (chain, tx_hash, position, asset, amount, source, address, address_id, block_number, block_hash)
     SELECT chain, address, 0, 'ETH', 1, '0x', address, address_id, 1, '0xb' FROM wallet_addresses WHERE address = $1`,
    [signer],
  );
  const message = { address: signer, type: 'raw', payload: `I am ${mark}` };
  await made(session.post(`/wallets/${walletId}/sign`, message));
  const transfer = { asset: 'USD', amount: '5', destination: { type: 'wallet', wallet_id: walletId } };
  await made(session.post(`/accounts/${accountId}/transfers`, transfer));
  await queryOnce(
    app.config.databaseUrl!,
    `INSERT INTO wallet_destinations (wallet_id, owner, chain, address, label, effective_at)
     SELECT wallet_id, owner, 'ethereum', '0x' || md5($2) || '00000000', $3, now() FROM wallets WHERE owner = $1`,
    [`user:${userId}`, mark, `Destination ${mark}`],
  );
  return walletId;
}

async function chat(session: UserCaller, mark: string): Promise<string> {
  const { room_id: roomId } = await made(session.post('/chat/rooms', { type: 'public', name: 'Plain name' }));
  const messages = `/chat/rooms/${roomId}/messages`;
  const { message_id: first } = await made(session.post(messages, { text: `Hello from ${mark}` }));
  await made(session.patch(`${messages}/${first}`, { text: `Hello again from ${mark}` }));
  const { message_id: second } = await made(session.post(messages, { text: `And ${mark} again` }));
  await made(session.send('PUT', `${messages}/${second}/reactions/${encodeURIComponent('👍')}`));
  return roomId;
}

/** Passes the image of a document to the open case of a user. */
export async function addKycImage(session: UserCaller, kycId: string): Promise<void> {
  const image = { width: 24, height: 16, channels: 3 as const, background: 'teal' };
  const form = new FormData();
  const content = await sharp({ create: image }).png().toBuffer();
  form.append('file', new File([new Uint8Array(content)], 'passport.png', { type: 'image/png' }));
  const reply = await postParts(session, `/kyc/${kycId}/images`, form);
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
}

/** Asks for an export and waits until it is ready. */
export async function exported(session: UserCaller): Promise<Json> {
  const { export_id } = await made(session.post('/user/exports', {}));
  return eventually(async () => {
    const { body } = await session.get(`/user/exports/${export_id}`);
    expect(body.status, JSON.stringify(body)).toBe('ready');
    return body;
  });
}

export async function download(url: string): Promise<Response> {
  return fetch(url);
}

/** The zip behind a link, unpacked. */
export async function unpacked(url: string): Promise<{ zip: Buffer; files: Map<string, Buffer> }> {
  const answer = await download(url);
  expect(answer.status).toBe(200);
  const zip = Buffer.from(await answer.arrayBuffer());
  return { zip, files: filesOfZip(zip) };
}
