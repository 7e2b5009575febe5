/** The news that users get by mail of what happened to their account. */
import type { MailContent } from '../../../kit/mail/mail-content.js';

interface NoticeWords {
  readonly subject: string;
  readonly what: string;
}

/** Stored in jobs, so keep the names. */
const NOTICES = {
  new_device: {
    subject: 'Log-in from a new device',
    what: 'Somebody logged in to your account from a device or a network that was not seen with it before.',
  },
  password_changed: {
    subject: 'Your password was changed',
    what: 'The password of your account was changed. All other sessions have ended.',
  },
  email_changed: {
    subject: 'Your mail address was changed',
    what: 'Your account has another mail address now. This is the last mail to the old one.',
  },
  factor_added: {
    subject: 'Second factor added',
    what: 'Log-ins to your account need a second factor from now on.',
  },
  factor_removed: {
    subject: 'Second factor removed',
    what: 'A second factor of your account was removed.',
  },
  recovery_codes_renewed: {
    subject: 'New recovery codes',
    what: 'The recovery codes of your account were replaced by new ones.',
  },
  api_key_created: {
    subject: 'New API key',
    what: 'An API key was made that acts on your account.',
  },
  signing_key_created: {
    subject: 'New signing key',
    what: 'A key was added that signs requests on your account.',
  },
  key_rotated: {
    subject: 'Key rotated',
    what: 'A key that acts on your account was replaced. The former one is good for a while, if that was asked for.',
  },
  client_created: {
    subject: 'New OAuth client',
    what: 'An OAuth client was made that acts on your account.',
  },
  destination_added: {
    subject: 'New destination for your money',
    what: 'Money of your wallets can go to another address from now on, after the usual wait where there is one.',
  },
  payout_account_added: {
    subject: 'New bank account',
    what: 'A bank account was added to which your money can be paid out.',
  },
  payout_created: {
    subject: 'New payout',
    what: 'A payout out of your account was asked for.',
  },
} as const satisfies Record<string, NoticeWords>;

export type NoticeKind = keyof typeof NOTICES;

/** Labels with values, such as `Name: reports`: no secrets, and of numbers and addresses only what tells them apart. */
export type NoticeFacts = Readonly<Record<string, string>>;

/** A notice on its way, as its job keeps it. */
export interface Notice {
  readonly to: string;
  readonly username: string;
  readonly kind: NoticeKind;
  readonly facts: NoticeFacts;
  /** In RFC 3339. */
  readonly at: string;
  /** Null where no request was behind it. */
  readonly origin: { readonly device: string; readonly address: string } | null;
}

export function contentOf({ username, kind, facts, at, origin }: Notice, serviceUrl: string): MailContent {
  const { subject, what } = NOTICES[kind];
  return {
    subject,
    username,
    paragraphs: [what],
    facts: [
      ...Object.entries(facts),
      ['When', `${at.slice(0, 19).replace('T', ' ')} UTC`],
      ...(origin === null
        ? []
        : ([
            ['Device', origin.device],
            ['Address', origin.address],
          ] as const)),
    ],
    link: { label: 'Look at your account', url: `${serviceUrl}/console/settings` },
    closing: [
      `Was it you? Then there is nothing to do. If not, set a new password at ${serviceUrl}/oauth/forgot-password at once, which ends all sessions, then look through your keys and clients, and tell the operators.`,
    ],
    serviceUrl,
  };
}

/** The beginning and the end of what is too long to show whole, such as an address on a chain. */
export function abridged(text: string): string {
  return text.length <= 12 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`;
}
