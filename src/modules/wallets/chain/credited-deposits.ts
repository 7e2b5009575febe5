import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UnsweptFunds } from '../signing/unswept-funds.js';

/** Money that wallets were credited with, or are being, lies on its address until a sweep of it is final. */
@Injectable()
export class CreditedDeposits extends UnsweptFunds {
  override async holdsFunds(addressId: string, manager: EntityManager): Promise<boolean> {
    const rows = await manager.query<unknown[]>(
      `SELECT 1 FROM chain_deposits
       WHERE address_id = $1 AND NOT swept AND status IN ('crediting', 'credited') LIMIT 1`,
      [addressId],
    );
    return rows.length > 0;
  }
}
