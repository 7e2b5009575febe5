import { describe, expect, it } from 'vitest';
import { isRegisteredRedirectUri } from './redirect-uris.js';

const REGISTERED = [
  'https://shop.example/callback',
  'http://127.0.0.1/callback?a=b',
  'http://[::1]:1234/callback',
  'http://localhost:0',
  'com.example.app:/signed-in',
];

describe('isRegisteredRedirectUri', () => {
  it.each([
    ...REGISTERED,
    'http://127.0.0.1:65535/callback?a=b',
    'http://[::1]/callback',
    'http://[::1]:80/callback',
    'http://localhost:3000',
  ])('knows %s', (asked) => {
    expect(isRegisteredRedirectUri(asked, REGISTERED, { anyLoopbackPort: true })).toBe(true);
  });

  it.each(REGISTERED)('knows %s to the letter', (asked) => {
    expect(isRegisteredRedirectUri(asked, REGISTERED, { anyLoopbackPort: false })).toBe(true);
  });

  it.each(['http://127.0.0.1:1/callback?a=b', 'http://[::1]/callback', 'http://localhost:3000'])(
    'does not know %s where the port is not free',
    (asked) => {
      expect(isRegisteredRedirectUri(asked, REGISTERED, { anyLoopbackPort: false })).toBe(false);
    },
  );

  it.each([
    'https://shop.example:444/callback',
    'https://shop.example/callback#',
    'http://127.0.0.1:80/callback',
    'http://127.0.0.1:65536/callback?a=b',
    'http://127.0.0.1:+80/callback?a=b',
    'http://127.0.0.1:80:80/callback?a=b',
    'http://127.0.0.1:80\\@evil.example/callback?a=b',
    'http://127.0.0.1:80@evil.example/callback?a=b',
    'http://127.0.0.2/callback?a=b',
    'http://localhost:3000/',
    'http://localhost:3000\n',
    'http://localhost.evil.example',
    'com.example.app:1/signed-in',
    '',
  ])('does not know %j', (asked) => {
    expect(isRegisteredRedirectUri(asked, REGISTERED, { anyLoopbackPort: true })).toBe(false);
  });
});
