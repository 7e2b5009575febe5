import { describe, expect, it } from 'vitest';
import { ConfigError, loadConfig } from '../config.js';

const SMTP_URL = 'smtps://user:p%40ss@mail.example.com:465';
const MAIL_FROM = 'no-reply@example.com';

describe('the settings of mail', () => {
  it('are who mails are from, with a name or without', () => {
    const fromOf = (from: string) => loadConfig({ SMTP_URL, MAIL_FROM: from }).mail;
    const smtpUrl = SMTP_URL;
    expect(fromOf('The House <no-reply@example.com>')).toEqual({
      smtpUrl,
      from: { name: 'The House', address: MAIL_FROM },
    });
    expect(fromOf(MAIL_FROM)).toEqual({ smtpUrl, from: { name: '', address: MAIL_FROM } });
    expect(loadConfig({}).mail).toEqual({
      smtpUrl: undefined,
      from: { name: 'Tradepost', address: 'no-reply@localhost' },
    });
  });

  it.each([
    ['SMTP_URL', { SMTP_URL: 'mail.example.com', MAIL_FROM }],
    ['SMTP_URL', { SMTP_URL: 'http://mail.example.com', MAIL_FROM }],
    ['SMTP_URL', { SMTP_URL: 'smtp://u:%zz@mail.example.com', MAIL_FROM }],
    ['SMTP_URL', { SMTP_URL: 'smtp://mail.example.com/?pool=true', MAIL_FROM }],
    ['MAIL_FROM', { SMTP_URL }],
    ['MAIL_FROM', { MAIL_FROM: 'nobody' }],
    ['MAIL_FROM', { MAIL_FROM: 'A <a@example.com>, B <b@example.com>' }],
    ['MAIL_FROM', { MAIL_FROM: 'A\r\nBcc: b@example.com <a@example.com>' }],
  ])('refuse what %s must not be: %o', (name, env) => {
    expect(() => loadConfig(env)).toThrow(ConfigError);
    expect(() => loadConfig(env)).toThrow(name);
  });
});
