import type { Translation } from '../../../../src/domain/words/catalog.js';
import type { limits as en } from '../en/limits.js';

export const limits: Translation<typeof en> = {
  title: 'Ihre Limits',
  why: 'Ein Limit bindet Sie an das, was Sie jetzt entscheiden. Ein engeres gilt sofort, ein weiteres nach einem Tag.',
  none: 'Dieses Konto hat keine Limits.',
  kind: 'Wofür',
  kinds: { stake: 'Einsätze in Ereignismärkten', loss: 'Nettoverluste', deposit: 'Einzahlungen' },
  period: 'Zeitraum',
  periods: { day: 'Tag', week: 'Woche', month: 'Monat' },
  asset: 'Währung',
  amount: 'Höchstens',
  used: 'Verbraucht',
  remaining: 'Übrig',
  next: 'Beginnt neu',
  changes: 'Änderungen',
  becomes: 'auf {amount}',
  ends: 'endet',
  actions: 'Aktionen',
  remove: 'Beenden',
  removeWhat: 'Das Limit gilt noch einen Tag und endet dann.',
  set: 'Limit setzen',
  isSet: 'Das Limit gilt.',
  waits: 'Das weitere Limit wartet einen Tag. Bis dahin gilt das engere.',
  exclusion: 'Sich selbst ausschließen',
  exclusionWhy: 'Für eine Zeit können Sie auf keinem Ihrer Konten handeln.',
  excluded: 'Sie sind vom Handel ausgeschlossen.',
  since: 'Seit',
  until: 'Bis',
  exclude: 'Mich ausschließen',
  excludeWhat:
    'Alle Ihre offenen Orders werden storniert, und bis dahin werden weder neue Orders noch Einzahlungen angenommen. Niemand kann es aufheben oder verkürzen, weder Sie noch wir. Sie können weiterhin Positionen schließen und Ihr Guthaben auszahlen.',
};
