import { Scope } from '../../../kit/security/scope.js';

export const MARKETS_TRADE = new Scope('markets:trade', 'trade on markets', {
  german: 'an Märkten handeln',
  movesMoney: true,
  isForQueryLogIn: true,
});
