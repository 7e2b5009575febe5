import { describe, expect, it } from 'vitest';
import { renderMail } from './mail-content.js';

const CONTENT = {
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
    const { subject, text, html } = renderMail(CONTENT);
    expect(subject).toBe('New API key');
    expect(text).toBe(
      'Hello alice,\n\nAn API key was made.\n\nName: a Look here: <b> x\n\n' +
        'Look:\nhttps://house.example/console?a=1&b=2\n\nWas it you?\n\n-- \nTradepost, https://house.example\n',
    );
    expect(html).toContain('<td>a Look here: &lt;b&gt; x</td>');
    expect(html).toContain('href="https://house.example/console?a=1&amp;b=2"');
  });

  it('loads nothing and runs nothing', () => {
    expect(renderMail(CONTENT).html).not.toMatch(/<script|<img|<link|url\(|@import/);
  });
});
