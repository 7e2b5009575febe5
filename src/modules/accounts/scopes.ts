import { Scope } from '../../kit/security/scope.js';

export const ACCOUNT_READ = new Scope('account:read', 'read orders, fills, balances and positions', {
  german: 'Orders, Ausführungen, Guthaben und Positionen lesen',
  isForQueryLogIn: true,
});
