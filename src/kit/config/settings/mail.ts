import { isUriEncoded, type Reader } from '../readers.js';
import { optional, type ReadSetting, setting } from '../setting.js';
import { ConfigError } from '../start-refusal.js';

export interface MailSender {
  readonly name: string;
  readonly address: string;
}

export interface MailConfig {
  /** `undefined`: mails become files, and in production nothing. May contain a password: never log it. */
  readonly smtpUrl: string | undefined;
  readonly from: MailSender;
}

/** Host and port, perhaps a user and a password. */
const smtpUrl: Reader<string> = {
  expects: 'an address such as smtp://user:password@host:587, or smtps:// for TLS from the start',
  parse: (value) => {
    const url = URL.parse(value);
    if (url === null || url.hostname === '' || !/^smtps?:$/.test(url.protocol)) return undefined;
    const isBare = /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '';
    return isBare && isUriEncoded(url.username) && isUriEncoded(url.password) ? value : undefined;
  },
};

const sender: Reader<MailSender> = {
  expects: 'an address such as no-reply@example.com, or with a name as Example <no-reply@example.com>',
  parse: (value) => {
    const [, name = '', named, plain] =
      /^(?:([^<>"\p{Cc}]{1,64}?) *<([^\s<>@]+@[^\s<>@]+)>|([^\s<>@]+@[^\s<>@]+))$/u.exec(value) ?? [];
    const address = named ?? plain;
    return address === undefined ? undefined : { name, address };
  },
};

const FROM_NOBODY = 'Tradepost <no-reply@localhost>';

export const mailSettings = {
  smtpUrl: optional(
    'SMTP_URL',
    smtpUrl,
    'files under DATA_DIR/mail, in production no mail',
    'The mail server, as smtp://user:password@host:587, or smtps:// for TLS from the start; a password needs TLS unless the server is on this machine.',
  ),
  mailFrom: setting(
    'MAIL_FROM',
    sender,
    FROM_NOBODY,
    'Who mails are from, as Example <no-reply@example.com>; must be set with SMTP_URL.',
  ),
};

export function readMailConfig(read: ReadSetting): { readonly mail: MailConfig } {
  const url = read(mailSettings.smtpUrl);
  const from = read(mailSettings.mailFrom);
  if (url !== undefined && from.address === sender.parse(FROM_NOBODY)?.address) {
    throw new ConfigError('MAIL_FROM', 'must be set together with SMTP_URL.');
  }
  return { mail: { smtpUrl: url, from } };
}
