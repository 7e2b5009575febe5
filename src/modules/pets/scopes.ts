import { Scope } from '../../kit/security/scope.js';

export const READ_PETS = new Scope('read:pets', 'read pets', {
  german: 'Tiere lesen',
  isForQueryLogIn: true,
  isForImplicitGrant: true,
});
export const WRITE_PETS = new Scope('write:pets', 'modify pets', {
  german: 'Tiere ändern',
  isForQueryLogIn: true,
  isForImplicitGrant: true,
});
