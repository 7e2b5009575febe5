import { Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import {
  ChainMoved,
  type ChainBlock,
  type ChainConnector,
  type IncomingTransfer,
} from '../chains/chain-connector.js';
import type { KnownChain } from './hot-wallets.js';

const BLOCKS_PER_STEP = 50;
const BLOCKS_READ_AT_ONCE = 8;
/** How far back a reorganisation can be followed; no chain that is worth holding money on ever went so far. */
const BLOCKS_REMEMBERED = 2_000;

/**
 * Reads the chain block by block and records what arrived at addresses of wallets and at the hot wallet. The
 * cursor, the hashes of the blocks and the deposits in them change together, so that nothing is missed or
 * recorded twice, whenever the process ends. A block whose parent is not the one before it tells of a
 * reorganisation: then what the vanished blocks held is taken back, and the new ones are read.
 *
 * Of the chain's own asset it sees the payments that transactions make themselves; what contracts pay is for
 * `InternalTransactions` to find.
 */
@Injectable()
export class DepositScan {
  private readonly logger = new Logger('Chain');

  constructor(@InjectDataSource() private readonly database: DataSource) {}

  /** Reads on for a bounded number of blocks; answers whether there are more. */
  async step(connector: ChainConnector, known: KnownChain, head: number): Promise<boolean> {
    const scanned = await this.scannedBlock(known.chain);
    if (await this.undoReorganisation(connector, scanned, head)) return true;

    const last = Math.min(head, scanned + BLOCKS_PER_STEP);
    if (last <= scanned) return false;
    const blocks = await readBlocks(connector, scanned + 1, last);
    const before = await this.hashOf(known.chain, scanned);
    if (blocks[0]!.parentHash !== before) throw new ChainMoved('a block was replaced');

    const incoming = await connector.incoming(blocks, (addresses) => this.ownAmong(known, addresses));
    await this.database.transaction((manager) => record(manager, known, scanned, blocks, incoming));
    return last < head;
  }

  /** The number of credited deposits that are in no block any more: losses of the house. */
  async orphanedCredits(chain: string): Promise<number> {
    const [row] = await this.database.query<{ count: string }[]>(
      `SELECT count(*) FROM chain_deposits WHERE chain = $1 AND orphaned AND status IN ('crediting', 'credited')`,
      [chain],
    );
    return Number(row!.count);
  }

  private async undoReorganisation(
    connector: ChainConnector,
    scanned: number,
    head: number,
  ): Promise<boolean> {
    const { chain } = connector;
    let common = Math.min(scanned, head);
    for (;;) {
      const remembered = await this.hashOf(chain, common);
      if (remembered === undefined) {
        throw new Error(`${chain} was reorganised below block ${common}, further back than is remembered`);
      }
      const block = await connector.block(common);
      if (block?.hash === remembered) break;
      common--;
    }
    // A node that is merely behind has the same blocks, only fewer.
    if (common === Math.min(scanned, head)) return false;
    this.logger.warn({ chain, from: common + 1, to: scanned, msg: 'the chain was reorganised' });
    await this.database.transaction((manager) => takeBack(manager, chain, common));
    return true;
  }

  private async scannedBlock(chain: string): Promise<number> {
    const [row] = await this.database.query<{ scanned_block: string }[]>(
      'SELECT scanned_block FROM chains WHERE chain = $1',
      [chain],
    );
    return Number(row!.scanned_block);
  }

  private async hashOf(chain: string, number: number): Promise<string | undefined> {
    const [row] = await this.database.query<{ hash: string }[]>(
      'SELECT hash FROM chain_blocks WHERE chain = $1 AND number = $2',
      [chain, number],
    );
    return row?.hash;
  }

  /** Asked after the blocks were read: an address that money was sent to had been given out before. */
  private async ownAmong(known: KnownChain, addresses: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.database.query<{ address: string }[]>(
      'SELECT address FROM wallet_addresses WHERE chain = $1 AND address = ANY($2)',
      [known.chain, addresses],
    );
    const own = new Set(rows.map(({ address }) => address));
    if (addresses.includes(known.hotAddress)) own.add(known.hotAddress);
    return own;
  }
}

async function readBlocks(connector: ChainConnector, first: number, last: number): Promise<ChainBlock[]> {
  const blocks: ChainBlock[] = [];
  for (let from = first; from <= last; from += BLOCKS_READ_AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(BLOCKS_READ_AT_ONCE, last - from + 1) },
      (_, i) => from + i,
    );
    for (const block of await Promise.all(numbers.map((number) => connector.block(number)))) {
      if (block === null) throw new ChainMoved('a block below the head is missing');
      const before = blocks.at(-1);
      if (before !== undefined && block.parentHash !== before.hash) {
        throw new ChainMoved(`block ${block.number} does not follow the one before`);
      }
      blocks.push(block);
    }
  }
  return blocks;
}

async function record(
  manager: EntityManager,
  { chain, hotAddress }: KnownChain,
  scanned: number,
  blocks: readonly ChainBlock[],
  incoming: readonly IncomingTransfer[],
): Promise<void> {
  const [, moved] = await manager.query<[unknown, number]>(
    'UPDATE chains SET scanned_block = $3 WHERE chain = $1 AND scanned_block = $2',
    [chain, scanned, blocks.at(-1)!.number],
  );
  if (moved !== 1) throw new Error(`another process reads ${chain}`);
  await manager.query(
    'INSERT INTO chain_blocks (chain, number, hash) SELECT $1, * FROM unnest($2::bigint[], $3::text[])',
    [chain, blocks.map(({ number }) => number), blocks.map(({ hash }) => hash)],
  );
  await manager.query('DELETE FROM chain_blocks WHERE chain = $1 AND number < $2', [
    chain,
    blocks.at(-1)!.number - BLOCKS_REMEMBERED,
  ]);
  for (const transfer of incoming) await recordTransfer(manager, chain, hotAddress, transfer);
}

/**
 * Sweeps and their gas move money between own addresses, so they are no deposits; a customer's transfer to another
 * customer's address is both. A deposit that a reorganisation moved to another block stays the same deposit.
 */
async function recordTransfer(
  manager: EntityManager,
  chain: string,
  hotAddress: string,
  { txHash, position, asset, amount, from, to, block }: IncomingTransfer,
): Promise<void> {
  await manager.query(
    `INSERT INTO chain_deposits AS d
       (chain, tx_hash, position, asset, amount, source, address, address_id, block_number, block_hash)
     SELECT $1, $2, $3, $4, $5, $6, $7::text, a.address_id, $8, $9
     FROM (SELECT 1) AS one LEFT JOIN wallet_addresses a ON a.chain = $1 AND a.address = $7
     WHERE (a.address_id IS NOT NULL OR $7 = $10)
       AND NOT EXISTS (
         SELECT 1 FROM chain_candidates c JOIN chain_sends s ON s.send_id = c.send_id
         WHERE c.chain = $1 AND c.tx_hash = $2 AND s.kind <> 'transfer')
     ON CONFLICT ON CONSTRAINT chain_deposits_once DO UPDATE SET
       block_number = EXCLUDED.block_number, block_hash = EXCLUDED.block_hash, orphaned = false,
       amount = CASE WHEN d.status = 'seen' THEN EXCLUDED.amount ELSE d.amount END, updated_at = now()`,
    [chain, txHash, position, asset, amount.toString(), from, to, block.number, block.hash, hotAddress],
  );
  await manager.query(
    'UPDATE wallet_addresses SET funded_at = now() WHERE chain = $1 AND address = $2 AND funded_at IS NULL',
    [chain, to],
  );
}

/** Reverts the blocks above `common`; a transaction that was final in them must be sent again. */
async function takeBack(manager: EntityManager, chain: string, common: number): Promise<void> {
  await manager.query('UPDATE chains SET scanned_block = $2 WHERE chain = $1', [chain, common]);
  await manager.query('DELETE FROM chain_blocks WHERE chain = $1 AND number > $2', [chain, common]);
  await manager.query(
    'UPDATE chain_deposits SET orphaned = true, updated_at = now() WHERE chain = $1 AND block_number > $2',
    [chain, common],
  );
  await manager.query(
    `UPDATE chain_sends SET status = 'broadcasting', tx_hash = NULL, updated_at = now()
     WHERE chain = $1 AND status = 'settled' AND block_number > $2`,
    [chain, common],
  );
}
