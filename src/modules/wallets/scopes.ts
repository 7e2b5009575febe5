import { Scope } from '../../kit/security/scope.js';

export const WALLETS_READ = new Scope('wallets:read', 'read wallets and their transfers', {
  german: 'Wallets und ihre Überweisungen lesen',
  isForQueryLogIn: true,
});
export const WALLETS_WRITE = new Scope('wallets:write', 'create wallets, addresses and transfers', {
  german: 'Wallets, Adressen und Überweisungen anlegen',
  movesMoney: true,
});
export const WALLETS_SIGN = new Scope('wallets:sign', 'sign with wallet keys', {
  german: 'mit Schlüsseln von Wallets signieren',
  movesMoney: true,
});
