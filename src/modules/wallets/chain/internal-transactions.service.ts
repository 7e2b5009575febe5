import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { amount } from '../../../domain/money/amount.js';
import type { ChainConnector } from '../chains/chain-connector.js';
import type { KnownChain } from './hot-wallets.js';
import { ThrottledLog } from './throttled-log.js';

/** Each is a question to the node, every poll. */
const ADDRESSES_PER_POLL = 5;

interface AddressRow {
  readonly address_id: string;
  readonly address: string;
  readonly expected: string;
}

/**
 * Finds what contracts have paid. In the chain's own asset such transfers (internal transactions) are in no block's
 * list and leave no log, so they are found by balance: what an address has in the newest final block, beyond what
 * its deposits, sweeps and gas explain, is recorded as a deposit of that block. The addresses are asked about
 * one after the other, over and over; with very many, such money takes a while to be seen, and is never lost.
 */
@Injectable()
export class InternalTransactions {
  private readonly quiet = new ThrottledLog();
  /** Where the next poll continues, by chain. */
  private readonly lastAddressIds = new Map<string, string>();

  constructor(@InjectDataSource() private readonly database: DataSource) {}

  async step(connector: ChainConnector, known: KnownChain): Promise<void> {
    const { chain } = known;
    const block = known.scannedBlock - connector.confirmations + 1;
    const native = connector.assets[0]!.code;
    const addresses = await this.next(chain, native, block);
    // A short page was the last one: restart from the beginning.
    const last = addresses.length < ADDRESSES_PER_POLL ? '0' : addresses.at(-1)!.address_id;
    this.lastAddressIds.set(chain, last);
    for (const row of addresses) {
      const has = await connector.balance(row.address, native, block);
      const surplus = amount(has - BigInt(row.expected));
      if (surplus > 0n) await this.record(connector, row, native, surplus.toString(), block);
      if (surplus < 0n)
        this.quiet.error({ chain, address: row.address }, 'an address has less than it should');
    }
  }

  /** Addresses with nothing under way, and what each should have at the end of the block. */
  private next(chain: string, native: string, block: number): Promise<AddressRow[]> {
    return this.database.query<AddressRow[]>(
      `SELECT a.address_id, a.address, (
         coalesce((SELECT sum(d.amount) FROM chain_deposits d
           WHERE d.address_id = a.address_id AND d.asset = $3 AND NOT d.orphaned AND d.block_number <= $4), 0)
         + coalesce((SELECT sum(c.amount) FROM chain_sends s
             JOIN chain_candidates c ON c.chain = s.chain AND c.tx_hash = s.tx_hash
           WHERE s.chain = $1 AND s.kind = 'top_up' AND s.recipient = a.address AND s.succeeded), 0)
         - coalesce((SELECT sum(s.fee_paid + CASE WHEN s.asset = $3 AND s.succeeded THEN c.amount ELSE 0 END)
             FROM chain_sends s JOIN chain_candidates c ON c.chain = s.chain AND c.tx_hash = s.tx_hash
           WHERE s.chain = $1 AND s.sender = a.address), 0))::text AS expected
       FROM wallet_addresses a
       WHERE a.chain = $1 AND a.address_id > $2
         AND NOT EXISTS (SELECT 1 FROM chain_sends s WHERE s.chain = $1 AND s.status <> 'settled'
           AND (s.sender = a.address OR s.recipient = a.address))
       ORDER BY a.address_id LIMIT $5`,
      [chain, this.lastAddressIds.get(chain) ?? '0', native, block, ADDRESSES_PER_POLL],
    );
  }

  private async record(
    { chain }: ChainConnector,
    { address, address_id }: AddressRow,
    asset: string,
    surplus: string,
    block: number,
  ): Promise<void> {
    await this.database.query(
      `INSERT INTO chain_deposits
         (chain, tx_hash, position, asset, amount, source, address, address_id, block_number, block_hash)
       SELECT $1, $2, 0, $3, $4, 'contract', $5, $6, number, hash FROM chain_blocks WHERE chain = $1 AND number = $7
       ON CONFLICT ON CONSTRAINT chain_deposits_once DO NOTHING`,
      [chain, `balance:${address}:${block}`, asset, surplus, address, address_id, block],
    );
    await this.database.query(
      'UPDATE wallet_addresses SET funded_at = now() WHERE address_id = $1 AND funded_at IS NULL',
      [address_id],
    );
  }
}
