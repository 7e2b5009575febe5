import { Scope } from '../../kit/security/scope.js';

export const BANKING_READ = new Scope('banking:read', 'read KYC records, payout accounts and payouts', {
  german: 'Identitätsangaben, Bankkonten und Auszahlungen lesen',
  isForQueryLogIn: true,
});
export const BANKING_WRITE = new Scope('banking:write', 'submit KYC, create payout accounts and payouts', {
  german: 'Identität angeben, Bankkonten hinterlegen und Auszahlungen veranlassen',
  movesMoney: true,
});
