import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { base58, base64 } from '@scure/base';
import { RawWitness, p2wpkh } from '@scure/btc-signer';
import {
  TypedDataEncoder,
  verifyMessage as ethersVerifyMessage,
  verifyTypedData as ethersVerifyTyped,
} from 'ethers';
import pg from 'pg';
import { hashMessage, hashTypedData, recoverMessageAddress, recoverTypedDataAddress, type Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { UnsweptFunds } from '../../../src/modules/wallets/signing/unswept-funds.js';
import { TradepostPlugin } from '../../../src/kit/module/tradepost-module.js';
import {
  SigningPolicy,
  type ProposedSignature,
  type SigningVerdict,
} from '../../../src/modules/wallets/signing/signing-policy.js';
import { MetricsRegistry } from '../../../src/kit/metrics/metrics-registry.js';
import { startTestApp, type TestApp } from '../../support/app.js';
import { eventually, queryOnce } from '../../support/core.js';
import { callerFor, type Caller, type Json, type Reply } from '../../support/caller.js';
import { ADDRESS_IDS } from '../../../src/modules/wallets/ids.js';

const MAIL = {
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
} as const;

/** A signature that suffices to take all USDC of an address (EIP-2612). */
const permitOf = (owner: string): Json => ({
  types: {
    Permit: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
  },
  primaryType: 'Permit',
  domain: {
    name: 'USD Coin',
    version: '2',
    chainId: 1,
    verifyingContract: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  },
  message: {
    owner,
    spender: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB',
    value: (2n ** 256n - 1n).toString(),
    nonce: 0,
    deadline: '0xffffffffffffffff',
  },
});

/** Denies and delays requests that ask for it. */
class HousePolicy extends SigningPolicy {
  static readonly seen: ProposedSignature[] = [];

  override review(proposal: ProposedSignature): SigningVerdict {
    HousePolicy.seen.push(proposal);
    const text = proposal.content.type === 'raw' ? Buffer.from(proposal.content.message).toString() : '';
    if (text === 'denied') return { verdict: 'deny', message: 'Not this.' };
    if (text === 'later') return { verdict: 'needs_approval', message: 'Ask the treasurer.' };
    return { verdict: 'allow' };
  }
}

@TradepostPlugin({ name: 'house', compatibility: '*', implementations: [HousePolicy] })
class HousePlugin {}

let app: TestApp;
let demo: Caller;
let maker: Caller;
let walletId: string;
beforeAll(async () => {
  app = await startTestApp({
    rateLimits: 'off',
    plugins: [HousePlugin],
  });
  [demo, maker] = await Promise.all([callerFor(app.url, 'demo'), callerFor(app.url, 'maker')]);
  walletId = (await demo.post('/wallets', { name: 'Signer' })).body.wallet_id;
});
afterAll(() => app.close());

const query = (text: string, values: unknown[] = []): Promise<Json[]> =>
  queryOnce<Json>(app.config.databaseUrl!, text, values);

async function newAddress(chain: string): Promise<Json> {
  const reply = await demo.post(`/wallets/${walletId}/addresses`, { chain, purpose: 'signing' });
  expect(reply.status).toBe(201);
  return reply.body;
}

const sign = (body: Json, headers?: Record<string, string>): Promise<Reply> =>
  demo.post(`/wallets/${walletId}/sign`, body, headers);

async function signed(body: Json): Promise<Json> {
  const reply = await sign(body);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200 });
  return reply.body;
}

describe('a message signed on ethereum', () => {
  it('is recovered to its address by viem and by ethers', async () => {
    const { address } = await newAddress('ethereum');
    for (const payload of ['', 'I own this address.', 'ü😀\n', 'x'.repeat(50_000)]) {
      const { signature, digest, scheme } = await signed({ address, type: 'raw', payload });
      expect(scheme).toBe('eip191');
      expect(signature).toMatch(/^0x[0-9a-f]{128}(1b|1c)$/);
      expect(digest).toBe(hashMessage(payload));
      expect(await recoverMessageAddress({ message: payload, signature })).toBe(address);
      expect(ethersVerifyMessage(payload, signature)).toBe(address);
    }
  });

  it('may be bytes, and 32 of them are no digest', async () => {
    const { address } = await newAddress('ethereum');
    for (const payload of ['0x', '0x00ff00FF', `0x${'ab'.repeat(32)}`]) {
      const { signature, digest } = await signed({ address, type: 'raw', encoding: 'hex', payload });
      expect(await recoverMessageAddress({ message: { raw: payload as Hex }, signature })).toBe(address);
      expect(digest).toBe(hashMessage({ raw: payload as Hex }));
      expect(digest).not.toBe(payload);
    }
    const bare = await signed({ address, type: 'raw', encoding: 'hex', payload: 'ab'.repeat(32) });
    expect(bare.digest).toBe(hashMessage({ raw: `0x${'ab'.repeat(32)}` }));
  });

  it('finds its address however that is written', async () => {
    const { address } = await newAddress('ethereum');
    const first = await signed({ address, type: 'raw', payload: 'a' });
    for (const written of [address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
      expect((await signed({ address: written, type: 'raw', payload: 'a' })).signature).toBe(first.signature);
    }
  });
});

describe('typed data', () => {
  it('are recovered to their address by viem and by ethers', async () => {
    const { address } = await newAddress('ethereum');
    const { signature, digest, scheme } = await signed({ address, type: 'typed', typed_data: MAIL });
    expect(scheme).toBe('eip712');
    expect(digest).toBe('0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2');
    expect(digest).toBe(hashTypedData(MAIL));
    expect(await recoverTypedDataAddress({ ...MAIL, signature })).toBe(address);
    const { domain, types, message } = structuredClone(MAIL) as Json;
    expect(ethersVerifyTyped(domain, types, message, signature)).toBe(address);
    expect(TypedDataEncoder.hash(domain, types, message)).toBe(digest);
  });

  it('are refused with the path of what is wrong', async () => {
    const { address } = await newAddress('ethereum');
    const data = structuredClone(MAIL) as Json;
    data.message.to.wallet = '0x00';
    delete data.message.contents;
    const reply = await sign({ address, type: 'typed', typed_data: data });
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'validation_failed' } } });
    expect(reply.body.error.details.map(({ field }: Json) => field)).toEqual([
      'typed_data.message.to.wallet',
      'typed_data.message.contents',
    ]);
  });

  it('are refused whatever somebody makes of them, and never fail the service', async () => {
    const { address } = await newAddress('ethereum');
    const path = `/wallets/${walletId}/sign`;
    const around = (data: string): string => `{"address":"${address}","type":"typed","typed_data":${data}}`;
    const deep = (text: string, levels: number): string =>
      `${'['.repeat(levels)}${text}${']'.repeat(levels)}`;
    for (const [body, status] of [
      [around('{"__proto__":{"types":{}}}'), 400],
      [
        around(
          '{"types":{"__proto__":[{"name":"a","type":"bool"}]},"primaryType":"__proto__","domain":{"name":"a"},"message":{}}',
        ),
        400,
      ],
      [around('{"types":{"constructor":[{"name":"a","type":"bool"}]}}'), 400],
      [around(`{"types":${deep('', 40)}}`), 400],
      [around(deep('', 20_000)), 400],
      [around(`{"types":{},"message":"${'x'.repeat(110_000)}"}`), 413],
      [
        around(
          `{"types":{"A":[{"name":"a","type":"uint8[]"}]},"primaryType":"A","domain":{"name":"a"},"message":{"a":[${Array(45_000).fill(0).join()}]}}`,
        ),
        400,
      ],
      [
        around(
          '{"types":{"A":[{"name":"a","type":"A"}]},"primaryType":"A","domain":{"name":"a"},"message":{"a":null}}',
        ),
        400,
      ],
      [around('"text"'), 400],
      [around('[]'), 400],
      [around('null'), 400],
    ] as const) {
      expect((await demo.send('POST', path, body)).status, body.slice(0, 200)).toBe(status);
    }
  });
});

describe('a message signed on bitcoin', () => {
  it('is BIP-322’s simple form, by the key of its address', async () => {
    const { address, public_key } = await newAddress('bitcoin');
    const { signature, digest, scheme } = await signed({ address, type: 'raw', payload: 'Hello World' });
    expect(scheme).toBe('bip322_simple');
    expect(digest).toBe('0xf0eb03b1a75ac6d9847f55c624a99169b5dccba2a31f5b23bea77ba270de0a7a');
    const [der, key] = RawWitness.decode(base64.decode(signature));
    expect(Buffer.from(key!).toString('hex')).toBe(public_key);
    expect(p2wpkh(key!).address).toBe(address);
    // The signature commits to the address through the transaction that is spent; BIP-322's own vectors check that.
    expect(der!.at(-1)).toBe(1);
    expect(() => secp256k1.Signature.fromBytes(der!.subarray(0, -1), 'der')).not.toThrow();
  });

  it('signs no typed data', async () => {
    const { address } = await newAddress('bitcoin');
    const reply = await sign({ address, type: 'typed', typed_data: MAIL });
    expect(reply.body.error).toMatchObject({ code: 'validation_failed', details: [{ field: 'type' }] });
  });
});

describe('a message signed on solana', () => {
  it.each([
    ['Hello', 0],
    ['Grüße', 1],
    ['x'.repeat(1_233), 2],
  ])('is an off-chain message: %.10s', async (payload, format) => {
    const { address } = await newAddress('solana');
    const { signature, scheme } = await signed({ address, type: 'raw', payload });
    expect(scheme).toBe('solana_offchain');
    const publicKey = base58.decode(address);
    const message = Buffer.from(payload);
    const length = Buffer.of(message.length & 255, message.length >> 8);
    const preamble = Buffer.concat([
      Buffer.from('ff736f6c616e61206f6666636861696e00', 'hex'),
      Buffer.alloc(32),
      Buffer.of(format, 1),
      publicKey,
      length,
    ]);
    const bytes = base58.decode(signature);
    expect(bytes).toHaveLength(64);
    expect(ed25519.verify(bytes, Buffer.concat([preamble, message]), publicKey)).toBe(true);
    expect(ed25519.verify(bytes, message, publicKey)).toBe(false);
  });

  it.each([
    ['utf8', ''],
    ['hex', 'ff00'],
    ['utf8', 'x'.repeat(65_536)],
  ])('has no off-chain form for %s %.10s', async (encoding, payload) => {
    const { address } = await newAddress('solana');
    const reply = await sign({ address, type: 'raw', encoding, payload });
    expect(reply.body.error).toMatchObject({ code: 'validation_failed', details: [{ field: 'payload' }] });
  });
});

describe('a request to sign', () => {
  it.each([
    ['payload', { type: 'raw' }],
    ['payload', { type: 'raw', payload: null }],
    ['payload', { type: 'raw', encoding: 'hex', payload: 'abc' }],
    ['payload', { type: 'raw', encoding: 'hex', payload: '0xzz' }],
    ['typed_data', { type: 'raw', payload: 'a', typed_data: MAIL }],
    ['typed_data', { type: 'typed' }],
    ['payload', { type: 'typed', payload: 'a', typed_data: MAIL }],
    ['encoding', { type: 'typed', encoding: 'hex', typed_data: MAIL }],
    ['type', { type: 'digest', payload: '00'.repeat(32) }],
    ['encoding', { type: 'raw', encoding: 'base64', payload: 'aa' }],
    ['payload', { type: 'raw', payload: 7 }],
    ['digest', { type: 'raw', payload: 'a', digest: '0x00' }],
  ])('is refused for its %s: %j', async (field, body) => {
    const { address } = await newAddress('ethereum');
    const reply = await sign({ address, ...body });
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'validation_failed' } } });
    expect(reply.body.error.details[0].field).toBe(field);
  });

  it('needs its own scope', async () => {
    const writer = await callerFor(app.url, 'demo', 'wallets:write wallets:read');
    const reply = await writer.post(`/wallets/${walletId}/sign`, { address: 'a', type: 'raw', payload: 'a' });
    expect(reply).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
  });

  it('finds no foreign wallet, and no foreign address', async () => {
    const { address } = await newAddress('ethereum');
    const body = { address, type: 'raw', payload: 'a' };
    const foreign = await maker.post(`/wallets/${walletId}/sign`, body);
    const missing = await maker.post('/wallets/wlt_7ZZZZZZZZZZ/sign', body);
    expect(foreign.status).toBe(404);
    expect({ ...foreign.body.error, request_id: '' }).toEqual({ ...missing.body.error, request_id: '' });
    const own = (await maker.post('/wallets', { name: 'Own' })).body.wallet_id;
    expect((await maker.post(`/wallets/${own}/sign`, body)).body.error.code).toBe('not_found');
    expect((await maker.get(`/wallets/${walletId}/signatures`)).status).toBe(404);
  });

  it('is answered again for the same Idempotency-Key, and recorded once', async () => {
    const { address } = await newAddress('ethereum');
    const key = { 'idempotency-key': `sign ${address}` };
    const body = { address, type: 'raw', payload: 'once' };
    const first = await sign(body, key);
    const again = await sign(body, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.body).toEqual(first.body);
    expect(await query('SELECT FROM wallet_signatures WHERE address = $1', [address])).toHaveLength(1);
  });
});

describe('the record of signatures', () => {
  it('says who had what signed and when, newest first', async () => {
    const { address, address_id } = await newAddress('ethereum');
    const first = await signed({ address, type: 'raw', payload: 'first' });
    const second = await signed({ address, type: 'typed', typed_data: MAIL });
    const records = await demo.walk(`/wallets/${walletId}/signatures`, 3);
    expect(records.slice(0, 2)).toEqual(
      [second, first].map(({ signature_id, digest, scheme }) => ({
        signature_id,
        digest,
        scheme,
        address,
        address_id,
        requested_by: 'client:demo',
        created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      })),
    );
  });

  it('is counted', async () => {
    const { address } = await newAddress('solana');
    await signed({ address, type: 'raw', payload: 'counted' });
    const metrics = await app.app.nest.get(MetricsRegistry).render();
    expect(metrics).toMatch(/^tradepost_wallet_signatures_total\{scheme="solana_offchain"\} [1-9]\d*$/m);
  });

  it('has nothing of what was refused', async () => {
    const { address } = await newAddress('ethereum');
    await sign({ address, type: 'raw', payload: 'denied' });
    await sign({ address, type: 'raw', encoding: 'hex', payload: 'x' });
    expect(await query('SELECT FROM wallet_signatures WHERE address = $1', [address])).toEqual([]);
    const [row] = await query('SELECT signed_at FROM wallet_addresses WHERE address = $1', [address]);
    expect(row.signed_at).toBeNull();
  });
});

describe('the policy', () => {
  it('denies, and asks for approval', async () => {
    const { address } = await newAddress('ethereum');
    expect(await sign({ address, type: 'raw', payload: 'denied' })).toMatchObject({
      status: 422,
      body: { error: { code: 'signing_denied', message: 'Not this.' } },
    });
    expect(await sign({ address, type: 'raw', payload: 'later' })).toMatchObject({
      status: 403,
      body: { error: { code: 'approval_required', message: 'Ask the treasurer.' } },
    });
  });

  it('sees what is about to be signed, and by whom', async () => {
    const { address, address_id } = await newAddress('ethereum');
    const { digest } = await signed({ address, type: 'typed', typed_data: MAIL });
    expect(HousePolicy.seen.at(-1)).toMatchObject({
      principal: { key: 'client:demo' },
      walletId,
      addressId: address_id,
      chain: 'ethereum',
      address,
      scheme: 'eip712',
      digest,
      content: {
        type: 'typed',
        primaryType: 'Mail',
        domain: { chainId: 1n },
        message: { contents: 'Hello, Bob!' },
      },
    });
  });
});

describe('a signature and a credit', () => {
  it('wait for each other: the address is marked before the signature is answered', async () => {
    const { address } = await newAddress('ethereum');
    const client = new pg.Client({ connectionString: app.config.databaseUrl });
    await client.connect();
    try {
      // A credit is in progress.
      await client.query('BEGIN');
      await client.query('SELECT FROM wallet_addresses WHERE address = $1 FOR UPDATE', [address]);
      let answered = false;
      const signature = signed({ address, type: 'raw', payload: 'racing' }).finally(() => {
        answered = true;
      });
      await eventually(async () => {
        const waiting = await query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      }, 'the signature waits for the credit');
      expect(answered).toBe(false);
      await client.query('COMMIT');
      await signature;
      const [row] = await query('SELECT signed_at FROM wallet_addresses WHERE address = $1', [address]);
      expect(row.signed_at).toBeInstanceOf(Date);
    } finally {
      await client.end();
    }
  });

  it('of many at once are all recorded', async () => {
    const { address } = await newAddress('ethereum');
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => signed({ address, type: 'raw', payload: `message ${i}` })),
    );
    const rows = await query('SELECT digest FROM wallet_signatures WHERE address = $1', [address]);
    expect(rows.map(({ digest }) => digest).sort()).toEqual(all.map(({ digest }) => digest).sort());
  });
});

describe('a permit', () => {
  it('is a signature like any other, as long as the address holds nothing', async () => {
    const { address } = await newAddress('ethereum');
    const permit = permitOf(address);
    const { signature } = await signed({ address, type: 'typed', typed_data: permit });
    expect(ethersVerifyTyped(permit.domain, permit.types, permit.message, signature)).toBe(address);
  });

  it('is refused while the address holds credited money, as is everything else', async () => {
    const { address, address_id } = await newAddress('ethereum');
    const holdsFunds = vi
      .spyOn(app.app.nest.get(UnsweptFunds), 'holdsFunds')
      .mockImplementation((addressId) =>
        Promise.resolve(ADDRESS_IDS.format(Number(addressId)) === address_id),
      );
    try {
      for (const body of [
        { address, type: 'typed', typed_data: permitOf(address) },
        { address, type: 'raw', payload: 'I own this address.' },
      ]) {
        expect(await sign(body)).toMatchObject({
          status: 422,
          body: { error: { code: 'address_holds_funds' } },
        });
      }
      const other = await newAddress('ethereum');
      await signed({ address: other.address, type: 'raw', payload: 'elsewhere' });
    } finally {
      holdsFunds.mockRestore();
    }
    expect(await query('SELECT FROM wallet_signatures WHERE address = $1', [address])).toEqual([]);
    const [row] = await query('SELECT signed_at FROM wallet_addresses WHERE address = $1', [address]);
    expect(row.signed_at).toBeNull();
  });
});
