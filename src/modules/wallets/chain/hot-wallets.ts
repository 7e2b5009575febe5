import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { generatePrivateKey } from 'viem/accounts';
import { hexToBytes } from 'viem';
import { DataSource } from 'typeorm';
import type { ChainConnector } from '../chains/chain-connector.js';
import { SecretBox, type SecretPlace } from '../../../kit/vault/secret-box.js';
import { HouseAccounts } from './house-accounts.js';

/** A chain as the service has come to know it. */
export interface KnownChain {
  readonly chain: string;
  /** Where all that customers are sent leaves from, and where their deposits are swept to. */
  readonly hotAddress: string;
  /** The account of the core that pays for gas. */
  readonly houseAccountId: number;
  readonly headBlock: number;
  /** The last block whose deposits are recorded. */
  readonly scannedBlock: number;
  /** The offered gas price of the last poll; zero before the first. */
  readonly maxFeePerGas: bigint;
  readonly lookedAt: Date;
}

interface ChainRow {
  readonly chain: string;
  readonly network_id: string;
  readonly hot_address: string;
  readonly house_account_id: string;
  readonly head_block: string;
  readonly scanned_block: string;
  readonly max_fee_per_gas: string;
  readonly looked_at: Date;
}

const COLUMNS = `chain, network_id, hot_address, house_account_id, head_block, scanned_block, max_fee_per_gas,
  looked_at`;

/** By so much the clocks of the database and of a chain may differ. */
const CLOCKS_DIFFER_MS_MAX = 10 * 60_000;

/** The hot wallet of each chain: made at the first contact with it, its key sealed like every other. */
@Injectable()
export class HotWallets {
  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly secrets: SecretBox,
    private readonly house: HouseAccounts,
  ) {}

  /** Undefined before the first contact with the chain. */
  async find(chain: string): Promise<KnownChain | undefined> {
    const row = await this.row(chain);
    return row && toKnownChain(row);
  }

  /**
   * The chain, made known where it is not yet. Throws where the node is one of another network than the
   * first one was: money on a test network is none; and where a token has other decimals than the settings say, since
   * every amount of it would be wrong.
   */
  async open(connector: ChainConnector): Promise<KnownChain> {
    const networkId = await connector.networkId();
    const row = (await this.row(connector.chain)) ?? (await this.create(connector, networkId));
    if (row.network_id !== networkId) {
      throw new Error(
        `the node of ${row.chain} is on the network ${networkId}, but this service deals with ${row.network_id}`,
      );
    }
    await requireDecimals(connector);
    return toKnownChain(row);
  }

  /** Notes what the chain looked like just now. */
  async noteLook(chain: string, head: number, maxFeePerGas: bigint): Promise<KnownChain> {
    await this.database.query(
      'UPDATE chains SET head_block = $2, max_fee_per_gas = $3, looked_at = now() WHERE chain = $1',
      [chain, head, maxFeePerGas.toString()],
    );
    return toKnownChain((await this.row(chain))!);
  }

  /** Lends the hot wallet's private key to `work`, and wipes it. */
  async withKey<T>(chain: string, work: (privateKey: Uint8Array) => Promise<T>): Promise<T> {
    const rows = await this.database.query<{ sealed_hot_key: Buffer }[]>(
      'SELECT sealed_hot_key FROM chains WHERE chain = $1',
      [chain],
    );
    const privateKey = await this.secrets.open(rows[0]!.sealed_hot_key, placeOf(chain));
    try {
      return await work(privateKey);
    } finally {
      privateKey.fill(0);
    }
  }

  private async row(chain: string): Promise<ChainRow | undefined> {
    const rows = await this.database.query<ChainRow[]>(`SELECT ${COLUMNS} FROM chains WHERE chain = $1`, [
      chain,
    ]);
    return rows[0];
  }

  /**
   * Blocks that may still be reorganised are read, so that the last one remembered is there for good; and all since the
   * first address was given out, which older versions did before they had seen the chain.
   */
  private async startOf(connector: ChainConnector, head: number): Promise<number> {
    const [{ given }] = await this.database.query<[{ given: Date | null }]>(
      `SELECT min(created_at) AS given FROM wallet_addresses WHERE chain = $1 AND purpose = 'deposit'`,
      [connector.chain],
    );
    const recent = head - connector.confirmations + 1;
    if (given === null) return recent;
    const since = await connector.firstBlockSince(new Date(given.getTime() - CLOCKS_DIFFER_MS_MAX));
    return Math.min(recent, since);
  }

  private async create(connector: ChainConnector, networkId: string): Promise<ChainRow> {
    const { chain } = connector;
    const head = await connector.head();
    const scanned = Math.max(0, (connector.startBlock ?? (await this.startOf(connector, head))) - 1);
    const block = await connector.block(scanned);
    if (block === null) throw new Error(`the node of ${chain} has no block ${scanned} to start from`);
    const houseAccountId = await this.house.open(chain);
    const privateKey = hexToBytes(generatePrivateKey());
    try {
      await this.database.transaction(async (manager) => {
        const sealed = await this.secrets.seal(privateKey, placeOf(chain), manager);
        await manager.query(
          `INSERT INTO chains (chain, network_id, hot_address, sealed_hot_key, house_account_id, head_block,
             scanned_block, max_fee_per_gas, looked_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, 0, now()) ON CONFLICT DO NOTHING`,
          [chain, networkId, connector.addressOf(privateKey), sealed, houseAccountId, head, scanned],
        );
        await manager.query(
          'INSERT INTO chain_blocks (chain, number, hash) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
          [chain, scanned, block.hash],
        );
      });
    } finally {
      privateKey.fill(0);
    }
    return (await this.row(chain))!;
  }
}

async function requireDecimals(connector: ChainConnector): Promise<void> {
  for (const { code, decimals } of connector.assets) {
    const actual = await connector.decimalsOf(code);
    if (actual === null || actual === decimals) continue;
    throw new Error(
      `${code} has ${actual} decimals on ${connector.chain}, and ${decimals} by the settings: correct them, such as CHAIN_ETHEREUM_TOKENS`,
    );
  }
}

function placeOf(chain: string): SecretPlace {
  return { table: 'chains', row: chain, column: 'sealed_hot_key' };
}

function toKnownChain(row: ChainRow): KnownChain {
  return {
    chain: row.chain,
    hotAddress: row.hot_address,
    houseAccountId: Number(row.house_account_id),
    headBlock: Number(row.head_block),
    scannedBlock: Number(row.scanned_block),
    maxFeePerGas: BigInt(row.max_fee_per_gas),
    lookedAt: row.looked_at,
  };
}
