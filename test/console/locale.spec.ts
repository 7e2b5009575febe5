import { describe, expect, it } from 'vitest';
import { localeFor } from '../../console/src/words/locale.js';

describe('the locale of dates and charts', () => {
  it('is that of the language, with the region of the browser', () => {
    expect(localeFor('de', ['en-GB', 'de-AT', 'de-DE'])).toBe('de-AT');
    expect(localeFor('de', ['en-GB'])).toBe('de');
    expect(localeFor('en', ['en-GB'])).toBe('en-GB');
  });

  it.each(['en-US@posix', 'C', '', 'de_DE.UTF-8'])(
    'is one that can be drawn in where the browser says %j',
    (named) => {
      expect(localeFor('en', [named])).toBe('en');
      expect(() => new Intl.DateTimeFormat(localeFor(named, []))).not.toThrow();
    },
  );
});
