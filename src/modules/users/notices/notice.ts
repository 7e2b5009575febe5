/** The news that users get by mail of what happened to their account. */
import type { MailContent } from '../../../kit/mail/mail-content.js';
import type { Texts } from '../../../kit/words/texts.js';
import type { en } from '../words/en.js';
import { USERS_WORDS } from '../words/users-words.js';

export type NoticeKind = keyof typeof en.mails;

/** The beginning of an account's number is nobody's business. */
interface Ending {
  readonly last4: string;
  readonly currency?: string;
}

/** A word that is in the catalog, the end of a number, or what has no language, such as a name. */
export type NoticeFact = string | { readonly says: keyof typeof en.values } | Ending;

/** By what they are called: no secrets, and of numbers and addresses only what tells them apart. */
export type NoticeFacts = Partial<Readonly<Record<keyof typeof en.facts, NoticeFact>>>;

/** A notice on its way, as its job keeps it. */
export interface Notice {
  readonly to: string;
  readonly username: string;
  /** Null or absent: that of the service. */
  readonly language?: string | null;
  readonly kind: NoticeKind;
  readonly facts: NoticeFacts;
  /** In RFC 3339. */
  readonly at: string;
  /** Null where no request was behind it. */
  readonly origin: { readonly device: string; readonly address: string } | null;
}

export function contentOf(notice: Notice, texts: Texts, serviceUrl: string): MailContent {
  const { username, kind, facts, at, origin } = notice;
  const language = notice.language ?? texts.defaultLanguage;
  const words = texts.of(USERS_WORDS, language);
  const { subject, what } = words.mails[kind];
  const labels: Readonly<Record<string, string>> = words.facts;
  const wordsOf = (fact: NoticeFact): string => {
    if (typeof fact === 'string') return fact;
    if ('says' in fact) return words.values[fact.says];
    const { last4, currency } = fact;
    return currency === undefined ? words.ending({ last4 }) : words.endingOf({ last4, currency });
  };
  const time = at.slice(0, 19).replace('T', ' ');
  return {
    kind,
    language,
    subject,
    username,
    paragraphs: [what],
    facts: [
      // Jobs of an earlier version have labels in place of names.
      ...Object.entries(facts).map(([name, fact]) => [labels[name] ?? name, wordsOf(fact)] as const),
      [words.facts.when, words.utc({ time })],
      ...(origin === null
        ? []
        : ([
            [words.facts.device, origin.device],
            [words.facts.address, origin.address],
          ] as const)),
    ],
    link: { label: words.look, url: `${serviceUrl}/console/settings` },
    closing: [words.closing({ address: `${serviceUrl}/oauth/forgot-password` })],
    serviceUrl,
  };
}

/** The beginning and the end of what is too long to show whole, such as an address on a chain. */
export function abridged(text: string): string {
  return text.length <= 12 ? text : `${text.slice(0, 6)}…${text.slice(-4)}`;
}
