import { Scope } from '../security/scope.js';

export const NEWS_WEBHOOKS = new Scope('news:webhooks', 'manage news webhooks');
