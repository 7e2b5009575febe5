import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { amount, formatAmount, type Amount } from '../../../domain/money/amount.js';
import type { ChainConnector } from '../chains/chain-connector.js';
import { findMined, loadSends, type MinedSend, type Send } from './send-rows.js';

/** One asset's money on a chain against the ledger, as of one block. */
export interface ChainAssetCheck {
  readonly asset: string;
  /** What the hot wallet has. */
  readonly hot: Amount;
  /** What lies on addresses of wallets. */
  readonly onAddresses: Amount;
  /** The ledger's sum for the chain: the other side of the rail's account. */
  readonly ledger: Amount;
  /** Deposits that are not in the ledger yet. */
  readonly arriving: Amount;
  /** Amounts sent by transactions, gas included, that the ledger does not reflect yet. */
  readonly leaving: Amount;
  /** hot + onAddresses − (ledger + arriving − leaving): zero in books that balance. */
  readonly difference: Amount;
}

export interface ChainCheckResult {
  readonly chain: string;
  readonly balanced: boolean;
  /** The block as of which all this is. */
  readonly block: number;
  readonly assets: readonly ChainAssetCheck[];
  /** What does not add up, in words. */
  readonly problems: readonly string[];
}

/** What the tables say at one moment. */
interface Books {
  readonly hotAddress: string;
  readonly block: number;
  readonly addresses: readonly string[];
  readonly ledger: ReadonlyMap<string, bigint>;
  readonly arriving: ReadonlyMap<string, bigint>;
  readonly unbookedGas: bigint;
  readonly live: readonly Send[];
  readonly orphanedCredits: number;
}

const BALANCES_ASKED_AT_ONCE = 8;
/** The core and these records commit separately: a difference between the two commits is gone a moment later. */
const TRIES_MAX = 5;
const TRY_AGAIN_MS = 300;

/**
 * Checks that the money on a chain matches the ledger: hot wallet + addresses = what the chain's rail owes, except for
 * movements that are not booked yet. Read-only.
 */
@Injectable()
export class ChainCheck {
  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** Null before the first contact with the chain. Rejects with `ChainUnavailable` as the connector does. */
  async check(connector: ChainConnector): Promise<ChainCheckResult | null> {
    let result = await this.checkOnce(connector);
    for (let tries = 1; result?.balanced === false && tries < TRIES_MAX; tries++) {
      await delay(TRY_AGAIN_MS);
      result = await this.checkOnce(connector);
    }
    return result;
  }

  private async checkOnce(connector: ChainConnector): Promise<ChainCheckResult | null> {
    const books = await this.database.transaction('REPEATABLE READ', (manager) =>
      readBooks(manager, connector.chain),
    );
    if (books === null) return null;
    const mined: MinedSend[] = [];
    for (const send of books.live) {
      const one = await findMined(connector, send);
      if (one !== null && one.inclusion.blockNumber <= books.block) mined.push(one);
    }
    const assets: ChainAssetCheck[] = [];
    for (const { code } of connector.assets) assets.push(await checkAsset(connector, books, mined, code));
    const problems = assets
      .filter(({ difference }) => difference !== 0n)
      .map(
        ({ asset, difference }) =>
          `${formatAmount(difference)} ${asset} more on the chain than in the books.`,
      );
    if (books.orphanedCredits > 0) {
      problems.push(`${books.orphanedCredits} credited deposits are in no block any more.`);
    }
    const { chain } = connector;
    return { chain, balanced: problems.length === 0, block: books.block, assets, problems };
  }
}

async function checkAsset(
  connector: ChainConnector,
  books: Books,
  mined: readonly MinedSend[],
  asset: string,
): Promise<ChainAssetCheck> {
  const isNative = asset === connector.assets[0]!.code;
  const hot = await connector.balance(books.hotAddress, asset, books.block);
  const onAddresses = await sumOfBalances(connector, books.addresses, asset, books.block);
  let leaving = isNative ? books.unbookedGas : 0n;
  for (const { send, candidate, inclusion } of mined) {
    if (isNative) leaving += inclusion.feePaid;
    // Sweeps and what they need stay with the house.
    if (send.kind === 'transfer' && send.asset === asset && inclusion.succeeded) leaving += candidate.amount;
  }
  const ledger = books.ledger.get(asset) ?? 0n;
  const arriving = books.arriving.get(asset) ?? 0n;
  return {
    asset,
    hot,
    onAddresses,
    ledger: amount(ledger),
    arriving: amount(arriving),
    leaving: amount(leaving),
    difference: amount(hot + onAddresses - (ledger + arriving - leaving)),
  };
}

async function sumOfBalances(
  connector: ChainConnector,
  addresses: readonly string[],
  asset: string,
  block: number,
): Promise<Amount> {
  let sum = 0n;
  for (let first = 0; first < addresses.length; first += BALANCES_ASKED_AT_ONCE) {
    const some = addresses.slice(first, first + BALANCES_ASKED_AT_ONCE);
    const balances = await Promise.all(some.map((address) => connector.balance(address, asset, block)));
    for (const balance of balances) sum += balance;
  }
  return amount(sum);
}

async function readBooks(manager: EntityManager, chain: string): Promise<Books | null> {
  const [row] = await manager.query<{ hot_address: string; scanned_block: string }[]>(
    'SELECT hot_address, scanned_block FROM chains WHERE chain = $1',
    [chain],
  );
  if (row === undefined) return null;
  const ledger = await manager.query<AssetSum[]>(
    `SELECT b.asset, (-(b.available + b.held))::text AS amount FROM balances b
     JOIN accounts a ON a.account_id = b.account_id WHERE a.kind = 'external' AND a.name = $1`,
    [chain],
  );
  const arriving = await manager.query<AssetSum[]>(
    `SELECT asset, sum(amount)::text AS amount FROM chain_deposits
     WHERE chain = $1 AND status <> 'credited' AND NOT orphaned GROUP BY asset`,
    [chain],
  );
  const [gas] = await manager.query<{ amount: string }[]>(
    `SELECT coalesce(sum(house_fee), 0)::text AS amount FROM chain_sends
     WHERE chain = $1 AND status = 'settled' AND house_fee > 0 AND NOT house_fee_booked`,
    [chain],
  );
  const [orphans] = await manager.query<{ count: string }[]>(
    `SELECT count(*) FROM chain_deposits WHERE chain = $1 AND orphaned AND status = 'credited'`,
    [chain],
  );
  // An address keeps what its token sweeps left of their gas.
  const addresses = await manager.query<{ address: string }[]>(
    `SELECT address FROM chain_deposits WHERE chain = $1 AND NOT swept AND address_id IS NOT NULL
     UNION SELECT recipient FROM chain_sends WHERE chain = $1 AND kind = 'top_up'
     UNION SELECT address FROM chain_sweeps WHERE chain = $1 AND status NOT IN ('done', 'failed')`,
    [chain],
  );
  return {
    hotAddress: row.hot_address,
    block: Number(row.scanned_block),
    addresses: addresses.map(({ address }) => address),
    ledger: sumsByAsset(ledger),
    arriving: sumsByAsset(arriving),
    unbookedGas: BigInt(gas!.amount),
    live: await loadSends(manager, `chain = $1 AND status <> 'settled'`, [chain]),
    orphanedCredits: Number(orphans!.count),
  };
}

interface AssetSum {
  readonly asset: string;
  readonly amount: string;
}

function sumsByAsset(rows: readonly AssetSum[]): ReadonlyMap<string, bigint> {
  return new Map(rows.map(({ asset, amount: units }) => [asset, BigInt(units)]));
}
