import { Scope } from '../../kit/security/scope.js';

export const READ_PETS = new Scope('read:pets', 'read pets', {
  isForQueryLogIn: true,
  isForImplicitGrant: true,
});
export const WRITE_PETS = new Scope('write:pets', 'modify pets', {
  isForQueryLogIn: true,
  isForImplicitGrant: true,
});
