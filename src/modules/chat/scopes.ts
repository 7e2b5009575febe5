import { Scope } from '../../kit/security/scope.js';

export const CHAT_READ = new Scope('chat:read', 'read chat rooms', {
  german: 'Chaträume lesen',
  isForQueryLogIn: true,
});
export const CHAT_WRITE = new Scope('chat:write', 'write in chat rooms', {
  german: 'in Chaträumen schreiben',
  isForQueryLogIn: true,
});
