/** The mails with links that prove who reads a mailbox. */
import type { MailContent } from '../../../kit/mail/mail-content.js';
import type { Texts } from '../../../kit/words/texts.js';
import type { UserEntity } from '../../users/user.entity.js';
import { AUTH_WORDS } from '../words/auth-words.js';

type User = Pick<UserEntity, 'username' | 'language'>;

/** By its name, the page that its link leads to. */
const PAGES = { verify_email: 'verify-email', reset_password: 'reset-password' } as const;

export function mailWithLink(
  kind: keyof typeof PAGES,
  user: User,
  token: string,
  { texts, serviceUrl }: { readonly texts: Texts; readonly serviceUrl: string },
): MailContent {
  const language = user.language ?? texts.defaultLanguage;
  const { subject, what, link, lifetime, otherwise } = texts.of(AUTH_WORDS, language).mails[kind];
  return {
    kind,
    language,
    subject,
    username: user.username,
    paragraphs: [what],
    // Under `/oauth`, where no page is kept, framed, or tells others its address.
    link: { label: link, url: `${serviceUrl}/oauth/${PAGES[kind]}?token=${token}` },
    closing: [lifetime, otherwise],
    serviceUrl,
  };
}
