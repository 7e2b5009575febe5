import { Scope } from '../../kit/security/scope.js';

export const STORE_WRITE = new Scope('store:write', 'place, read and delete orders of pets', {
  german: 'Bestellungen von Tieren aufgeben, lesen und löschen',
  isForQueryLogIn: true,
});
