import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { amount } from '../../../domain/money/amount.js';
import type { ChainConnector } from '../chains/chain-connector.js';
import { HouseAccounts } from './house-accounts.js';
import type { KnownChain } from './hot-wallets.js';
import { ThrottledLog } from './throttled-log.js';

const SENDS_PER_ROUND = 200;

/** Gas that the chain has taken and no customer pays for: booked from the house's account, once for each send. */
@Injectable()
export class HouseGas {
  private readonly quiet = new ThrottledLog();

  constructor(
    @InjectDataSource() private readonly database: DataSource,
    private readonly house: HouseAccounts,
  ) {}

  /** What the house cannot pay now stays unbooked, which the check of the books takes into account. */
  async book(connector: ChainConnector, { chain, houseAccountId }: KnownChain): Promise<void> {
    const native = connector.assets[0]!.code;
    const sends = await this.database.query<{ send_id: string; house_fee: string }[]>(
      `SELECT send_id, house_fee FROM chain_sends
       WHERE chain = $1 AND status = 'settled' AND house_fee > 0 AND NOT house_fee_booked
       ORDER BY send_id LIMIT $2`,
      [chain, SENDS_PER_ROUND],
    );
    for (const { send_id, house_fee } of sends) {
      await this.quiet.unlessChainFails({ send: send_id }, async () => {
        await this.house.payGas(chain, houseAccountId, native, amount(BigInt(house_fee)), send_id);
        await this.database.query('UPDATE chain_sends SET house_fee_booked = true WHERE send_id = $1', [
          send_id,
        ]);
      });
    }
  }
}
