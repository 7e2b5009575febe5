import { readFileSync } from 'node:fs';
import type { Application } from 'express';
import { generate } from 'otplib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import DeskLimitsPlugin from '../../../examples/desk-limits/desk-limits.plugin.js';
import { RateLimits } from '../../../src/kit/rate-limit/rate-limits.js';
import { OAuthClientsService } from '../../../src/modules/auth/clients/oauth-clients.service.js';
import { verifyAudit, type AuditVerification } from '../../../src/kit/audit/audit-verifier.js';
import { amountOf } from '../../../src/domain/money/amount.js';
import type { TestApp } from '../../support/app.js';
import { newKeyPair } from '../../support/clients/request-signer.js';
import { onClient, queryOnce } from '../../support/core.js';
import { QuietChainPlugin } from '../../support/quiet-chain.js';
import { writePage, writePost } from '../../support/clients/blog-client.js';
import { approvedKyc, submitKyc } from '../../support/clients/kyc-client.js';
import { type Caller, callerFor, type Json, type Reply } from '../../support/caller.js';
import { createMarket } from '../../support/clients/markets-client.js';
import { eventually } from '../../support/eventually.js';
import {
  addIban,
  closeBatch,
  pain002,
  payOut,
  readPain001,
  startBank,
  upload,
} from '../../support/clients/payouts-client.js';
import { logIn, refusalOf, UserCaller } from '../../support/clients/users-client.js';

interface RouterLayer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

/** The expected audit row of a call. */
interface Expected {
  readonly reply: Reply;
  /** As `type:id`. */
  readonly target: string;
  readonly outcome?: string;
}

let app: TestApp;
let operator: Caller;
let second: Caller;
let demo: Caller;
let bankAccount: string;

beforeAll(async () => {
  app = await startBank({ PAYOUT_APPROVAL_ABOVE: 'EUR:100' }, 'fatal', {
    plugins: [QuietChainPlugin, DeskLimitsPlugin],
    environment: { WALLET_APPROVAL_ABOVE: 'ETH:0.1', NEWS_FEEDS: 'http://127.0.0.1:9/feed.xml' },
  });
  await app.app.nest.get(OAuthClientsService).ensure({
    clientId: 'second',
    name: 'Second operator',
    secret: 'second-secret',
    grantTypes: ['client_credentials'],
    redirectUris: [],
    scopes: ['admin'],
  });
  [operator, second, demo] = await Promise.all(
    ['admin', 'second', 'demo'].map((client) => callerFor(app.url, client)) as [
      Promise<Caller>,
      Promise<Caller>,
      Promise<Caller>,
    ],
  );
  await approvedKyc(demo, operator);
  bankAccount = await addIban(demo);
  const { body } = await demo.get('/accounts?limit=200');
  await operator.post(`/admin/accounts/${body.data[0].account_id}/deposits`, {
    asset: 'EUR',
    amount: '100000',
    reference: 'test',
  });
});
afterAll(() => app.close());

interface Row {
  readonly audit_id: string;
  readonly actor_person: string | null;
  readonly actor_credential: string | null;
  readonly actor_address: string | null;
  readonly action: string;
  readonly target: string;
  readonly outcome: string;
  readonly details: Json;
}

function rowsWhere(condition: string, values: unknown[]): Promise<Row[]> {
  return queryOnce<Row & Record<string, unknown>>(
    app.config.databaseUrl!,
    `SELECT audit_id, actor_person, actor_credential, actor_address, action, target_type || ':' || target_id AS target,
       outcome, details FROM audit_log WHERE ${condition} ORDER BY audit_id`,
    values,
  );
}

function rowsOf({ headers }: Reply): Promise<Row[]> {
  return rowsWhere('request_id = $1', [headers.get('x-request-id')]);
}

function verify(expect?: { position: number; hash: string }): Promise<AuditVerification> {
  return onClient(app.config.databaseUrl!, (client) => verifyAudit(client, { ...(expect && { expect }) }));
}

let next = 0;

/** A new market. */
async function newMarket(kind: 'spot' | 'event', status?: string): Promise<string> {
  const marketId = `AUDIT-${++next}`;
  const terms = kind === 'spot' ? {} : { kind, base_asset: undefined, lot_size: '1' };
  await createMarket(operator, marketId, terms);
  for (const step of status === undefined ? [] : status.split(' ')) {
    const body = { status: step, ...(step === 'settled' && { settlement_value: '1' }) };
    expect((await operator.patch(`/admin/markets/${marketId}`, body)).status).toBe(200);
  }
  return marketId;
}

/** Two new markets that exclude each other, and how the request for that was answered. */
async function newGroup(status?: string): Promise<{ groupId: string; made: Reply }> {
  const markets = [await newMarket('event'), await newMarket('event')];
  const groupId = `GROUP-${next}`;
  const body = { event_group_id: groupId, title: groupId, market_ids: markets };
  const made = await operator.post('/admin/event-groups', body);
  for (const market of status === undefined ? [] : markets)
    expect((await operator.patch(`/admin/markets/${market}`, { status })).status).toBe(200);
  return { groupId, made };
}

async function openPayout(): Promise<string> {
  return (await payOut(demo, bankAccount, '150')).payout_id;
}

async function openTransfer(): Promise<string> {
  const { wallet_id, account_id } = (await demo.post('/wallets', { name: `Wallet ${++next}` })).body;
  await operator.post(`/admin/accounts/${account_id}/deposits`, {
    asset: 'ETH',
    amount: '2',
    reference: 'x',
  });
  await eventually(async () => {
    const { body } = await operator.get('/admin/chains');
    expect(body.data.some((each: Json) => each.head_block === 1)).toBe(true);
  });
  const reply = await demo.post(`/wallets/${wallet_id}/transfers`, {
    asset: 'ETH',
    amount: '0.5',
    destination: {
      type: 'address',
      chain: 'ethereum',
      address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    },
  });
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 201 });
  return reply.body.transfer_id;
}

/** What a stranger sent to the hot wallet, and what the house has for gas. */
async function depositAtHotWallet(): Promise<string> {
  for (const [position, amount] of ['1', '2'].entries()) {
    await queryOnce(
      app.config.databaseUrl!,
      `INSERT INTO chain_deposits (chain, tx_hash, position, asset, amount, source, address, block_number, block_hash)
       SELECT chain, '0xa', $1, 'ETH', $2, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', hot_address, 1, '0xb' FROM chains`,
      [position, amountOf(amount).toString()],
    );
  }
  return eventually(async () => {
    const { body } = await operator.get('/admin/chain-deposits?status=credited');
    expect(body.data).toHaveLength(2);
    return body.data[1].deposit_id as string;
  });
}

async function demoAccount(): Promise<string> {
  const { body } = await demo.get('/accounts?limit=200');
  return body.data.find(({ kind }: Json) => kind === 'trading').account_id;
}

const putSchedule = (name: string): Promise<Reply> => {
  const tiers = [{ volume_30d: '0', maker_fee_rate: '0', taker_fee_rate: '0' }];
  return operator.send('PUT', `/admin/fee-schedules/${name}`, JSON.stringify({ tiers }));
};

async function newSchedule(): Promise<string> {
  const name = `audited-${++next}`;
  await putSchedule(name);
  return name;
}

/** Runs acts that need two persons with two persons. */
async function withFourEyes<T>(work: () => Promise<T>): Promise<T> {
  const config = app.config as { fourEyes: boolean };
  config.fourEyes = true;
  try {
    return await work();
  } finally {
    config.fourEyes = false;
  }
}

/** A settlement that waits for a second person; returns its approval. */
function proposedSettlement(): Promise<{ approvalId: string; marketId: string }> {
  return withFourEyes(async () => {
    const marketId = await newMarket('event', 'closed');
    const body = { status: 'settled', settlement_value: '1' };
    expect((await operator.patch(`/admin/markets/${marketId}`, body)).status).toBe(202);
    const { data } = (await operator.get('/admin/approvals?status=pending&limit=200')).body;
    const { approval_id } = data.find(({ subject }: Json) => subject.id === marketId);
    return { approvalId: approval_id, marketId };
  });
}

/** A payout that the next file includes, despite earlier payouts of the day. */
async function duePayout(): Promise<string> {
  const { payout_id: id, status } = await payOut(demo, bankAccount, '5');
  if (status === 'pending_approval') await operator.post(`/admin/payouts/${id}/approve`, {});
  return id;
}

async function fileOf(): Promise<Json> {
  await duePayout();
  return closeBatch(operator, 'sepa');
}

async function image(name: string): Promise<Reply> {
  const pixels = { width: 2, height: 2, channels: 3, background: name } as const;
  const content = await sharp({ create: pixels }).png().toBuffer();
  return operator.send('POST', '/admin/blog/images', new Uint8Array(content), {
    'content-type': 'application/octet-stream',
  });
}

async function bannedFromRoom(): Promise<{ reply: Reply; room: string }> {
  const { room_id: room } = (await demo.post('/chat/rooms', { type: 'public', name: `Room ${++next}` })).body;
  const body = { member: 'client:maker', until: '2999-01-01T00:00:00Z', reason: 'Shouts.' };
  return { reply: await operator.post(`/admin/chat/rooms/${room}/bans`, body), room };
}

/** Every changing route under /admin, called successfully. */
const ACTS: Readonly<Record<string, () => Promise<Expected>>> = {
  'POST /admin/operators': async () => {
    const username = `operator-${++next}`;
    await operator.post('/user', { username, password: 'a long password' });
    const reply = await operator.post('/admin/operators', { username });
    return { reply, target: `user:${username}` };
  },
  'PUT /admin/users/:username/roles': async () => {
    const username = `supporter-${++next}`;
    await operator.post('/user', { username, password: 'a long password' });
    const body = JSON.stringify({ roles: ['operator:support'] });
    return {
      reply: await operator.send('PUT', `/admin/users/${username}/roles`, body),
      target: `user:${username}`,
    };
  },
  'POST /admin/users/:username/lock': async () => {
    const username = `locked-${++next}`;
    await operator.post('/user', { username, password: 'a long password' });
    const body = { reason: 'A stolen phone.' };
    return { reply: await operator.post(`/admin/users/${username}/lock`, body), target: `user:${username}` };
  },
  'POST /admin/users/:username/unlock': async () => {
    const username = `unlocked-${++next}`;
    await operator.post('/user', { username, password: 'a long password' });
    return { reply: await operator.post(`/admin/users/${username}/unlock`, {}), target: `user:${username}` };
  },
  'DELETE /admin/users/:username/second-factors': async () => {
    const username = `enrolled-${++next}`;
    await operator.post('/user', { username, password: `${username}-password` });
    const session = await logIn(app, username);
    const { secret } = (await session.post('/user/totp', {})).body;
    await session.post('/user/totp/confirm', { code: await generate({ secret }) });
    const reply = await operator.delete(`/admin/users/${username}/second-factors`);
    return { reply, target: `user:${username}`, outcome: 'proposed' };
  },
  'PATCH /admin/accounts/:account_id': async () => {
    const { account_id: id } = (await demo.post('/wallets', { name: `Wallet ${++next}` })).body;
    return { reply: await operator.patch(`/admin/accounts/${id}`, {}), target: `account:${id}` };
  },
  'POST /admin/accounts/:account_id/freeze': async () => {
    const { account_id: id } = (await demo.post('/wallets', { name: `Wallet ${++next}` })).body;
    const body = { reason: 'The bank asks.' };
    return { reply: await operator.post(`/admin/accounts/${id}/freeze`, body), target: `account:${id}` };
  },
  'POST /admin/accounts/:account_id/unfreeze': async () => {
    const { account_id: id } = (await demo.post('/wallets', { name: `Wallet ${++next}` })).body;
    return { reply: await operator.post(`/admin/accounts/${id}/unfreeze`, {}), target: `account:${id}` };
  },
  'POST /admin/chat/rooms/:room_id/bans': async () => {
    const { reply, room } = await bannedFromRoom();
    return { reply, target: `room:${room}` };
  },
  'DELETE /admin/chat/rooms/:room_id/bans/:member': async () => {
    const { room } = await bannedFromRoom();
    return {
      reply: await operator.delete(`/admin/chat/rooms/${room}/bans/client:maker`),
      target: `room:${room}`,
    };
  },
  'POST /admin/chat/rooms/:room_id/mutes': async () => {
    const { room } = await bannedFromRoom();
    const body = { member: 'client:maker', until: '2999-01-01T00:00:00Z', reason: 'Shouts.' };
    return { reply: await operator.post(`/admin/chat/rooms/${room}/mutes`, body), target: `room:${room}` };
  },
  'DELETE /admin/chat/rooms/:room_id/mutes/:member': async () => {
    const { room } = await bannedFromRoom();
    return {
      reply: await operator.delete(`/admin/chat/rooms/${room}/mutes/client:maker`),
      target: `room:${room}`,
    };
  },
  'DELETE /admin/chat/rooms/:room_id/messages/:message_id': async () => {
    const { room } = await bannedFromRoom();
    const { body } = await demo.post(`/chat/rooms/${room}/messages`, { text: 'What nobody should read' });
    return {
      reply: await operator.delete(`/admin/chat/rooms/${room}/messages/${body.message_id}`),
      target: `room:${room}`,
    };
  },
  'POST /admin/demo/reset': async () => ({
    reply: await operator.post('/admin/demo/reset', {}),
    target: 'demo:data',
  }),
  'POST /admin/assets': async () => {
    const code = `AUD${++next}`;
    return { reply: await operator.post('/admin/assets', { code, scale: 2 }), target: `asset:${code}` };
  },
  'POST /admin/markets': async () => {
    const market_id = `AUDIT-${++next}`;
    const terms = {
      kind: 'spot',
      base_asset: 'BTC',
      quote_asset: 'USD',
      tick_size: '0.01',
      lot_size: '0.001',
    };
    return {
      reply: await operator.post('/admin/markets', { market_id, ...terms }),
      target: `market:${market_id}`,
    };
  },
  'PATCH /admin/markets/:market_id': async () => {
    const marketId = await newMarket('spot');
    return {
      reply: await operator.patch(`/admin/markets/${marketId}`, { status: 'halted' }),
      target: `market:${marketId}`,
    };
  },
  'PUT /admin/fee-schedules/:name': async () => {
    const name = await newSchedule();
    return { reply: await putSchedule(name), target: `fee_schedule:${name}` };
  },
  'DELETE /admin/fee-schedules/:name': async () => {
    const name = await newSchedule();
    return { reply: await operator.delete(`/admin/fee-schedules/${name}`), target: `fee_schedule:${name}` };
  },
  'PUT /admin/accounts/:account_id/fee-schedule': async () => {
    const accountId = await demoAccount();
    const body = JSON.stringify({ name: await newSchedule() });
    return {
      reply: await operator.send('PUT', `/admin/accounts/${accountId}/fee-schedule`, body),
      target: `account:${accountId}`,
    };
  },
  'POST /admin/liabilities': async () => {
    const reply = await operator.post('/admin/liabilities', undefined);
    return { reply, target: `liabilities:${reply.body.cut_id}` };
  },
  'POST /admin/accounts': async () => ({
    reply: await operator.post('/admin/accounts', { owner: 'client:demo', name: `More ${++next}` }),
    target: 'client:demo',
  }),
  'POST /admin/accounts/:account_id/deposits': async () => {
    const accountId = await demoAccount();
    const body = { asset: 'USD', amount: '1', reference: 'test' };
    return {
      reply: await operator.post(`/admin/accounts/${accountId}/deposits`, body),
      target: `account:${accountId}`,
    };
  },
  'POST /admin/accounts/:account_id/adjustments': async () => {
    const accountId = await demoAccount();
    const body = { asset: 'USD', amount: '1', direction: 'credit', reason: 'Mended', reference: 'test' };
    return {
      reply: await operator.post(`/admin/accounts/${accountId}/adjustments`, body),
      target: `account:${accountId}`,
    };
  },
  'POST /admin/markets/:market_id/settlement/correction': async () => {
    const marketId = await newMarket('event', 'closed settled');
    return {
      reply: await operator.post(`/admin/markets/${marketId}/settlement/correction`, {
        settlement_value: '0',
      }),
      target: `market:${marketId}`,
    };
  },
  'POST /admin/journal/keys': async () => {
    const reply = await operator.post('/admin/journal/keys', {});
    return { reply, target: `journal_key:${reply.body.key_id}` };
  },
  'POST /admin/event-groups': async () => {
    const { groupId, made } = await newGroup();
    return { reply: made, target: `event_group:${groupId}` };
  },
  'POST /admin/event-groups/:event_group_id/settle': async () => {
    const { groupId } = await newGroup('closed');
    return {
      reply: await operator.post(`/admin/event-groups/${groupId}/settle`, {
        winning_market_id: `AUDIT-${next}`,
      }),
      target: `event_group:${groupId}`,
    };
  },
  'POST /admin/event-groups/:event_group_id/settlement/correction': async () => {
    const { groupId } = await newGroup('closed');
    const path = `/admin/event-groups/${groupId}`;
    await operator.post(`${path}/settle`, { winning_market_id: `AUDIT-${next}` });
    return {
      reply: await operator.post(`${path}/settlement/correction`, { winning_market_id: `AUDIT-${next - 1}` }),
      target: `event_group:${groupId}`,
    };
  },
  'DELETE /admin/markets/:market_id/settlement/proposal': async () => {
    const { marketId } = await proposedSettlement();
    return {
      reply: await operator.delete(`/admin/markets/${marketId}/settlement/proposal`),
      target: `market:${marketId}`,
    };
  },
  'POST /admin/approvals/:approval_id/approve': async () => {
    const { approvalId, marketId } = await proposedSettlement();
    return {
      reply: await second.post(`/admin/approvals/${approvalId}/approve`, {}),
      target: `market:${marketId}`,
    };
  },
  'POST /admin/approvals/:approval_id/reject': async () => {
    const { approvalId, marketId } = await proposedSettlement();
    return {
      reply: await second.post(`/admin/approvals/${approvalId}/reject`, { reason: 'Not yet.' }),
      target: `market:${marketId}`,
    };
  },
  'POST /admin/chain-deposits/:deposit_id/return': async () => {
    const id = await depositAtHotWallet();
    return { reply: await operator.post(`/admin/chain-deposits/${id}/return`, {}), target: `deposit:${id}` };
  },
  'POST /admin/transfers/:transfer_id/approve': async () => {
    const id = await openTransfer();
    return { reply: await operator.post(`/admin/transfers/${id}/approve`, {}), target: `transfer:${id}` };
  },
  'POST /admin/transfers/:transfer_id/reject': async () => {
    const id = await openTransfer();
    const body = { reason: 'Not there.' };
    return { reply: await operator.post(`/admin/transfers/${id}/reject`, body), target: `transfer:${id}` };
  },
  'POST /admin/payouts/:payout_id/approve': async () => {
    const id = await openPayout();
    return { reply: await operator.post(`/admin/payouts/${id}/approve`, {}), target: `payout:${id}` };
  },
  'POST /admin/payouts/:payout_id/reject': async () => {
    const id = await openPayout();
    const body = { reason: 'Not now.' };
    return { reply: await operator.post(`/admin/payouts/${id}/reject`, body), target: `payout:${id}` };
  },
  'POST /admin/payouts/:payout_id/report': async () => {
    const id = await duePayout();
    await closeBatch(operator, 'sepa');
    const body = { status: 'failed', code: 'AC04', message: 'Closed' };
    return { reply: await operator.post(`/admin/payouts/${id}/report`, body), target: `payout:${id}` };
  },
  'POST /admin/payout-files': async () => {
    await duePayout();
    const reply = await operator.post('/admin/payout-files', { rail: 'sepa' });
    return { reply, target: `payout_file:${reply.body.data[0].file_id}` };
  },
  'POST /admin/payout-files/reports': async () => {
    const { content } = await fileOf();
    const sent = readPain001(content);
    const id = sent.PmtInf.CdtTrfTxInf[0].PmtId.EndToEndId;
    const reply = await upload(operator, pain002(sent.GrpHdr.MsgId, [{ id, status: 'ACSC' }]));
    return { reply, target: `payout_report:${reply.body.report_id}` };
  },
  'POST /admin/payout-remarks/:remark_id/clear': async () => {
    const { body } = await upload(
      operator,
      pain002('TRADEPOST-SEPA-000001', [{ id: 'pay-none', status: 'ACSC' }]),
    );
    const { remark_id: id } = body.entries[0];
    const reply = await operator.post(`/admin/payout-remarks/${id}/clear`, { note: 'Not ours.' });
    return { reply, target: `payout_remark:${id}` };
  },
  'POST /admin/payout-files/:file_id/delivered': async () => {
    const { file } = await fileOf();
    const reply = await operator.post(`/admin/payout-files/${file.file_id}/delivered`, {});
    return { reply, target: `payout_file:${file.file_id}` };
  },
  'POST /admin/kyc/:kyc_id/decision': async () => {
    const { kyc_id } = await submitKyc(await callerFor(app.url, 'maker'));
    const body = { decision: 'rejected', reason: 'The picture is too dark.' };
    return { reply: await operator.post(`/admin/kyc/${kyc_id}/decision`, body), target: `kyc:${kyc_id}` };
  },
  'POST /admin/sanctions-list/reload': async () => ({
    reply: await operator.post('/admin/sanctions-list/reload', {}),
    target: 'sanctions_list:none',
  }),
  'PATCH /admin/store/orders/:orderId': async () => {
    const [pet] = await queryOnce<{ id: string }>(
      app.config.databaseUrl!,
      `INSERT INTO pets (pet_id, name, status) VALUES (nextval('pets_pet_id_seq'), 'Kit', 'available') RETURNING pet_id AS id`,
    );
    const { id } = (await demo.post('/store/order', { petId: Number(pet!.id) })).body;
    return {
      reply: await operator.patch(`/admin/store/orders/${id}`, { status: 'approved' }),
      target: `order:${id}`,
    };
  },
  'POST /admin/news/feeds/:feed_id/poll': async () => {
    const { feed_id: id } = (await operator.get('/admin/news/feeds')).body.data[0];
    return { reply: await operator.post(`/admin/news/feeds/${id}/poll`, {}), target: `feed:${id}` };
  },
  'POST /admin/news': async () => {
    const reply = await operator.post('/admin/news', { headline: 'All is audited' });
    return { reply, target: `news:${reply.body.news_id}` };
  },
  'PATCH /admin/news/:news_id': async () => {
    const { news_id: id } = (await operator.post('/admin/news', { headline: 'One' })).body;
    return { reply: await operator.patch(`/admin/news/${id}`, { headline: 'Two' }), target: `news:${id}` };
  },
  'DELETE /admin/news/:news_id': async () => {
    const { news_id: id } = (await operator.post('/admin/news', { headline: 'One' })).body;
    return { reply: await operator.delete(`/admin/news/${id}`), target: `news:${id}` };
  },
  'POST /admin/blog/posts': async () => {
    const reply = await operator.post('/admin/blog/posts', { title: 'P', markdown: 'p', status: 'draft' });
    return { reply, target: `post:${reply.body.post_id}` };
  },
  'PUT /admin/blog/posts/:post_id': async () => {
    const { post_id: id } = await writePost(operator);
    const body = JSON.stringify({ title: 'P', markdown: 'q', status: 'draft' });
    return { reply: await operator.send('PUT', `/admin/blog/posts/${id}`, body), target: `post:${id}` };
  },
  'DELETE /admin/blog/posts/:post_id': async () => {
    const { post_id: id } = await writePost(operator);
    return { reply: await operator.delete(`/admin/blog/posts/${id}`), target: `post:${id}` };
  },
  'POST /admin/blog/pages': async () => {
    const reply = await operator.post('/admin/blog/pages', { title: 'P', markdown: 'p', status: 'draft' });
    return { reply, target: `page:${reply.body.page_id}` };
  },
  'PUT /admin/blog/pages/:page_id': async () => {
    const { page_id: id } = await writePage(operator);
    const body = JSON.stringify({ title: 'P', markdown: 'q', status: 'draft' });
    return { reply: await operator.send('PUT', `/admin/blog/pages/${id}`, body), target: `page:${id}` };
  },
  'DELETE /admin/blog/pages/:page_id': async () => {
    const { page_id: id } = await writePage(operator);
    return { reply: await operator.delete(`/admin/blog/pages/${id}`), target: `page:${id}` };
  },
  'POST /admin/blog/images': async () => {
    const reply = await image('red');
    return { reply, target: `blog_image:${nameOf(reply)}` };
  },
  'DELETE /admin/blog/images/:image_name': async () => {
    const name = nameOf(await image('blue'));
    return { reply: await operator.delete(`/admin/blog/images/${name}`), target: `blog_image:${name}` };
  },
  // A route of a plugin.
  'PUT /admin/desk-limits/:account_id': async () => {
    const accountId = await demoAccount();
    const body = JSON.stringify({ max_size: '1000000' });
    return {
      reply: await operator.send('PUT', `/admin/desk-limits/${accountId}`, body),
      target: `account:${accountId}`,
    };
  },
};

const DOCUMENT = JSON.parse(readFileSync('openapi.json', 'utf8')) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
};

/** Changing only by their HTTP method. */
const PREVIEWS = [
  'POST /admin/blog/preview',
  'POST /admin/event-groups/:event_group_id/settle/preview',
  'POST /admin/markets/:market_id/settlement/preview',
];

function nameOf({ body }: Reply): string {
  return String(body.url).split('/').at(-1)!;
}

function changingRoutes(): string[] {
  const { stack } = (app.app.nest.getHttpAdapter().getInstance() as Application).router as unknown as {
    readonly stack: readonly RouterLayer[];
  };
  return stack
    .flatMap(({ route }) =>
      Object.keys(route?.methods ?? {}).map((verb) => `${verb.toUpperCase()} ${route?.path ?? ''}`),
    )
    .filter((name) => /^(POST|PUT|PATCH|DELETE) [/]admin([/]|$)/.test(name));
}

describe('every changing route under /admin', () => {
  it('is in this walk', () => {
    expect(changingRoutes().sort()).toEqual([...Object.keys(ACTS), ...PREVIEWS].sort());
  });

  it.each(Object.keys(ACTS))('leaves one row: %s', async (name) => {
    const [method, path] = name.split(' ') as [string, string];
    const template = path.replaceAll(/:(\w+)/g, '{$1}');
    const { reply, target, outcome = 'succeeded' } = await ACTS[name]!();
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    const actor = /approvals.*(approve|reject)$/.test(name) ? 'client:second' : 'client:admin';
    expect(await rowsOf(reply)).toMatchObject([
      {
        actor_person: actor,
        actor_credential: actor,
        actor_address: expect.stringMatching(/127\.0\.0\.1$/) as string,
        // Those of plugins are not in the document.
        action:
          DOCUMENT.paths[template]?.[method.toLowerCase()]?.operationId ?? expect.stringContaining('Limit'),
        target,
        outcome,
      },
    ]);
  });

  it('leaves one row for a refusal too, with what was asked for and why not', async () => {
    const reply = await operator.post('/admin/payouts/pay_7ZZZZZZZZZZ/approve', {});
    expect(await rowsOf(reply)).toMatchObject([
      {
        actor_person: 'client:admin',
        action: 'approvePayout',
        target: 'payout:pay_7ZZZZZZZZZZ',
        outcome: 'refused',
        details: { code: 'not_found' },
      },
    ]);
    const invalid = await operator.post('/admin/assets', { code: 'X', secret: 'not kept' });
    expect(await rowsOf(invalid)).toMatchObject([
      { outcome: 'refused', details: { code: 'validation_failed' } },
    ]);
    const existing = await operator.post('/admin/assets', { code: 'USD', scale: 2 });
    expect(await rowsOf(existing)).toMatchObject([{ outcome: 'refused', details: { code: 'asset_exists' } }]);
  });

  it('leaves no row for a repeat, nor for a stranger, who does nothing', async () => {
    const key = { 'idempotency-key': 'audited once' };
    const body = { owner: 'client:demo', name: 'Repeated' };
    expect(await rowsOf(await operator.post('/admin/accounts', body, key))).toHaveLength(1);
    expect(await rowsOf(await operator.post('/admin/accounts', body, key))).toEqual([]);
    expect(await rowsOf(await demo.post('/admin/accounts', body))).toEqual([]);
  });

  it('says that a proposal has not happened yet', async () => {
    const reply = await withFourEyes(async () => {
      const marketId = await newMarket('event', 'closed');
      return operator.patch(`/admin/markets/${marketId}`, { status: 'settled', settlement_value: '1' });
    });
    expect(reply.status).toBe(202);
    expect(await rowsOf(reply)).toMatchObject([
      { action: 'updateMarket', outcome: 'proposed', details: { kind: 'settlement' } },
    ]);
  });

  it('keeps no secret and no money file in its rows', async () => {
    const all = JSON.stringify(await rowsWhere('true', []));
    for (const secret of ['a long password', 'Eriksson', 'DE89370400440532013000', 'argon2']) {
      expect(all).not.toContain(secret);
    }
  });
});

describe('an act whose row cannot be written', () => {
  it('does not happen, in a transaction of a module or in a commit of the core', async () => {
    const database = app.config.databaseUrl!;
    await queryOnce(
      database,
      `ALTER TABLE audit_log ADD CONSTRAINT nobody CHECK (action NOT IN ('createNews', 'createDeposit')) NOT VALID`,
    );
    try {
      const before = (await demo.balance('USD')).total;
      expect((await operator.post('/admin/news', { headline: 'Never told' })).status).toBe(500);
      const body = { asset: 'USD', amount: '1', reference: 'never paid' };
      const deposit = await operator.post(`/admin/accounts/${await demoAccount()}/deposits`, body);
      expect(deposit.status).toBe(500);
      const { body: news } = await operator.get('/news?q=Never');
      expect(news.data).toEqual([]);
      expect((await demo.balance('USD')).total).toBe(before);
    } finally {
      await queryOnce(database, 'ALTER TABLE audit_log DROP CONSTRAINT nobody');
    }
  });
});

describe('credentials', () => {
  let anyone: UserCaller;
  const username = 'audited';

  beforeAll(async () => {
    anyone = new UserCaller(app.url);
    await operator.post('/user', { username, password: 'the first password' });
  });

  async function lastOf(reply: Reply): Promise<Json> {
    const rows = await rowsOf(reply);
    expect(rows).toHaveLength(1);
    return rows[0];
  }

  it('that are made with a user leave a row', async () => {
    const reply = await operator.post('/user', { username: 'made-here', password: 'some password' });
    expect(await lastOf(reply)).toMatchObject({
      action: 'createUser',
      target: 'user:made-here',
      actor_person: 'client:admin',
    });
  });

  it('leave a row when somebody logs in, and logs out', async () => {
    const reply = await anyone.tryLogIn(username, 'the first password');
    expect(await lastOf(reply)).toMatchObject({
      actor_person: expect.stringMatching(/^user:\d+$/) as string,
      actor_credential: `password:${username}`,
      action: 'loginUser',
      target: `user:${username}`,
      outcome: 'succeeded',
    });
    const out = await anyone.withBearer(reply.body).get('/user/logout');
    expect(await lastOf(out)).toMatchObject({
      actor_credential: `session:${username}`,
      action: 'logoutUser',
      target: `user:${username}`,
    });
  });

  it('leave a row when a password is tried in vain, which does not say who it was', async () => {
    expect(await lastOf(await anyone.tryLogIn(username, 'a guess'))).toMatchObject({
      actor_person: null,
      actor_credential: null,
      actor_address: expect.stringMatching(/127\.0\.0\.1$/) as string,
      action: 'loginUser',
      target: `user:${username}`,
      outcome: 'failed',
      details: { username },
    });
    const odd = `${'x'.repeat(63)}👍 and what follows`;
    const row = await lastOf(await anyone.tryLogIn(odd, 'a guess'));
    expect(row).toMatchObject({ target: 'credential:password', outcome: 'failed' });
    expect(row.details.username).toHaveLength(64);
  });

  it('leave no rows once a rate limit stops the guesses', async () => {
    const replies: Reply[] = [];
    for (let i = 0; i < 14; i++) replies.push(await anyone.tryLogIn('guessed', `guess ${i}`));
    const limited = replies.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThan(0);
    for (const reply of limited) expect(await rowsOf(reply)).toEqual([]);
    expect(await rowsWhere(`details ->> 'username' = $1`, ['guessed'])).toHaveLength(14 - limited.length);
  });

  it('leave a row when a password is changed', async () => {
    const token = (await anyone.tryLogIn(username, 'the first password')).body;
    const session = anyone.withBearer(token);
    const reply = await session.put(`/user/${username}`, { password: 'the second password' });
    expect(await lastOf(reply)).toMatchObject({
      actor_credential: `session:${username}`,
      target: `user:${username}`,
      details: { changed: ['password'] },
    });
    expect(JSON.stringify(await rowsOf(reply))).not.toContain('second');
  });

  it('leave a row when a client or a key is made, rotated or deleted', async () => {
    const session = anyone.withBearer((await anyone.tryLogIn('alice', 'alice-password')).body);
    for (const [path, type, id] of [
      ['/auth/clients', 'client', 'client_id'],
      ['/auth/api-keys', 'api_key', 'api_key_id'],
      ['/auth/signing-keys', 'api_key', 'signing_key_id'],
    ] as const) {
      const body = path === '/auth/signing-keys' ? { public_key: newKeyPair().publicKey } : {};
      const made = await session.post(path, { ...body, name: 'Audited', scopes: ['read:pets'] });
      const target = `${type}:${made.body[id]}`;
      const row = await lastOf(made);
      expect(row).toMatchObject({
        actor_credential: 'session:alice',
        target,
        details: { scopes: ['read:pets'] },
      });
      const secret = made.body.client_secret ?? made.body.api_key;
      if (secret !== undefined) expect(JSON.stringify(row)).not.toContain(secret);
      if (type === 'api_key') {
        const next = path === '/auth/signing-keys' ? { public_key: newKeyPair().publicKey } : {};
        const rotated = await session.post(`${path}/${made.body[id]}/rotate`, next);
        const rotation = await lastOf(rotated);
        expect(rotation).toMatchObject({ target, details: { previous_expires_at: expect.any(String) } });
        if (secret !== undefined) expect(JSON.stringify(rotation)).not.toContain(rotated.body.api_key);
      }
      expect(await lastOf(await session.delete(`${path}/${made.body[id]}`))).toMatchObject({ target });
    }
  });

  it('end where one owner has left too many rows in an hour, and nobody else’s do', async () => {
    await operator.post('/user', { username: 'tireless', password: 'tireless-password' });
    const tireless = await logIn(app, 'tireless');
    const [{ user_id: userId }] = (await queryOnce<{ user_id: string }>(
      app.config.databaseUrl!,
      `SELECT user_id FROM users WHERE username = 'tireless'`,
    )) as [{ user_id: string }];
    await app.app.nest.get(RateLimits).consume('audited_acts', `user:${userId}`, 599);
    const key = { name: 'Reads', scopes: ['account:read'] };
    expect((await tireless.post('/auth/api-keys', key)).status).toBe(201);
    expect(refusalOf(await tireless.post('/auth/api-keys', key))).toBe('429 rate_limited');
    expect((await tireless.get('/auth/api-keys')).body.data).toHaveLength(1);
    expect((await (await logIn(app, 'bob')).post('/auth/api-keys', key)).status).toBe(201);
  });

  it('leave a row when a user is closed', async () => {
    const { body } = await anyone.tryLogIn(username, 'the second password');
    const reply = await anyone.withBearer(body).delete(`/user/${username}`);
    expect(await lastOf(reply)).toMatchObject({ action: 'deleteUser', target: `user:${username}` });
  });
});

describe('GET /admin/audit', () => {
  it('lists every row once, newest first, page by page, sealed', async () => {
    // Users whom other tests have closed are erased in the background, which adds rows.
    await eventually(async () => {
      const left = 'SELECT FROM users WHERE user_status = 2 AND erased_at IS NULL';
      expect(await queryOnce(app.config.databaseUrl!, left)).toEqual([]);
    });
    const reply = await operator.post('/admin/assets', { code: 'AUDLAST', scale: 0 });
    const all = await operator.walk('/admin/audit', 7);
    const expected = await rowsWhere('true', []);
    expect(all).toHaveLength(expected.length);
    expect(new Set(all.map(({ audit_id }: Json) => audit_id)).size).toBe(all.length);
    expect(all.map(({ at }: Json) => at)).toEqual(
      all
        .map(({ at }: Json) => at)
        .sort()
        .reverse(),
    );
    expect(all[0]).toEqual({
      audit_id: expect.stringMatching(/^aud_/) as string,
      at: expect.any(String) as string,
      actor: {
        person: 'client:admin',
        credential: 'client:admin',
        address: expect.any(String) as string,
      },
      action: 'createAsset',
      target: { type: 'asset', id: 'AUDLAST' },
      request_id: reply.headers.get('x-request-id'),
      outcome: 'succeeded',
      details: { scale: 0 },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
    expect(all.every(({ hash }: Json) => hash !== null)).toBe(true);
  });

  it('filters by actor, action, target and time', async () => {
    const found = async (query: string): Promise<Json[]> =>
      (await operator.get(`/admin/audit?${query}`)).body.data;
    const byName = await found('actor=alice&limit=200');
    expect(byName.length).toBeGreaterThan(0);
    expect(await found(`actor=${byName[0].actor.person}&limit=200`)).toEqual(byName);
    expect(await found('actor=nobody')).toEqual([]);
    const byAction = await found('action=createNews');
    expect(new Set(byAction.map(({ action }: Json) => action))).toEqual(new Set(['createNews']));
    // As a version from before has written it.
    await queryOnce(
      app.config.databaseUrl!,
      `INSERT INTO audit_log (action, target_type, target_id, outcome, details)
       VALUES ('NewsAuthoring_create', 'news', 'of before', 'succeeded', '{}')`,
    );
    expect((await found(`action=${byAction[0].action}`))[0]).toMatchObject({
      action: 'NewsAuthoring_create',
      target: { type: 'news', id: 'of before' },
    });
    expect(await found('action=constructor')).toEqual([]);
    const { person } = byAction.find(({ actor }: Json) => actor.person !== null).actor;
    expect(await found(`actor=${person}&action=createNews`)).toEqual(
      byAction.filter(({ actor }: Json) => actor.person === person),
    );
    expect(await found('actor=alice&action=createNews')).toEqual([]);
    const [row] = await found('target=asset:AUDLAST');
    expect(row).toMatchObject({ target: { type: 'asset', id: 'AUDLAST' } });
    expect(await found(`target=asset:AUDLAST&from=${row.at}`)).toEqual([row]);
    expect(await found(`target=asset:AUDLAST&to=${row.at}`)).toEqual([]);
  });

  it.each(['target=asset', 'from=yesterday', 'cursor=nonsense', 'cursor=WzksOV0x', 'limit=0', 'actor='])(
    'refuses ?%s',
    async (query) => {
      expect((await operator.get(`/admin/audit?${query}`)).status).toBe(400);
    },
  );

  it('is for operators', async () => {
    expect((await demo.get('/admin/audit')).status).toBe(403);
  });
});

describe('the chain', () => {
  it('is whole, and the last seal is still there when the log has grown', async () => {
    await operator.get('/admin/audit');
    const first = await verify();
    expect(first).toMatchObject({ ok: true, unsealed: 0 });
    if (!first.ok) return;
    await operator.post('/admin/assets', { code: 'AUDMORE', scale: 0 });
    await operator.get('/admin/audit');
    expect(await verify(first.head)).toMatchObject({ ok: true, rows: first.rows + 1 });
    expect(await verify({ ...first.head, hash: '0'.repeat(64) })).toMatchObject({ ok: false });
    expect(await verify({ position: 999_999, hash: first.head.hash })).toMatchObject({ ok: false });
  });

  it('grows in one line, however many seal and write at once', async () => {
    await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        await operator.post('/admin/news', { headline: `At once ${i}` });
        await operator.get('/admin/audit?limit=1');
      }),
    );
    expect(await verify()).toMatchObject({ ok: true, unsealed: 0 });
  });

  it.each([
    'UPDATE audit_log SET action = action',
    'DELETE FROM audit_log',
    'TRUNCATE audit_log',
    'UPDATE audit_seals SET hash = hash',
    'DELETE FROM audit_seals',
    'TRUNCATE audit_seals',
    `SET session_replication_role = replica; DELETE FROM audit_log`,
  ])('cannot be changed by the role of the service, not even by a superuser: %s', async (statement) => {
    await expect(queryOnce(app.config.databaseUrl!, statement)).rejects.toThrow(
      /append-only|permission denied/,
    );
  });

  /** Tampers as the tables' owner could, then undoes it. */
  async function tampered(...statements: string[]): Promise<AuditVerification> {
    return onClient(app.config.databaseUrl!, async (client) => {
      await client.query('BEGIN');
      await client.query(`
        ALTER TABLE audit_log DISABLE TRIGGER USER; ALTER TABLE audit_seals DISABLE TRIGGER USER;
        GRANT UPDATE, DELETE ON audit_log, audit_seals TO CURRENT_USER`);
      for (const statement of statements) await client.query(statement);
      // Runs within this transaction, so that the verifier sees the changes.
      const nested = Object.create(client) as typeof client;
      Object.assign(nested, {
        query: (text: string, values?: unknown[]) =>
          /^(BEGIN|ROLLBACK)/.test(text) ? Promise.resolve({ rows: [] }) : client.query(text, values),
      });
      const result = await verifyAudit(nested);
      await client.query('ROLLBACK');
      return result;
    });
  }

  const SEVENTH = '(SELECT audit_id FROM audit_seals WHERE position = 7)';

  it('names the row that somebody changed after switching the triggers off', async () => {
    const { entries } = { entries: await rowsWhere(`audit_id = ${SEVENTH}`, []) };
    for (const change of [
      `outcome = 'refused'`,
      `actor_person = 'user:1'`,
      `at = at + interval '1 millisecond'`,
      `details = details || '{"a": 1}'`,
      `target_id = target_id || ' '`,
      'request_id = NULL',
    ]) {
      expect(await tampered(`UPDATE audit_log SET ${change} WHERE audit_id = ${SEVENTH}`)).toEqual({
        ok: false,
        auditId: expect.stringMatching(/^aud_/) as string,
        reason: 'it is not what was sealed',
      });
    }
    expect(entries).toHaveLength(1);
  });

  it('names a row that is missing, a seal that is missing, and a row that was put in late', async () => {
    expect(await tampered(`DELETE FROM audit_log WHERE audit_id = ${SEVENTH}`)).toMatchObject({
      ok: false,
      reason: 'it was sealed and is missing',
    });
    expect(await tampered('DELETE FROM audit_seals WHERE position = 7')).toMatchObject({
      ok: false,
      reason: 'the seal before it, 7, is missing',
    });
    expect(
      await tampered(
        `DELETE FROM audit_seals WHERE position = (SELECT max(position) FROM audit_seals)`,
        `UPDATE audit_log SET at = at - interval '1 hour'
         WHERE NOT EXISTS (SELECT FROM audit_seals seal WHERE seal.audit_id = audit_log.audit_id)`,
      ),
    ).toMatchObject({ ok: false, reason: 'it was never sealed' });
    expect(await verify()).toMatchObject({ ok: true });
  });
});

describe('the journal', () => {
  it('says who sent the commands of operators and of customers', async () => {
    await operator.post('/admin/assets', { code: 'AUDJOURNAL', scale: 0 });
    await demo.place({ market_id: 'BTC-USD', side: 'buy', type: 'limit', price: '1', size: '1' });
    const rows = await queryOnce<{ actors: string }>(
      app.config.databaseUrl!,
      'SELECT actors FROM journal WHERE actors IS NOT NULL ORDER BY last_sequence DESC LIMIT 2',
    );
    expect(rows.map(({ actors }) => JSON.parse(actors))).toEqual([
      [['client:demo', 1]],
      [['client:admin', 1]],
    ]);
  });
});
