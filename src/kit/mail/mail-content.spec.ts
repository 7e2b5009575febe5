import { describe, expect, it } from 'vitest';
import { NO_BRANDING } from '../words/branding/branding.js';
import { MAIL_WORDS } from '../words/mail-words.js';
import { Texts } from '../words/texts.js';
import { renderMail } from './mail-content.js';

const TEXTS = new Texts({ catalogs: [MAIL_WORDS] });

const CONTENT = {
  kind: 'api_key_created',
  language: 'en',
  subject: 'New API key',
  username: 'alice',
  paragraphs: ['An API key was made.'],
  facts: [['Name', 'a\r\n\r\nLook here: <b>\u2028x']],
  link: { label: 'Look', url: 'https://house.example/console?a=1&b=2' },
  closing: ['Was it you?'],
  serviceUrl: 'https://house.example',
} as const;

describe('renderMail', () => {
  it('says the same in text and in HTML', () => {
    const { subject, text, html } = renderMail(CONTENT, TEXTS);
    expect(subject).toBe('New API key');
    expect(text).toBe(
      'Hello alice,\n\nAn API key was made.\n\nName: a Look here: <b> x\n\n' +
        'Look:\nhttps://house.example/console?a=1&b=2\n\nWas it you?\n\n-- \nTradepost, https://house.example\n',
    );
    expect(html).toContain('<td>a Look here: &lt;b&gt; x</td>');
    expect(html).toContain('href="https://house.example/console?a=1&amp;b=2"');
  });

  it('loads nothing and runs nothing', () => {
    expect(renderMail(CONTENT, TEXTS).html).not.toMatch(/<script|<img|<link|url\(|@import/);
  });

  it('greets in the language of its reader', () => {
    const { text, html } = renderMail({ ...CONTENT, language: 'de' }, TEXTS);
    expect(text).toMatch(/^Guten Tag alice,/);
    expect(html).toContain('<html lang="de">');
  });

  it('is as the operator has it, and escapes what it names', () => {
    const texts = new Texts({
      catalogs: [MAIL_WORDS],
      branding: {
        ...NO_BRANDING,
        name: 'Börse & Söhne',
        support: 'help@house.example',
        mails: {
          api_key_created: {
            subject: '{product}: {subject}',
            html: '<b>{username}</b>{facts}<a href="{link}">',
          },
          'api_key_created.de': { txt: '{greeting}\n{link}\n{support}' },
        },
      },
    });
    const german = renderMail({ ...CONTENT, username: '<x>', language: 'de' }, texts);
    expect(german.subject).toBe('Börse & Söhne: New API key');
    expect(german.text).toBe(
      'Guten Tag <x>,\nhttps://house.example/console?a=1&b=2\nFragen? Schreiben Sie an help@house.example.',
    );
    expect(german.html).toContain('<b>&lt;x&gt;</b><table>');
    expect(german.html).toContain('<td>a Look here: &lt;b&gt; x</td>');
    expect(german.html).toContain('<a href="https://house.example/console?a=1&amp;b=2">');
    const english = renderMail(CONTENT, texts);
    expect(english.text).toContain('Questions? Write to help@house.example.\n\n-- \nBörse & Söhne, https');
  });
});
