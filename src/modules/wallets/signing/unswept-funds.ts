import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';

/** What is known of credited money that still lies on addresses of wallets. */
export abstract class UnsweptFunds {
  /**
   * Whether the address holds money that its wallet was credited with. Asked in a transaction that has locked
   * the row of the address (FOR UPDATE), which every credit does too.
   */
  abstract holdsFunds(addressId: string, manager: EntityManager): Promise<boolean>;
}

/** Where no chain is connected, nothing is ever credited. */
@Injectable()
export class NoDeposits extends UnsweptFunds {
  override holdsFunds(): Promise<boolean> {
    return Promise.resolve(false);
  }
}
