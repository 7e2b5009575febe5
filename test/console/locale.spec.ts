import { describe, expect, it } from 'vitest';
import { localeOf } from '../../console/src/parts/locale.js';

describe('the locale of charts', () => {
  it('is that of the browser', () => {
    expect(localeOf('de-AT')).toBe('de-AT');
    expect(localeOf('pt')).toBe('pt');
  });

  it.each(['en-US@posix', 'C', '', 'de_DE.UTF-8'])(
    'is one that can be drawn in where the browser says %j',
    (named) => {
      expect(() => new Intl.DateTimeFormat(localeOf(named))).not.toThrow();
      expect(localeOf(named)).toBe(new Intl.DateTimeFormat().resolvedOptions().locale);
    },
  );
});
