import type { ReceiptKind } from '../../../kit/http/receipts/carried-receipt.js';
import type { ScopeRequirement } from '../../../kit/security/scope.js';
import { READ_TRADING_REQUIREMENT } from '../../markets/orders/order-requirements.js';
import { WALLETS_READ } from '../../wallets/scopes.js';
import { ACCOUNT_READ } from '../../accounts/scopes.js';
import { BANKING_READ } from '../../banking/scopes.js';

/** The scopes for receipts, by their own routes and with the answers of others. */
export const RECEIPT_REQUIREMENTS = {
  accepted_order: READ_TRADING_REQUIREMENT,
  latest_order: READ_TRADING_REQUIREMENT,
  transfer: { anyOf: [WALLETS_READ, ACCOUNT_READ] },
  payout: { anyOf: [BANKING_READ] },
} as const satisfies Record<ReceiptKind, ScopeRequirement>;
