import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { CoreService } from '../../../core/core.service.js';
import { type ReceiptOutcome, Receipts, type Subject } from '../../../core/proof/receipts.js';
import type { Receipt } from '../../../domain/proof/receipt.js';
import type { StatedChange } from '../../../domain/proof/statement.js';
import { PG_POOL } from '../../../kit/database/pg-pool.js';
import { NOT_FOUND, TEMPORARILY_UNAVAILABLE } from '../../../kit/http/error-codes.js';
import { ApiError } from '../../../kit/http/errors.js';
import type { Principal } from '../../../kit/security/principal.js';
import { PayoutsService } from '../../banking/payouts/payouts.service.js';
import { AccountAccessService } from '../../accounts/access/account-access.service.js';
import { OrderHistoryService } from '../../markets/orders/order-history.service.js';
import { TransfersService } from '../../wallets/transfers/transfers.service.js';
import { TRADE_IDS } from '../../markets/names/ids.js';
import { TRANSFER_IDS } from '../../wallets/ids.js';
import { ACCOUNT_IDS } from '../../accounts/ids.js';

/** What the core was asked for about a transfer or a payout, in the keys of the requests. */
const BOOKINGS = ['move', 'credit', 'hold', 'pay', 'release', 'reverse'] as const;

/**
 * Receipts of what the caller may see. All methods throw `not_found` for what has left the journal’s table and is not in
 * the archive’s folder, `temporarily_unavailable` for what is not in a signed head yet or in a damaged file of the archive,
 * and `rate_limited` where too many ask for what is archived.
 */
@Injectable()
export class ReceiptsService {
  constructor(
    private readonly receipts: Receipts,
    private readonly core: CoreService,
    private readonly access: AccountAccessService,
    private readonly orders: OrderHistoryService,
    private readonly transfers: TransfersService,
    private readonly payouts: PayoutsService,
    @Inject(PG_POOL) private readonly pool: Pool,
  ) {}

  /** Of the commit that accepted the order, or of the last one that changed it. Throws `order_not_found`. */
  async ofOrder(principal: Principal, id: string, of: 'accepted' | 'latest'): Promise<Receipt> {
    if (of === 'latest') await this.core.projected();
    const { accountId, orderId, updatedAtMs } = await this.orders.find(principal, id, 'read');
    const subject = { accountId };
    if (of === 'accepted') return shown(await this.receipts.at(orderId, subject));
    const isOfOrder = ({ table, row }: StatedChange): boolean =>
      table === 'orders' && row.order_id === orderId;
    return shown(await this.receipts.lastAt(updatedAtMs, subject, ({ changes }) => changes.some(isOfOrder)));
  }

  /** Of the commit that holds a place of the sequence, or of the last one. Throws `account_not_found`. */
  async ofAccount(principal: Principal, account: string, sequence: number | undefined): Promise<Receipt> {
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    const at = sequence ?? (await this.lastChangeOf(accountId));
    if (at === undefined) throw new ApiError(NOT_FOUND, 'Nothing has changed the account yet.');
    return shown(await this.receipts.at(at, { accountId }));
  }

  /** Anybody's. Throws `not_found`. */
  async ofTrade(marketId: string, id: string): Promise<Receipt> {
    const tradeId = TRADE_IDS.parse(id);
    if (tradeId === undefined) throw notThere();
    return shown(await this.receipts.at(tradeId, { marketId }));
  }

  /** Of the last that was booked of it. Throws `account_not_found`, `not_found`. */
  async ofTransfer(principal: Principal, account: string, id: string): Promise<Receipt> {
    await this.transfers.getOfAccount(principal, account, id);
    const accountId = await this.access.accountIdOf(principal, account, 'read');
    return this.ofBookings('transfer', String(TRANSFER_IDS.parse(id)), { accountId });
  }

  /** Of the last that was booked of it. Throws `not_found`. */
  async ofPayout(principal: Principal, id: string): Promise<Receipt> {
    const { account_id } = await this.payouts.get(principal, id);
    return this.ofBookings('payout', id, { accountId: ACCOUNT_IDS.parse(account_id)! });
  }

  private async ofBookings(owner: string, id: string, subject: Subject): Promise<Receipt> {
    const keys = BOOKINGS.map((booking) => `${id}:${booking}`);
    const outcome = await this.receipts.ofRequests(owner, keys, subject);
    if (outcome === null) throw new ApiError(NOT_FOUND, 'Nothing was booked of it yet.');
    return shown(outcome);
  }

  private async lastChangeOf(accountId: number): Promise<number | undefined> {
    await this.core.projected();
    const { rows } = await this.pool.query<{ ledger_sequence: string }>(
      'SELECT ledger_sequence FROM account_changes WHERE account_id = $1 ORDER BY sequence DESC LIMIT 1',
      [accountId],
    );
    return rows[0] && Number(rows[0].ledger_sequence);
  }
}

function shown(outcome: ReceiptOutcome): Receipt {
  if ('receipt' in outcome) return outcome.receipt;
  if (outcome.missing === 'pending')
    throw new ApiError(
      TEMPORARILY_UNAVAILABLE,
      'The journal’s next head is being signed. Try again in a moment.',
    );
  if (outcome.missing === 'unreadable')
    throw new ApiError(
      TEMPORARILY_UNAVAILABLE,
      'The row is in a file of the journal’s archive that cannot be read, or is not what was written. The service’s log names it: who runs the service can put a copy in its place.',
    );
  throw notThere();
}

function notThere(): ApiError {
  return new ApiError(
    NOT_FOUND,
    'The journal has no such row, or it is in a part of the archive that the service cannot look into: who runs the service can.',
  );
}
