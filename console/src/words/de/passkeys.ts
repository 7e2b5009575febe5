import type { Translation } from '../../../../src/domain/words/catalog.js';
import type { passkeys as en } from '../en/passkeys.js';

export const passkeys: Translation<typeof en> = {
  title: 'Passkeys',
  why: 'Ein Passkey ist ein Schlüssel in Ihrem Telefon, Computer oder Sicherheitsschlüssel. Er meldet Sie ohne Passwort an, und das Passwort allein genügt dann nicht mehr.',
  none: 'Sie haben keine Passkeys.',
  unavailable:
    'Dieser Browser bietet für diese Adresse keine Passkeys. Sie brauchen einen Hostnamen, etwa localhost, und einen aktuellen Browser.',
  name: 'Name des Passkeys',
  lacksName: 'Geben Sie ihm zuerst einen Namen.',
  nameHint: 'Woran Sie ihn erkennen, etwa das Gerät, in dem er ist.',
  add: 'Passkey hinzufügen',
  added: 'Der Passkey ist hinzugefügt.',
  isBackedUp: 'synchronisiert',
  rename: 'Umbenennen',
  renameWhat: 'Der Name ist nur für Sie.',
  remove: 'Entfernen',
  removeWhat: 'Er meldet Sie nicht mehr an. Entfernen Sie ihn auch von Ihrem Gerät.',
  use: 'Passkey verwenden',
  failed: 'Es wurde kein Passkey verwendet. Versuchen Sie es noch einmal.',
  isThere: 'Auf diesem Gerät ist bereits ein Passkey von Ihnen.',
};
