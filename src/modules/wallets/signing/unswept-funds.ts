import type { EntityManager } from 'typeorm';

/** Credited money that still lies on addresses of wallets. */
export abstract class UnsweptFunds {
  /**
   * Whether the address holds money that its wallet was credited with. Asked in a transaction that has locked
   * the row of the address (FOR UPDATE), which every credit does too.
   */
  abstract holdsFunds(addressId: string, manager: EntityManager): Promise<boolean>;
}
