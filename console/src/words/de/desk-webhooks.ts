import type { Translation } from '../../../../src/domain/words/catalog.js';
import type { deskWebhooks as en } from '../en/desk-webhooks.js';

export const deskWebhooks: Translation<typeof en> = {
  title: 'Webhooks',
  none: 'Solche Webhooks gibt es nicht.',
  all: 'Alle Webhooks',
  owner: 'Inhaber',
  ownerHint: 'Wie das Prüfprotokoll sie nennt, etwa user:7.',
  address: 'Adresse',
  state: 'Status',
  states: { failing: 'Gestört', disabled: 'Abgeschaltet', active: 'Aktiv' },
  since: 'Seit',
  why: 'Grund',
  reasons: {
    owner: 'sein Inhaber wollte es so',
    gone: 'sein Empfänger ist verschwunden (410)',
    failing: 'seit Tagen wurde nichts zugestellt',
    credential: 'seine Zugangsdaten sind gelöscht',
  },
  events: 'Ereignisse',
  deliveries: 'Zustellungen',
  noDeliveries: 'Dergleichen wurde in den letzten 30 Tagen nicht gesendet.',
  answer: 'Letzte Antwort',
};
