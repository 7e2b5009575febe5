import type { Translation } from '../../../../src/domain/words/catalog.js';
import type { proof as en } from '../en/proof.js';

export const proof: Translation<typeof en> = {
  title: 'Nachweis',
  intro:
    'Dieser Browser prüft durch eigenes Rechnen, was der Dienst unterschrieben hat: Nichts auf dieser Seite beruht auf Vertrauen außer dem ersten Schlüssel, den er gesehen hat.',
  journal: 'Das Journal',
  head: 'Neuester unterschriebener Kopf',
  rows: 'Zeilen',
  committed: 'Festgeschrieben',
  root: 'Wurzel aller Zeilen',
  state: 'Prüfsumme aller Guthaben und Orders',
  key: 'Unterschrieben mit dem Schlüssel',
  good: 'Geprüft',
  bad: 'Nicht bewiesen',
  first: 'Die Unterschrift stimmt. Dieser Browser behält den Kopf und prüft den nächsten daran.',
  goesOn:
    'Die Unterschrift stimmt, und das Journal setzt Zeile {height} fort, die dieser Browser zuvor gesehen hat.',
  otherKey:
    'Die Schlüssel beginnen nicht mit dem, den dieser Browser zuerst gesehen hat. Fragen Sie den Betreiber auf anderem Wege, warum.',
  again: 'Erneut prüfen',
  saveHead: 'Kopf speichern',
  replay: 'Das öffentliche Journal',
  replayHint:
    'Jede Order in jedem Orderbuch und jede Ausführung seit Beginn, mit Pseudonymen anstelle der Konten. Dieser Browser spielt alles nach: Bei jeder Ausführung muss die genannte Order an der Reihe gewesen sein, und die Orderbücher müssen zu dem führen, was unterschrieben ist.',
  replayAll: 'Alles nachspielen',
  replaying: 'Zeile {row} von {rows}',
  stop: 'Anhalten',
  replayed:
    'Bei jeder Ausführung war ihre Order an der Reihe, und die Orderbücher sind die unterschriebenen.',
  replayedInPart:
    'Bei jeder Ausführung war ihre Order an der Reihe, soweit es zu sehen ist: Der Baum beginnt später als das Journal und kennt ältere Orders nicht.',
  trades: 'Ausführungen',
  orderChanges: 'Änderungen von Orders',
  openOrders: 'Orders in Orderbüchern / Märkte',
  publicState: 'Prüfsumme aller Orderbücher',
  receipts: 'Belege',
  receiptsHint: 'Zu einer Ihrer Orders, oder ein beliebiger Beleg, wie ihn der Dienst ausgestellt hat.',
  order: 'Ordernummer',
  orderHint: 'Etwa ord_00000000001, aus der Liste Ihrer Orders.',
  getReceipt: 'Beleg holen und prüfen',
  latest: 'Ihre letzte Änderung statt ihrer Annahme',
  receipt: 'Beleg',
  check: 'Beleg prüfen',
  noJson: 'Das ist kein JSON. Fügen Sie die ganze Antwort einer Belegroute ein.',
  proven: 'Bewiesen: Das steht in Zeile {height} des Journals, festgeschrieben um {time}.',
  table: 'Tabelle',
  column: 'Spalte',
  value: 'Wert',
  panelHint:
    'Was das Journal dazu enthält, vom Dienst unterschrieben. Bewahren Sie die Datei auf: Sie bleibt ein Beweis, auch wenn der Dienst es verliert oder bestreitet.',
  ofAccepted: 'Beleg der Annahme',
  ofLatest: 'Beleg der letzten Änderung',
  ofBooking: 'Beleg der letzten Buchung',
  checkedHere: 'Von diesem Browser geprüft',
  ofAnother: 'Der Beleg ist echt, gehört aber zu etwas anderem.',
  save: 'Beleg speichern',
  says: 'Was er besagt',
  units:
    'Beträge in Einheiten von 10⁻¹⁸, Preise in Preisschritten, Mengen in Mengenschritten, Zeiten in Millisekunden.',
};
