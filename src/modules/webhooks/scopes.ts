import { Scope } from '../../kit/security/scope.js';

export const NEWS_WEBHOOKS = new Scope('news:webhooks', 'manage news webhooks', {
  german: 'Webhooks für Nachrichten verwalten',
});
