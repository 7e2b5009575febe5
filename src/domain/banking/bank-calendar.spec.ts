import { describe, expect, it } from 'vitest';
import {
  addBusinessDays,
  businessDayFrom,
  businessDayUpTo,
  dayBefore,
  isBusinessDay,
  type BankCalendar,
  type PayoutCalendar,
} from './bank-calendar.js';

/** Weekdays of a year on which payments do not settle. */
function closedWeekdays(calendar: BankCalendar, year: number): string[] {
  const closed: string[] = [];
  for (let time = Date.UTC(year, 0, 1); time < Date.UTC(year + 1, 0, 1); time += 86_400_000) {
    const day = new Date(time);
    const date = day.toISOString().slice(0, 10);
    const isWeekend = day.getUTCDay() === 0 || day.getUTCDay() === 6;
    if (isWeekend) expect(isBusinessDay(calendar, date), date).toBe(false);
    else if (!isBusinessDay(calendar, date)) closed.push(date);
  }
  return closed;
}

describe('the closing days', () => {
  // Dates published by the European Central Bank, without those on a weekend.
  it.each([
    [2024, ['2024-01-01', '2024-03-29', '2024-04-01', '2024-05-01', '2024-12-25', '2024-12-26']],
    [2025, ['2025-01-01', '2025-04-18', '2025-04-21', '2025-05-01', '2025-12-25', '2025-12-26']],
    [2026, ['2026-01-01', '2026-04-03', '2026-04-06', '2026-05-01', '2026-12-25']],
    [2027, ['2027-01-01', '2027-03-26', '2027-03-29']],
  ])('of TARGET2 in %d', (year, dates) => {
    expect(closedWeekdays('target2', year)).toEqual(dates);
  });

  // Dates published by the Federal Reserve.
  it.each([
    [
      2021,
      '2021-01-01 2021-01-18 2021-02-15 2021-05-31 2021-07-05 2021-09-06 2021-10-11 2021-11-11 2021-11-25',
    ],
    [
      2023,
      '2023-01-02 2023-01-16 2023-02-20 2023-05-29 2023-06-19 2023-07-04 2023-09-04 2023-10-09 2023-11-23 2023-12-25',
    ],
    [
      2026,
      '2026-01-01 2026-01-19 2026-02-16 2026-05-25 2026-06-19 2026-09-07 2026-10-12 2026-11-11 2026-11-26 2026-12-25',
    ],
    [
      2028,
      '2028-01-17 2028-02-21 2028-05-29 2028-06-19 2028-07-04 2028-09-04 2028-10-09 2028-11-23 2028-12-25',
    ],
  ])('of the Federal Reserve in %d', (year, dates) => {
    // New Year's Day of 2028 is a Saturday, and the fourth of July of 2026: neither moves to the Friday.
    expect(closedWeekdays('fedach', year)).toEqual(dates.split(' '));
  });

  it('know Easter far and wide', () => {
    for (const [year, goodFriday] of [
      [1961, '1961-03-31'],
      [2000, '2000-04-21'],
      [2008, '2008-03-21'],
      [2038, '2038-04-23'],
      [2076, '2076-04-17'],
      [2285, '2285-03-20'],
    ] as const) {
      expect(isBusinessDay('target2', goodFriday), String(year)).toBe(false);
    }
  });
});

describe('counting business days', () => {
  it.each([
    ['target2', '2026-11-20', 0, '2026-11-20'],
    ['target2', '2026-11-21', 0, '2026-11-23'],
    ['target2', '2026-11-20', 1, '2026-11-23'],
    ['target2', '2026-11-21', 1, '2026-11-23'],
    ['target2', '2026-12-24', 1, '2026-12-28'],
    ['target2', '2026-12-31', 1, '2027-01-04'],
    ['target2', '2027-03-25', 2, '2027-03-31'],
    ['fedach', '2026-11-25', 1, '2026-11-27'],
    ['fedach', '2026-11-25', 3, '2026-12-01'],
    ['fedach', '2024-02-28', 2, '2024-03-01'],
  ] as const)('by %s from %s, %d on, comes to %s', (calendar, date, count, expected) => {
    expect(addBusinessDays(calendar, date, count)).toBe(expected);
  });

  it('finds the nearest one on either side', () => {
    expect(businessDayFrom('target2', '2026-04-03')).toBe('2026-04-07');
    expect(businessDayUpTo('target2', '2026-04-06')).toBe('2026-04-02');
    expect(businessDayUpTo('fedach', '2026-04-06')).toBe('2026-04-06');
    expect(dayBefore('2024-03-01')).toBe('2024-02-29');
    expect(dayBefore('2027-01-01')).toBe('2026-12-31');
  });
});

describe("a calendar of one's own", () => {
  /** Open every day but the 24th and 25th of December. */
  const everyDay: PayoutCalendar = { isBusinessDay: (date) => !/-12-2[45]$/.test(date) };

  it('says on which days payments settle, on weekends too', () => {
    expect(isBusinessDay(everyDay, '2026-11-21')).toBe(true);
    expect(businessDayFrom(everyDay, '2026-12-24')).toBe('2026-12-26');
    expect(businessDayUpTo(everyDay, '2026-12-25')).toBe('2026-12-23');
    expect(addBusinessDays(everyDay, '2026-12-22', 3)).toBe('2026-12-27');
    expect(addBusinessDays(everyDay, '2026-12-24', 1)).toBe('2026-12-26');
  });

  it('that is never open is refused instead of searched for ever', () => {
    const never: PayoutCalendar = { isBusinessDay: () => false };
    for (const find of [businessDayFrom, businessDayUpTo])
      expect(() => find(never, '2026-01-01')).toThrow('no business day within 366 days of 2026-01-01');
    expect(() => addBusinessDays(never, '2026-01-01', 1)).toThrow(RangeError);
  });
});
