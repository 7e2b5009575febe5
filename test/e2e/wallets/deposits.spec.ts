import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amountOf } from '../../../src/domain/money/amount.js';
import { HotWallets } from '../../../src/modules/wallets/chain/hot-wallets.js';
import { ChainConnectors } from '../../../src/modules/wallets/chains/chain-connectors.js';
import { PG_POOL } from '../../../src/kit/database/pg-pool.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { type Caller, callerFor, type Json, loggedIn } from '../../support/caller.js';
import { newUser } from '../../support/clients/accounts-client.js';
import { closeUser } from '../../support/clients/users-client.js';
import { eventually } from '../../support/eventually.js';
import { QuietChainPlugin } from '../../support/quiet-chain.js';

const SENDER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const CONFIRMED = 1;
/** Not scanned yet. */
const AHEAD = 5;

let app: TestApp;
let demo: Caller;
let maker: Caller;
let operator: Caller;
let hot: string;
let transactions = 0;

beforeAll(async () => {
  app = await startTestApp({ rateLimits: 'off', plugins: [QuietChainPlugin] });
  [demo, maker, operator] = await Promise.all([
    callerFor(app.url, 'demo'),
    callerFor(app.url, 'maker'),
    callerFor(app.url, 'admin'),
  ]);
  await eventually(async () => {
    const { data } = (await operator.get('/admin/chains')).body;
    const ethereum = data.find((one: Json) => one.chain === 'ethereum');
    hot = ethereum.hot_address;
    return ethereum.scanned_block === CONFIRMED;
  }, 'the chain is read');
});
afterAll(() => app.close());

const query = (text: string, values: unknown[]) => app.app.nest.get<Pool>(PG_POOL).query(text, values);

const refusal = (status: number, code: string) => ({ status, body: { error: { code } } });

interface Place {
  readonly walletId: string;
  readonly address: string;
}

async function newPlace(owner: Caller): Promise<Place> {
  const { body: wallet } = await owner.post('/wallets', { name: 'Deposits' });
  const { status, body } = await owner.post(`/wallets/${wallet.wallet_id}/addresses`, { chain: 'ethereum' });
  expect(status, JSON.stringify(body)).toBe(201);
  return { walletId: wallet.wallet_id, address: body.address };
}

/** As the scan records what it has found in a block. */
async function arrive(address: string, asset: string, amount: string, block = CONFIRMED): Promise<string> {
  const txHash = `0x${String(++transactions).padStart(64, '0')}`;
  await query(
    `INSERT INTO chain_deposits
       (chain, tx_hash, position, asset, amount, source, address, address_id, block_number, block_hash)
     SELECT 'ethereum', $1, 0, $2, $3, $4, $5::text, a.address_id, $6, '0xb'
     FROM (SELECT 1) AS one LEFT JOIN wallet_addresses a ON a.chain = 'ethereum' AND a.address = $5`,
    [txHash, asset, amountOf(amount).toString(), SENDER, address, block],
  );
  return txHash;
}

async function depositsOf({ walletId }: Place, owner = demo, filter = ''): Promise<Json[]> {
  const { status, body } = await owner.get(`/wallets/${walletId}/deposits${filter}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}

describe('the deposits of a wallet', () => {
  it('wait until they are final, and say when they are credited and by which transfer', async () => {
    const place = await newPlace(demo);
    const later = await arrive(place.address, 'ETH', '0.5', AHEAD);
    expect(await depositsOf(place)).toEqual([
      {
        deposit_id: expect.stringMatching(/^dep_[0-9A-Z]{11}$/),
        chain: 'ethereum',
        asset: 'ETH',
        amount: '0.5',
        minimum: '0.01',
        address: place.address,
        source: SENDER,
        tx_hash: later,
        confirmations: 0,
        status: 'waiting',
        reason: expect.stringContaining('final'),
        transfer_id: null,
        created_at: expect.stringMatching(/Z$/),
      },
    ]);
    await arrive(place.address, 'ETH', '0.25');
    await eventually(async () => (await depositsOf(place))[0]?.status === 'credited', 'it is credited');
    const [credited] = await depositsOf(place, demo, '?status=credited');
    expect(credited).toMatchObject({ amount: '0.25', reason: null, confirmations: 1 });
    const { body } = await demo.get(`/wallets/${place.walletId}/transfers/${credited!.transfer_id}`);
    expect(body).toMatchObject({ direction: 'in', amount: '0.25', status: 'completed' });
  });

  it('below the minimum say so, and what the minimum is, until enough is there', async () => {
    const place = await newPlace(demo);
    await arrive(place.address, 'ETH', '0.004');
    await arrive(place.address, 'ETH', '0.005');
    const waiting = await depositsOf(place);
    expect(waiting).toHaveLength(2);
    for (const deposit of waiting) {
      expect(deposit).toMatchObject({
        status: 'below_minimum',
        minimum: '0.01',
        reason: expect.stringContaining('0.01 ETH'),
      });
    }
    await arrive(place.address, 'ETH', '0.001');
    await eventually(
      async () => (await depositsOf(place)).every(({ status }) => status === 'credited'),
      'all are credited',
    );
  });

  it('of a token that the ledger does not list, or finer than it counts, are unsupported', async () => {
    const place = await newPlace(demo);
    await arrive(place.address, 'DAI', '3');
    await arrive(place.address, 'USDC', '1.0000001');
    const [fine, unlisted] = await depositsOf(place, demo, '?status=unsupported,below_minimum');
    expect(fine).toMatchObject({
      asset: 'USDC',
      status: 'unsupported',
      reason: expect.stringContaining('decimals'),
    });
    expect(unlisted).toMatchObject({
      asset: 'DAI',
      minimum: null,
      status: 'unsupported',
      reason: expect.stringContaining('does not take DAI'),
    });
    const { body } = await demo.get(`/wallets/${place.walletId}`);
    expect(body.balances).toEqual([]);
  });

  it('to a closed owner are held for review, credited to nobody, and seen by operators', async () => {
    const session = await newUser(app, 'departed');
    const place = await newPlace(session);
    await closeUser(session, 'departed');
    const txHash = await arrive(place.address, 'ETH', '2');
    const next = await newPlace(demo);
    await arrive(next.address, 'ETH', '1');
    await eventually(
      async () => (await depositsOf(next))[0]?.status === 'credited',
      'another one is credited',
    );
    const { body } = await operator.get('/admin/chain-deposits?status=held_for_review');
    expect(body.data).toMatchObject([
      { tx_hash: txHash, wallet_id: place.walletId, status: 'held_for_review', transfer_id: null },
    ]);
  });

  it('of a block that the chain has replaced are orphaned, not gone', async () => {
    const place = await newPlace(demo);
    const txHash = await arrive(place.address, 'ETH', '1', AHEAD);
    await query('UPDATE chain_deposits SET orphaned = true WHERE tx_hash = $1', [txHash]);
    expect(await depositsOf(place)).toMatchObject([{ tx_hash: txHash, status: 'orphaned' }]);
  });

  it('are nobody else’s, come page by page, and refuse what is no state', async () => {
    const place = await newPlace(demo);
    for (const amount of ['0.001', '0.002', '0.003']) await arrive(place.address, 'ETH', amount);
    expect((await maker.get(`/wallets/${place.walletId}/deposits`)).status).toBe(404);
    const all = await depositsOf(place);
    expect(all.map(({ amount }) => amount)).toEqual(['0.003', '0.002', '0.001']);
    expect(await demo.walk(`/wallets/${place.walletId}/deposits`, 1)).toEqual(all);
    for (const filter of ['status=lost', 'status=', 'chain=ethereum']) {
      expect((await demo.get(`/wallets/${place.walletId}/deposits?${filter}`)).status, filter).toBe(400);
    }
  });
});

describe('operators', () => {
  it('send back what a stranger sent to the hot wallet, once, when two agree', async () => {
    const other = await loggedIn(app.url, 'admin');
    const arriveAtHouse = async (amount: string): Promise<string> => {
      const txHash = await arrive(hot, 'ETH', amount);
      return eventually(async () => {
        const { body } = await operator.get('/admin/chain-deposits?at=hot_wallet&status=credited');
        const found = body.data.find((each: Json) => each.tx_hash === txHash);
        expect(found).toBeDefined();
        return found.deposit_id as string;
      });
    };
    const giveBack = (id: string) => operator.post(`/admin/chain-deposits/${id}/return`, {});
    const strangers = await arriveAtHouse('7');
    // The house has no more than that, and nothing for the gas.
    expect(await giveBack(strangers)).toMatchObject(refusal(422, 'insufficient_funds'));
    await arriveAtHouse('1');

    const proposals = await Promise.all([giveBack(strangers), giveBack(strangers)]);
    expect(proposals.map(({ status }) => status).sort()).toEqual([201, 409]);
    const { body: proposed } = proposals.find(({ status }) => status === 201)!;
    expect(proposed).toMatchObject({
      status: 'pending_approval',
      amount: '7',
      source: { type: 'account' },
      destination: { type: 'address', chain: 'ethereum', address: SENDER },
    });
    const decide = (by: Caller, transfer: Json, decision: string) =>
      by.post(
        `/admin/transfers/${transfer.transfer_id}/${decision}`,
        decision === 'reject' ? { reason: 'no' } : {},
      );
    expect((await decide(operator, proposed, 'approve')).status).toBe(403);
    expect((await decide(other, proposed, 'reject')).body.status).toBe('rejected');
    const { status, body: again } = await giveBack(strangers);
    expect(status, JSON.stringify(again)).toBe(201);
    expect((await decide(other, again, 'approve')).body.status).toBe('pending');
    expect(await giveBack(strangers)).toMatchObject(refusal(409, 'conflict'));
  });

  it('see who sent what to the hot wallet', async () => {
    const txHash = await arrive(hot, 'ETH', '0.5');
    await arrive((await newPlace(demo)).address, 'ETH', '0.002');
    await eventually(async () => {
      const { body } = await operator.get('/admin/chain-deposits?at=hot_wallet&chain=ethereum&limit=1');
      expect(body.data).toMatchObject([{ tx_hash: txHash, source: SENDER, wallet_id: null }]);
      return body.data[0].status === 'credited';
    }, 'it is credited to the house');
    expect((await operator.get('/admin/chain-deposits?chain=solana')).body.data).toEqual([]);
    expect((await operator.get('/admin/chain-deposits?at=wallet&limit=1')).body.data[0].wallet_id).toMatch(
      /^wlt_/,
    );
    expect((await demo.get('/admin/chain-deposits')).status).toBe(403);
  });

  it('send back nothing that is a customer’s', async () => {
    const place = await newPlace(demo);
    await arrive(place.address, 'ETH', '1');
    await eventually(async () => (await depositsOf(place))[0]?.status === 'credited', 'it is credited');
    const id = (await depositsOf(place))[0]!.deposit_id as string;
    for (const each of [id, 'dep_7ZZZZZZZZZZ', 'nothing']) {
      expect(await operator.post(`/admin/chain-deposits/${each}/return`, {})).toMatchObject(
        refusal(404, 'not_found'),
      );
    }
    expect((await demo.post(`/admin/chain-deposits/${id}/return`, {})).status).toBe(403);
  });

  it('are told which assets of a chain cannot all be credited', async () => {
    const { data } = (await operator.get('/admin/chains')).body;
    const ethereum = data.find((one: Json) => one.chain === 'ethereum');
    expect(ethereum.problems).toEqual([expect.stringContaining('There is no asset DAI')]);
    expect(data.find((one: Json) => one.chain === 'bitcoin').problems).toEqual([]);
  });
});

describe('a token whose contract says other decimals than the settings', () => {
  it('stops the work on its chain, since every amount of it would be wrong', async () => {
    const connector = app.app.nest.get(ChainConnectors).connectorOf('ethereum')!;
    const decimalsOf = (asset: string) => Promise.resolve(asset === 'USDC' ? 8 : null);
    const other = Object.create(connector, { decimalsOf: { value: decimalsOf } }) as typeof connector;
    await expect(app.app.nest.get(HotWallets).open(other)).rejects.toThrow(
      'USDC has 8 decimals on ethereum, and 6 by the settings',
    );
  });
});

describe('the minimum of deposits', () => {
  it('stands in the list of assets and beside each address', async () => {
    const { data } = (await demo.get('/assets')).body;
    const eth = data.find((asset: Json) => asset.code === 'ETH');
    expect(eth).toMatchObject({
      deposits: true,
      chains: [{ chain: 'ethereum', deposit_minimum: '0.01', confirmations: 1 }],
    });
    const { walletId } = await newPlace(demo);
    const [address] = (await demo.get(`/wallets/${walletId}/addresses`)).body.data;
    expect(address.deposit_minimums).toContainEqual({ asset: 'ETH', minimum: '0.01' });
  });
});
