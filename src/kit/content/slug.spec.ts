import { describe, expect, it } from 'vitest';
import { isSlug, numberedSlug, slugOf, SLUG_LENGTH_MAX } from './slug.js';

describe('slugOf', () => {
  it.each([
    ['Hello, World!', 'hello-world'],
    ['  --What’s   new?-- ', 'whats-new'],
    ['Zürich & København', 'zurich-kobenhavn'],
    ['Zu\u0308rich', 'zurich'],
    ['Привет', 'privet'],
    ['東京', 'dongjing'],
    ['ＡＢＣ　１２３', 'abc-123'],
    ['C++ / Node.js', 'c-node-js'],
    ['../../etc/passwd', 'etc-passwd'],
    ['…!', ''],
    ['', ''],
  ])('writes %j as %j', (text, slug) => {
    expect(slugOf(text)).toBe(slug);
  });

  it('cuts between words, or within one that is too long', () => {
    expect(slugOf('word '.repeat(50))).toBe(`${'word-'.repeat(19)}word`);
    expect(slugOf('x'.repeat(500))).toBe('x'.repeat(SLUG_LENGTH_MAX));
  });

  it('makes slugs that are taken as such, also with a number', () => {
    for (const text of ['a', 'Zürich', 'word '.repeat(50), 'x'.repeat(500), `${'x'.repeat(98)} y`]) {
      expect(isSlug(slugOf(text))).toBe(true);
      expect(isSlug(numberedSlug(slugOf(text), 2))).toBe(true);
      expect(isSlug(numberedSlug(slugOf(text), 100))).toBe(true);
    }
  });
});

describe('isSlug', () => {
  it.each(['', '-', '-a', 'a-', 'a--b', 'A', 'a_b', 'a b', 'ä', 'a\n', '../a', 'a'.repeat(101), 'а'])(
    'refuses %j',
    (text) => {
      expect(isSlug(text)).toBe(false);
    },
  );
});
