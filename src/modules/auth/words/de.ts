import type { Translation } from '../../../domain/words/catalog.js';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  titleOf: '{title} – {product}',
  language: 'Sprache',
  console: '{product}-Konsole',
  logIn: {
    title: 'Anmelden',
    toContinue: 'um mit {client} fortzufahren',
    username: 'Benutzername',
    password: 'Passwort',
    submit: 'Anmelden',
    passkey: 'Mit einem Passkey anmelden',
    byIdentity: 'Mit {provider} anmelden',
    forgotten: 'Passwort vergessen?',
  },
  code: {
    titleOfCode: 'Code eingeben',
    titleOfPasskey: 'Passkey verwenden',
    fromApp: 'Öffnen Sie Ihre Authenticator-App für {username} und geben Sie ein, was sie zeigt.',
    recovery: 'Fast geschafft, {username}. Jetzt noch ein Wiederherstellungscode.',
    passkeyOrRecovery: 'Fast geschafft, {username}. Jetzt noch Ihr Passkey oder ein Wiederherstellungscode.',
    code: 'Code',
    recoveryCode: 'Wiederherstellungscode',
    submit: 'Anmelden',
    usePasskey: 'Passkey verwenden',
    withoutApp: 'Ohne die App genügt ein Wiederherstellungscode: jeder einmal.',
    once: 'Jeder Wiederherstellungscode gilt einmal.',
    otherAccount: 'Nicht {username}? Als jemand anderes anmelden.',
  },
  passkeyFailed: 'Das hat nicht geklappt. Versuchen Sie es noch einmal oder fahren Sie ohne Passkey fort.',
  consent: {
    title: 'Zugriff erlauben',
    heading: 'Zugriff erlauben?',
    asks: '{client} möchte für Sie handeln, {username}. Es könnte:',
    destination: 'In jedem Fall geht es weiter zu {destination}.',
    allow: 'Erlauben',
    deny: 'Ablehnen',
  },
  link: {
    title: 'Anmeldung verknüpfen',
    what: 'Sie sind hier {username}. Gehen Sie weiter zu {provider}, dann können Sie sich hier künftig auch damit anmelden.',
    goOn: 'Weiter zu {provider}',
    done: 'Ihre Anmeldung ist verknüpft',
    doneWhat: 'Sie können sich hier ab jetzt als {username} mit {provider} anmelden.',
    logInFirst:
      'Melden Sie sich zuerst hier an, mit Passwort oder Passkey, und öffnen Sie diese Seite innerhalb von fünf Minuten noch einmal.',
  },
  error: {
    title: 'Etwas stimmt nicht',
    heading: 'Hier geht es nicht weiter',
    back: 'Kehren Sie zu der App zurück, die Sie hierher geschickt hat. Ihre Hersteller möchten vielleicht diese Nummer wissen: {request}',
  },
  forgot: {
    title: 'Passwort vergessen',
    heading: 'Passwort vergessen?',
    what: 'Wir senden einen Link an Ihre bestätigte E-Mail-Adresse. Mit ihm setzen Sie ein neues Passwort.',
    typed: 'Benutzername oder E-Mail-Adresse',
    submit: 'Link senden',
  },
  asked: {
    title: 'Sehen Sie in Ihr Postfach',
    sent: 'Wenn es einen solchen Benutzer mit bestätigter Adresse gibt, ist ein Link dorthin unterwegs. Er gilt 20 Minuten.',
    noMail: 'Keine E-Mail? Sehen Sie im Spam-Ordner nach oder fragen Sie den Betreiber.',
  },
  newPassword: {
    title: 'Neues Passwort setzen',
    what: 'Alle Ihre Sitzungen enden damit.',
    password: 'Neues Passwort',
    submit: 'Passwort setzen',
    another: 'Einen anderen Link anfordern',
    done: 'Ihr Passwort ist gesetzt',
    doneWhat: 'Alle Ihre Sitzungen sind beendet. Melden Sie sich mit dem neuen Passwort an.',
  },
  verify: {
    title: 'E-Mail-Adresse bestätigen',
    submit: 'Das ist meine Adresse',
    done: 'Ihre Adresse ist bestätigt',
    doneWhat: 'Sie können Ihr Passwort ab jetzt per E-Mail zurücksetzen.',
  },
  goOn: 'Weiter zu {product}',
  problems: {
    expired:
      'Diese Seite war zu lange offen, oder Ihr Browser nimmt keine Cookies an. Bitte versuchen Sie es noch einmal.',
    proofNeeded:
      'Ihre Anmeldung liegt eine Weile zurück, und hier soll Guthaben bewegt werden dürfen: Melden Sie sich zum Entscheiden noch einmal an.',
  },
  refusals: {
    invalid_credentials: 'Benutzername, Passwort oder Code ist falsch.',
    invalid_grant: 'Der Link gilt nicht mehr. Fordern Sie einen anderen an.',
    rate_limited: 'Das war zu oft. Warten Sie und versuchen Sie es noch einmal.',
    user_locked: 'Der Benutzer ist gesperrt.',
    forbidden: 'Das ist nicht erlaubt.',
    conflict: 'Etwas anderes kam zuvor. Versuchen Sie es noch einmal.',
    validation_failed: 'Ihre Eingabe kann nicht angenommen werden.',
    invalid_request: 'Die App, die Sie hierher geschickt hat, hat in unzulässiger Weise angefragt.',
    invalid_client: 'Die App, die Sie hierher geschickt hat, ist nicht bekannt.',
    temporarily_unavailable: 'Der Dienst kann das gerade nicht. Versuchen Sie es noch einmal.',
    internal_error: 'Im Dienst ist etwas fehlgeschlagen.',
  },
  mails: {
    verify_email: {
      subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
      what: 'Diese Adresse wurde für Ihr Konto angegeben. Bestätigen Sie sie, und Sie können Ihr Passwort per E-Mail zurücksetzen und werden benachrichtigt, wenn sich an Ihrer Sicherheit etwas ändert.',
      link: 'Diese Adresse bestätigen',
      lifetime: 'Der Link gilt einmal, 24 Stunden lang.',
      otherwise:
        'Haben Sie kein Konto dieses Namens, so ignorieren Sie diese E-Mail: Ohne den Link wird die Adresse nicht verwendet.',
    },
    reset_password: {
      subject: 'Passwort zurücksetzen',
      what: 'Jemand, wahrscheinlich Sie, hat das Passwort Ihres Kontos vergessen.',
      link: 'Neues Passwort setzen',
      lifetime:
        'Der Link gilt einmal, 20 Minuten lang. Ein neues Passwort beendet alle Sitzungen; 24 Stunden lang warten Auszahlungen und Überweisungen über eine Blockchain auf einen Mitarbeiter, und Überweisungen an andere werden abgelehnt.',
      otherwise: 'Waren Sie es nicht, so ignorieren Sie diese E-Mail: Ihr Passwort bleibt, wie es ist.',
    },
  },
};
