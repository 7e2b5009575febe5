import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { generatePrivateKey } from 'viem/accounts';
import { hexToBytes, parseEther, type Address } from 'viem';
import { Anvil, isAnvilMissing, RICH } from '../../../../test/support/anvil.js';
import { RpcProxy } from '../../../../test/support/rpc-proxy.js';
import { amount, amountOf } from '../../../domain/money/amount.js';
import { ChainMoved, ChainUnavailable, type ChainBlock } from './chain-connector.js';
import { EvmConnector } from './evm-connector.js';

const NOWHERE = 'http://127.0.0.1:1/?key=s3cret';
const OUTSIDER = '0x00000000000000000000000000000000000A11cE';
const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';

function connectorTo(url: string, contract: string = USDC): EvmConnector {
  return new EvmConnector({
    chain: 'ethereum',
    nativeAsset: 'ETH',
    url,
    tokens: [{ code: 'USDC', contract, decimals: 6 }],
    confirmations: 3,
    replaceAfterMs: 1_000,
    pollMs: 1_000,
    startBlock: undefined,
    maxFeePerGas: 500n * 10n ** 9n,
  });
}

describe('EvmConnector without a node', () => {
  const connector = connectorTo(NOWHERE);

  it('writes addresses in one way, and refuses those that money would be lost at', () => {
    const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
    expect(connector.canonicalAddress(checksummed)).toBe(checksummed);
    expect(connector.canonicalAddress(checksummed.toLowerCase())).toBe(checksummed);
    const unreserved = `0x${'10000'.padStart(40, '0')}`;
    expect(connector.canonicalAddress(unreserved)).toBe(unreserved);
    for (const text of [
      checksummed.replace('5aA', '5AA'),
      checksummed.slice(2),
      `${checksummed}0`,
      ` ${checksummed}`,
      'vitalik.eth',
      '',
      '0x0000000000000000000000000000000000000000',
      // Precompiles, what is reserved for them, and where tokens are burnt.
      ...['1', '11', '100', 'dead', 'ffff'].map((end) => `0x${end.padStart(40, '0')}`),
      '0xdEAD000000000000000042069420694206942069',
      '0x00000000219ab540356cBB839Cbe05303d7705Fa',
      '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
      USDC,
      USDC.toLowerCase(),
    ]) {
      expect(connector.canonicalAddress(text), text).toBeUndefined();
    }
  });

  it('says that the node is away, and never where it would be', async () => {
    const asked = [
      connector.head(),
      connector.block(1),
      connector.feeMarket(),
      connector.networkId(),
      connector.balance(OUTSIDER, 'USDC'),
      connector.nextNonce(OUTSIDER),
      connector.send('0x00'),
      connector.gasLimit({ asset: 'ETH', from: OUTSIDER, to: OUTSIDER, amount: amount(1n) }),
    ];
    for (const outcome of await Promise.allSettled(asked)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(ChainUnavailable) as Error });
      expect(String((outcome as PromiseRejectedResult).reason)).not.toMatch(/s3cret|127[.]0/);
    }
  });
});

describe('EvmConnector on a node whose answers it does not understand', () => {
  const block = {
    number: '0x7',
    hash: `0x${'7'.repeat(64)}`,
    parentHash: `0x${'6'.repeat(64)}`,
    transactions: [],
  };
  const answers: Readonly<Record<string, unknown>> = {
    // As of a chain from before EIP-1559.
    eth_getBlockByNumber: block,
    eth_maxPriorityFeePerGas: '0x1',
    // A transfer whose recipient is not where the standard has it.
    eth_getLogs: [
      {
        address: USDC.toLowerCase(),
        topics: [`0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef`],
        data: `0x${'0'.repeat(192)}`,
        blockNumber: block.number,
        blockHash: block.hash,
        transactionHash: `0x${'a'.repeat(64)}`,
        transactionIndex: '0x0',
        logIndex: '0x0',
        removed: false,
      },
    ],
  };
  const server = createServer((request, response) => {
    void json(request).then((call) => {
      const { id, method } = call as { id: number; method: string };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] }));
    });
  });
  let connector: EvmConnector;
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    connector = connectorTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  afterEach(() => vi.restoreAllMocks());

  it('says that it names no base fee, and offers none of its own', async () => {
    await expect(connector.feeMarket()).rejects.toThrow('names no base fee');
    await expect(connector.feeMarket()).rejects.toBeInstanceOf(ChainUnavailable);
  });

  it('logs a transfer of a token that it cannot read', async () => {
    const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    const { number, hash, parentHash } = block;
    const blocks = [{ number: Number(number), hash, parentHash }];
    expect(await connector.incoming(blocks, () => Promise.resolve(new Set()))).toEqual([]);
    expect(logged).toHaveBeenCalledWith(
      expect.objectContaining({
        tx_hash: `0x${'a'.repeat(64)}`,
        msg: expect.stringContaining('cannot be read') as string,
      }),
    );
  });
});

describe.skipIf(isAnvilMissing('the connector on a real node'))('EvmConnector on a real node', () => {
  let anvil: Anvil;
  let token: Address;
  let connector: EvmConnector;
  const key = hexToBytes(generatePrivateKey());
  let sender: string;
  beforeAll(async () => {
    anvil = await Anvil.start();
    token = await anvil.deployToken();
    connector = connectorTo(anvil.url, token);
    sender = connector.addressOf(key);
    await anvil.pay(sender, '2');
    await anvil.payToken(token, sender, 5_000_000n);
  });
  afterAll(() => anvil.stop());

  const newest = async (): Promise<ChainBlock> => (await connector.block(await connector.head()))!;
  const own = (address: string) => (addresses: readonly string[]) =>
    Promise.resolve(new Set(addresses.filter((one) => one === address)));

  it('asks a token for its decimals, which the contract need not tell', async () => {
    expect(await connector.decimalsOf('ETH')).toBe(18);
    expect(await connector.decimalsOf('USDC')).toBeNull();
    // Answers 8 to whatever it is asked.
    const eight = await anvil.deployCode('0x600860005260206000f3');
    expect(await connectorTo(anvil.url, eight).decimalsOf('USDC')).toBe(8);
    await expect(connectorTo(NOWHERE).decimalsOf('USDC')).rejects.toBeInstanceOf(ChainUnavailable);
  });

  it('reads balances in the ledger’s units, also as of an earlier block', async () => {
    expect(await connector.balance(sender, 'USDC')).toBe(amountOf('5'));
    const before = await connector.head();
    await anvil.payToken(token, sender, 1n);
    expect(await connector.balance(sender, 'USDC')).toBe(amountOf('5.000001'));
    expect(await connector.balance(sender, 'USDC', before)).toBe(amountOf('5'));
    expect(await connector.balance(sender, 'ETH')).toBe(amountOf('2'));
  });

  it('tells what arrived in a block, and nothing of what failed or went elsewhere', async () => {
    await anvil.holdBack();
    const paid = await anvil.pay(sender, '0.5');
    const tokens = await anvil.payToken(token, sender, 250_000n);
    await anvil.pay(OUTSIDER, '1');
    await anvil.mine();
    await anvil.mineAtOnce();
    const block = await newest();
    const arrived = await connector.incoming([block], own(sender));
    const common = { from: RICH.address, to: sender, block };
    expect(arrived).toHaveLength(2);
    expect(arrived).toEqual(
      expect.arrayContaining([
        { ...common, txHash: paid, position: 0, asset: 'ETH', amount: amountOf('0.5') },
        { ...common, txHash: tokens, position: 1, asset: 'USDC', amount: amountOf('0.25') },
      ]),
    );
  });

  it('notices that a block was replaced while it is read', async () => {
    await anvil.pay(sender, '0.1');
    const block = await newest();
    await anvil.reorganise(1);
    await expect(connector.incoming([block], own(sender))).rejects.toBeInstanceOf(ChainMoved);
  });

  it('signs the same bytes each time, and knows how they ended', async () => {
    const payment = { asset: 'USDC', from: sender, to: OUTSIDER, amount: amountOf('1.5') };
    const { offer } = await connector.feeMarket();
    const terms = {
      ...offer,
      nonce: await connector.nextNonce(sender),
      gasLimit: (await connector.gasLimit(payment))!,
    };
    const signed = await connector.sign(payment, terms, key);
    expect(await connector.sign(payment, terms, key)).toEqual(signed);
    expect(await connector.inclusion(signed.txHash, payment)).toBeNull();

    await anvil.holdBack();
    expect(await connector.send(signed.bytes)).toEqual({ taken: true });
    expect(await connector.send(signed.bytes)).toEqual({ taken: true });
    await anvil.mine();
    await anvil.mineAtOnce();
    const block = await newest();
    const inclusion = await connector.inclusion(signed.txHash, payment);
    expect(inclusion).toMatchObject({ blockNumber: block.number, blockHash: block.hash, succeeded: true });
    expect(inclusion!.feePaid).toBeGreaterThan(0n);
    expect(await anvil.tokenBalance(token, OUTSIDER)).toBe(1_500_000n);
    // The amount that moved is not the intended amount.
    const other = { ...payment, amount: amountOf('1') };
    expect(await connector.inclusion(signed.txHash, other)).toMatchObject({ succeeded: false });
    // The nonce is used up, so the node rejects the transaction, which is a definite answer.
    const late = await connector.sign({ ...payment, amount: amountOf('1') }, terms, key);
    expect(await connector.send(late.bytes)).toMatchObject({ taken: false });
  });

  it('tells a payment that would be reverted from a node that does not answer', async () => {
    const tooMuch = { asset: 'USDC', from: sender, to: OUTSIDER, amount: amountOf('1000000') };
    expect(await connector.gasLimit(tooMuch)).toBeNull();
    const proxy = await RpcProxy.start(anvil.url);
    try {
      proxy.down = true;
      await expect(connectorTo(proxy.url, token).gasLimit(tooMuch)).rejects.toBeInstanceOf(ChainUnavailable);
    } finally {
      await proxy.stop();
    }
  });

  it('takes a plain payment for what it costs, and names its network', async () => {
    const plain = { asset: 'ETH', from: sender, to: OUTSIDER, amount: amount(parseEther('0.1')) };
    expect(await connector.gasLimit(plain)).toBe(21_000n);
    expect(await connector.networkId()).toMatch(/^eip155:31337:0x[0-9a-f]{64}$/);
  });
});
