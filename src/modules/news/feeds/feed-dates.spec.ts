import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFeedDate } from './feed-dates.js';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const read = (text: string): string | undefined => parseFeedDate(text, NOW)?.toISOString();

describe('parseFeedDate', () => {
  it.each([
    ['Mon, 16 Nov 2026 09:00:00 GMT', '2026-11-16T09:00:00.000Z'],
    ['Mon, 16 Nov 2026 09:00:00 +0100', '2026-11-16T08:00:00.000Z'],
    ['Mon, 16 Nov 26 09:00:00 EST', '2026-11-16T14:00:00.000Z'],
    ['Mon, 16 Nov 2026 09:00:00 +0000 (Coordinated Universal Time)', '2026-11-16T09:00:00.000Z'],
    ['2026-11-16T09:00:00Z', '2026-11-16T09:00:00.000Z'],
    ['2026-11-16T09:00:00.123456+01:00', '2026-11-16T08:00:00.123Z'],
    ['2026-11-16T09:00:00+0000', '2026-11-16T09:00:00.000Z'],
    ['2026-11-16', '2026-11-16T00:00:00.000Z'],
  ])('reads %s', (text, time) => {
    expect(read(text)).toBe(time);
  });

  it.each([
    // The wrong day of the week, no space, line breaks, whole words.
    ['Fri, 16 Nov 2026 09:00:00 GMT', '2026-11-16T09:00:00.000Z'],
    ['Mon,16 Nov 2026 09:00:00 GMT', '2026-11-16T09:00:00.000Z'],
    ['\n  Mon, 16 Nov\n 2026   9:00 UT \t', '2026-11-16T09:00:00.000Z'],
    ['Monday, 16 November 2026 09:00:00 GMT', '2026-11-16T09:00:00.000Z'],
    // Zones that are left out, or abbreviated.
    ['Mon, 16 Nov 2026 09:00:00', '2026-11-16T09:00:00.000Z'],
    ['2026-11-16T09:00:00', '2026-11-16T09:00:00.000Z'],
    ['2026-11-16 09:00:00', '2026-11-16T09:00:00.000Z'],
    ['Mon, 16 Nov 2026 09:00:00 CET', '2026-11-16T08:00:00.000Z'],
    ['Mon, 16 Nov 2026 09:00:00 cest', '2026-11-16T07:00:00.000Z'],
    ['Mon, 16 Nov 2026 17:30:00 IST', '2026-11-16T12:00:00.000Z'],
    ['Mon, 16 Nov 2026 09:00:00 MET', '2026-11-16T08:00:00.000Z'],
    ['Mon, 16 Nov 2026 09:00:00 NZDT', '2026-11-15T20:00:00.000Z'],
    ['Mon, 16 Nov 2026 09:00:00 SAST', '2026-11-16T07:00:00.000Z'],
    ['Mon, 16 Nov 2026 09:00:00 HST', '2026-11-16T19:00:00.000Z'],
    // Offsets in other forms.
    ['Mon, 16 Nov 2026 09:00:00 GMT+2', '2026-11-16T07:00:00.000Z'],
    ['Mon, 16 Nov 2026 09:00:00 UTC-3', '2026-11-16T12:00:00.000Z'],
    ['Mon, 16 Nov 2026 09:00:00 GMT +05:30', '2026-11-16T03:30:00.000Z'],
    ['Mon Nov 16 2026 09:00:00 GMT+0100 (CET)', '2026-11-16T08:00:00.000Z'],
    ['Mon, 16 Nov 2026 09:00:00 +1', '2026-11-16T08:00:00.000Z'],
    ['2026-11-16T09:00:00+02', '2026-11-16T07:00:00.000Z'],
    ['2026-11-16 09:00:00.5 -05:00', '2026-11-16T14:00:00.500Z'],
    // Other forms.
    ['11/16/2026 9:00 AM', '2026-11-16T09:00:00.000Z'],
    ['Sept 3, 2026', '2026-09-03T00:00:00.000Z'],
    ['1763280000', '2025-11-16T08:00:00.000Z'],
  ])('makes do with %j', (text, time) => {
    expect(read(text)).toBe(time);
  });

  it.each([
    '',
    'yesterday',
    '0000-00-00 00:00:00',
    'Thu, 01 Jan 1970 00:00:00 GMT',
    'Mon, 16 Nov 2026 25:00:00 GMT',
    // A zone that nobody knows, or that two regions share.
    'Mon, 16 Nov 2026 09:00:00 XYZT',
    'Mon, 16 Nov 2026 09:00:00 AST',
    '2026-11-21T12:00:00.001Z',
    'Sun, 16 Nov 2099 09:00:00 GMT',
    '0'.repeat(10_000),
  ])('takes %j for no time', (text) => {
    expect(read(text)).toBeUndefined();
  });

  it('never throws, and answers nothing that lies ahead', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const time = parseFeedDate(text, NOW);
        return time === undefined || time <= NOW;
      }),
    );
  });
});
