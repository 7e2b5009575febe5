import type { ReceiptKind } from '../../../kit/http/receipts/carried-receipt.js';
import type { ScopeRequirement } from '../../../kit/security/scopes.js';
import { READ_TRADING_REQUIREMENT } from '../../markets/orders/order-requirements.js';

/** The scopes for receipts, by their own routes and with the answers of others. */
export const RECEIPT_REQUIREMENTS = {
  accepted_order: READ_TRADING_REQUIREMENT,
  latest_order: READ_TRADING_REQUIREMENT,
  transfer: { anyOf: ['wallets:read', 'account:read'] },
  payout: { anyOf: ['banking:read'] },
} as const satisfies Record<ReceiptKind, ScopeRequirement>;
