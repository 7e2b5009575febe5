import type { Translation } from '../../../domain/words/catalog.js';
import type { en } from './en.js';

export const de: Translation<typeof en> = {
  mails: {
    new_device: {
      subject: 'Anmeldung von einem neuen Gerät',
      what: 'Jemand hat sich von einem Gerät oder aus einem Netz, das dabei noch nicht gesehen wurde, an Ihrem Konto angemeldet.',
    },
    password_changed: {
      subject: 'Ihr Passwort wurde geändert',
      what: 'Das Passwort Ihres Kontos wurde geändert. Alle anderen Sitzungen sind beendet.',
    },
    email_changed: {
      subject: 'Ihre E-Mail-Adresse wurde geändert',
      what: 'Ihr Konto hat jetzt eine andere E-Mail-Adresse. Dies ist die letzte E-Mail an die alte.',
    },
    identity_linked: {
      subject: 'Eine weitere Anmeldung wurde verknüpft',
      what: 'Ab jetzt meldet auch eine Identität eines anderen Dienstes an Ihrem Konto an.',
    },
    factor_added: {
      subject: 'Zweiter Faktor hinzugefügt',
      what: 'Anmeldungen an Ihrem Konto brauchen von jetzt an einen zweiten Faktor.',
    },
    factor_removed: {
      subject: 'Zweiter Faktor entfernt',
      what: 'Ein zweiter Faktor Ihres Kontos wurde entfernt.',
    },
    recovery_codes_renewed: {
      subject: 'Neue Wiederherstellungscodes',
      what: 'Die Wiederherstellungscodes Ihres Kontos wurden durch neue ersetzt.',
    },
    api_key_created: {
      subject: 'Neuer API-Schlüssel',
      what: 'Ein API-Schlüssel wurde erzeugt, der über Ihr Konto verfügt.',
    },
    signing_key_created: {
      subject: 'Neuer Signaturschlüssel',
      what: 'Ein Schlüssel wurde hinzugefügt, der Anfragen für Ihr Konto signiert.',
    },
    key_rotated: {
      subject: 'Schlüssel ausgetauscht',
      what: 'Ein Schlüssel, der über Ihr Konto verfügt, wurde ersetzt. Der bisherige gilt noch eine Weile, wenn das verlangt wurde.',
    },
    client_created: {
      subject: 'Neuer OAuth-Client',
      what: 'Ein OAuth-Client wurde angelegt, der über Ihr Konto verfügt.',
    },
    destination_added: {
      subject: 'Neues Ziel für Ihr Guthaben',
      what: 'Guthaben Ihrer Wallets kann von jetzt an auch an eine weitere Adresse gehen, nach der üblichen Wartezeit, wo es eine gibt.',
    },
    payout_account_added: {
      subject: 'Neues Bankkonto',
      what: 'Ein Bankkonto wurde hinterlegt, auf das Ihr Guthaben ausgezahlt werden kann.',
    },
    payout_created: {
      subject: 'Neue Auszahlung',
      what: 'Eine Auszahlung von Ihrem Konto wurde beauftragt.',
    },
  },
  facts: {
    when: 'Zeit',
    device: 'Gerät',
    address: 'Adresse',
    factor: 'Faktor',
    name: 'Name',
    scopes: 'Berechtigungen',
    chain: 'Blockchain',
    destination: 'Ziel',
    account: 'Konto',
    payout: 'Auszahlung',
    amount: 'Betrag',
    to_account: 'Auf das Konto',
  },
  values: {
    passkey: 'Passkey',
    app: 'Authenticator-App',
    all_factors: 'alle, mit den Wiederherstellungscodes',
    no_scopes: 'keine eigenen',
  },
  ending: 'endet auf {last4}',
  endingOf: '{currency}, endet auf {last4}',
  utc: '{time} UTC',
  look: 'Konto ansehen',
  closing:
    'Waren Sie es? Dann ist nichts zu tun. Wenn nicht, setzen Sie sofort unter {address} ein neues Passwort, was alle Sitzungen beendet, sehen Sie dann Ihre Schlüssel und Clients durch und benachrichtigen Sie den Betreiber.',
};
