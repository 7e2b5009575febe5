import type { Translation } from '../../../../src/domain/words/catalog.js';
import type { stepUp as en } from '../en/step-up.js';

export const stepUp: Translation<typeof en> = {
  title: 'Sind Sie es?',
  why: 'Hierfür müssen Sie sich noch einmal ausweisen, obwohl Sie angemeldet sind. Es gilt fünf Minuten.',
  code: 'Code',
  codeHint: 'Was Ihre Authenticator-App zeigt, oder einer Ihrer Wiederherstellungscodes.',
  recoveryHint: 'Einer Ihrer Wiederherstellungscodes.',
  password: 'Ihr Passwort',
  confirm: 'Bestätigen',
  elsewhere:
    'Kein Passwort hier? Eine neue Anmeldung zählt auch. Was Sie auf dieser Seite eingegeben haben, geht verloren.',
  again: 'Neu anmelden',
};
