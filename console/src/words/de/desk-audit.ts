import type { Translation } from '../../../../src/domain/words/catalog.js';
import type { deskAudit as en } from '../en/desk-audit.js';

export const deskAudit: Translation<typeof en> = {
  title: 'Prüfprotokoll',
  hint: 'Jede Handlung eines Mitarbeiters und jede Änderung von Zugangsdaten, durch Hashes verkettet, sodass keine entfernt werden kann.',
  actor: 'Wer',
  actorHint: 'Ein Benutzername oder eine Kennung wie user:7.',
  action: 'Was',
  actionHint: 'Etwa approvePayout.',
  target: 'Woran',
  targetHint: 'Etwa user:alice.',
  from: 'Von',
  to: 'Bis',
  time: 'Zeit',
  outcome: 'Ergebnis',
  outcomes: {
    succeeded: 'Ausgeführt',
    proposed: 'Vorgeschlagen',
    refused: 'Abgewiesen',
    failed: 'Fehlgeschlagen',
  },
  details: 'Einzelheiten',
  show: 'Einzelheiten',
  none: 'Dergleichen ist nicht verzeichnet.',
  credential: 'Nachgewiesen durch',
  address: 'Adresse',
  request: 'Anfrage',
  hash: 'Hash',
};
