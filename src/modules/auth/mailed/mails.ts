/** The mails with links that prove who reads a mailbox. */
import type { MailContent } from '../../../kit/mail/mail-content.js';
import type { UserEntity } from '../../users/user.entity.js';

type User = Pick<UserEntity, 'username'>;

export function verificationMail({ username }: User, token: string, serviceUrl: string): MailContent {
  return {
    subject: 'Verify your mail address',
    username,
    paragraphs: [
      'This address was given for your account. Verify it, and you can reset your password by mail, and you are told when something about your security changes.',
    ],
    link: { label: 'Verify this address', url: linkTo(serviceUrl, 'verify-email', token) },
    closing: [
      'The link is good once, for 24 hours.',
      'If you have no account of this name, ignore this mail: without the link the address is not used.',
    ],
    serviceUrl,
  };
}

export function resetMail({ username }: User, token: string, serviceUrl: string): MailContent {
  return {
    subject: 'Reset your password',
    username,
    paragraphs: ['Somebody, probably you, has forgotten the password of your account.'],
    link: { label: 'Set a new password', url: linkTo(serviceUrl, 'reset-password', token) },
    closing: [
      'The link is good once, for 20 minutes. A new password ends all sessions, and for 24 hours payouts and transfers over a chain wait for an operator, and transfers to others are refused.',
      'If it was not you, ignore this mail: your password stays as it is.',
    ],
    serviceUrl,
  };
}

/** Under `/oauth`, where no page is kept, framed, or tells others its address. */
function linkTo(serviceUrl: string, page: string, token: string): string {
  return `${serviceUrl}/oauth/${page}?token=${token}`;
}
