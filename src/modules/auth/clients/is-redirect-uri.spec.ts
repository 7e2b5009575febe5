import { describe, expect, it } from 'vitest';
import { isRedirectUri } from './is-redirect-uri.js';

describe('isRedirectUri', () => {
  it.each([
    'https://app.example.com/callback',
    'https://app.example.com',
    'https://app.example.com/',
    'https://app.example.com:8443/callback?tenant=1',
    'https://xn--bcher-kva.example/callback',
    'http://127.0.0.1/callback',
    'http://127.0.0.1:49152/callback',
    'http://[::1]:8000/callback',
    'http://localhost:3000/callback',
  ])('takes %s', (address) => {
    expect(isRedirectUri(address)).toBe(true);
  });

  it.each([
    ['http elsewhere', 'http://app.example.com/callback'],
    ['http on what only begins as loopback', 'http://127.0.0.1.example.com/callback'],
    ['http on another loopback spelling', 'http://127.1/callback'],
    ['a loopback number', 'http://2130706433/callback'],
    ['localhost of somebody', 'http://localhost.example.com/'],
    ['a fragment', 'https://app.example.com/callback#token'],
    ['an empty fragment', 'https://app.example.com/callback#'],
    ['a user', 'https://user@app.example.com/'],
    ['a user and a password', 'https://user:secret@app.example.com/'],
    ['a wildcard host', 'https://*.example.com/callback'],
    ['a wildcard path', 'https://app.example.com/*'],
    ['a backslash', 'https:\\\\app.example.com\\callback'],
    ['a backslash before another host', 'https://app.example.com\\@evil.example/'],
    ['a folder above', 'https://app.example.com/a/../callback'],
    ['a port that is meant anyway', 'https://app.example.com:443/callback'],
    ['upper case', 'HTTPS://APP.example.com/callback'],
    ['letters beyond ASCII', 'https://bücher.example/callback'],
    ['a space', 'https://app.example.com/call back'],
    ['a tab inside', 'https://app.exam\tple.com/callback'],
    ['a newline at the end', 'https://app.example.com/callback\n'],
    ['one slash', 'https:/app.example.com/callback'],
    ['no host', 'https://'],
    ['no scheme', '//app.example.com/callback'],
    ['a path', '/callback'],
    ['javascript', 'javascript:alert(1)'],
    ['data', 'data:text/html,x'],
    ['a scheme of an app', 'com.example.app:/callback'],
    ['an endless address', `https://app.example.com/${'x'.repeat(2_000)}`],
    ['a number', 7],
  ])('refuses %s', (_what, address) => {
    expect(isRedirectUri(address)).toBe(false);
  });
});
