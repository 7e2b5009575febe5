import { Scope } from '../../kit/security/scope.js';

export const BANKING_READ = new Scope('banking:read', 'read KYC records, payout accounts and payouts', {
  isForQueryLogIn: true,
});
export const BANKING_WRITE = new Scope('banking:write', 'submit KYC, create payout accounts and payouts', {
  movesMoney: true,
});
