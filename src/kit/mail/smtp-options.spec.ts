import { describe, expect, it } from 'vitest';
import { smtpOptionsOf } from './smtp-options.js';

describe('smtpOptionsOf', () => {
  it('reads an address with its password, which goes over TLS alone', () => {
    expect(smtpOptionsOf('smtp://user%40house:p%3Ass@mail.example.com:2525')).toMatchObject({
      host: 'mail.example.com',
      port: 2525,
      secure: false,
      requireTLS: true,
      auth: { user: 'user@house', pass: 'p:ss' },
    });
    expect(smtpOptionsOf('smtps://mail.example.com')).toMatchObject({ secure: true });
    expect(smtpOptionsOf('smtp://u:p@[::1]:25')).toMatchObject({ host: '::1', requireTLS: false });
  });

  it('leaves port and log-in out where there are none', () => {
    const options = smtpOptionsOf('smtp://relay');
    expect(options).not.toHaveProperty('port');
    expect(options).not.toHaveProperty('auth');
    expect(options).not.toHaveProperty('requireTLS');
  });
});
