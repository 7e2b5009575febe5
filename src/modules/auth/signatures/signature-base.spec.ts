import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import fc from 'fast-check';
import { type InnerList, parseDictionary } from 'structured-headers';
import { describe, expect, it } from 'vitest';
import { signatureBaseOf, type SignedMessage } from './signature-base.js';

/** `test-key-ed25519` of RFC 9421, appendix B.1.4. */
const PRIVATE_KEY = createPrivateKey(`-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----`);
const PUBLIC_KEY = createPublicKey(PRIVATE_KEY);

/** `test-request` of appendix B.2. */
const REQUEST: SignedMessage = {
  method: 'POST',
  targetUri: 'https://example.com/foo?param=Value&Pet=dog',
  headers: {
    host: ['example.com'],
    date: ['Tue, 20 Apr 2021 02:07:55 GMT'],
    'content-type': ['application/json'],
    'content-length': ['18'],
  },
};

function coveredIn(field: string): InnerList {
  return parseDictionary(field).get('sig') as InnerList;
}

/** Appendix B.2.6. */
const COVERED = coveredIn(
  'sig=("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
);
const SIGNATURE = Buffer.from(
  'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==',
  'base64',
);

describe('signatureBaseOf', () => {
  it('makes the text of the RFC, whose signature it verifies', () => {
    const base = signatureBaseOf(COVERED, REQUEST)!;
    expect(base.toString().split('\n')).toEqual([
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"@path": /foo',
      '"@authority": example.com',
      '"content-type": application/json',
      '"content-length": 18',
      '"@signature-params": ("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
    ]);
    expect(verify(null, base, PUBLIC_KEY, SIGNATURE)).toBe(true);
    expect(sign(null, base, PRIVATE_KEY).equals(SIGNATURE)).toBe(true);
  });

  it('derives components as section 2.2 has them', () => {
    const derived = (targetUri: string): string[] =>
      signatureBaseOf(coveredIn('sig=("@target-uri" "@scheme" "@authority" "@path" "@query")'), {
        ...REQUEST,
        targetUri,
      })!
        .toString()
        .split('\n')
        .slice(0, 5)
        .map((line) => line.slice(line.indexOf(': ') + 2));
    const withQuery = 'https://www.example.com/path?param=value&foo=bar&baz=bat%2Dman';
    expect(derived(withQuery)).toEqual([
      withQuery,
      'https',
      'www.example.com',
      '/path',
      '?param=value&foo=bar&baz=bat%2Dman',
    ]);
    expect(derived('http://127.0.0.1:3000/a?')).toEqual([
      'http://127.0.0.1:3000/a?',
      'http',
      '127.0.0.1:3000',
      '/a',
      '?',
    ]);
    expect(derived('https://www.example.com/a').at(-1)).toBe('?');
  });

  it('joins the values of a field', () => {
    const headers = { 'x-many': ['  a', 'b, c  ', ''] };
    const base = signatureBaseOf(coveredIn('sig=("x-many")'), { ...REQUEST, headers })!;
    expect(base.toString().split('\n')[0]).toBe('"x-many": a, b, c, ');
  });

  it.each([
    '"x-none"',
    '"@status"',
    '"@query-param";name="Pet"',
    '"date";bs',
    '"@method";req',
    'date',
    '"Date"',
  ])('has nothing for %s', (component) => {
    expect(signatureBaseOf(coveredIn(`sig=(${component})`), REQUEST)).toBeUndefined();
  });

  it('changes with any part that is covered', () => {
    const covered = coveredIn('sig=("@method" "@target-uri" "date");created=1;nonce="n"');
    const text = fc.string({ minLength: 1, maxLength: 20, unit: fc.constantFrom(...'abz/?&=.%') });
    const message = fc.record({ method: fc.constantFrom('GET', 'POST'), path: text, date: text });
    const baseOf = ({ method, path, date }: { method: string; path: string; date: string }): string =>
      signatureBaseOf(covered, {
        method,
        targetUri: `https://example.com/${path}`,
        headers: { date: [date] },
      })!.toString();
    fc.assert(
      fc.property(message, message, (one, other) => {
        const isSame = one.method === other.method && one.path === other.path && one.date === other.date;
        expect(baseOf(one) === baseOf(other)).toBe(isSame);
      }),
    );
  });
});
