import type { Translation } from '../../../../src/domain/words/catalog.js';
import type { eventGroups as en } from '../en/event-groups.js';

export const eventGroups: Translation<typeof en> = {
  title: 'Ereignisgruppen',
  parts: { all: 'Ereignisgruppen', create: 'Gruppe anlegen' },
  none: 'Es gibt keine Ereignisgruppe.',
  id: 'Gruppenkürzel',
  name: 'Titel',
  markets: 'Märkte',
  marketsHint:
    'Ihre Kürzel, durch Leerzeichen oder Kommas getrennt: 2 bis 50 Ereignismärkte, in denen noch niemand gehandelt hat.',
  winner: 'Gewinner',
  created: 'Angelegt',
  back: 'Alle Ereignisgruppen',
  market: 'Markt',
  state: 'Status',
  last: 'Letzter Preis',
  interest: 'Offene Kontrakte',
  settlement: 'Abrechnung',
  wins: 'Der Markt, der gewinnt',
  choose: 'Markt wählen',
  preview: 'Vorschau',
  settle: 'Gruppe abrechnen',
  settleWhat:
    '{winner} wird zu 1 abgerechnet und alle anderen zu 0, wie die Vorschau zeigt. Beim Vier-Augen-Prinzip wird es zuerst vorgeschlagen.',
  proposed: 'Es ist vorgeschlagen: Ein anderer Mitarbeiter muss es in der Verwaltung freigeben.',
  toLongs: 'An die, die in {market} long sind',
  toShorts: 'An die, die in den anderen short sind',
  notYet: 'Schließen Sie zuerst alle ihre Märkte; dann kann die Gruppe abgerechnet werden.',
  settled: 'Abgerechnet: {winner} hat gewonnen.',
  sets: 'Sätze',
  setsHint:
    'Ein Satz ist ein Kontrakt in jedem Markt der Gruppe. Genau einer davon zahlt, daher ist ein Satz 1 {asset} wert.',
  size: 'Anzahl der Sätze',
  split: 'Geld in Sätze tauschen',
  merge: 'Sätze in Geld tauschen',
  didSplit: 'Sie haben {size} Sätze gekauft.',
  didMerge: '{size} Sätze sind zu Geld geworden.',
  others: 'Märkte dieser Gruppe',
};
