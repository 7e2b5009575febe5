/**
 * The days on which banks settle payments. The operators' own tables are short and kept here. Libraries of public
 * holidays do not fit: they list a country's days off, with substitute Fridays on which the Federal Reserve is open.
 */

/** A calendar date without time or zone: `2026-11-21`. */
export type CalendarDate = string;

/** `target2` settles euros, `fedach` the entries of the American ACH. */
type KnownCalendar = 'target2' | 'fedach';

/** The days of another way to banks. */
export interface PayoutCalendar {
  /** Whether payments settle on that day; always the same for a day, and true for one of 366 in a row at least. */
  isBusinessDay(date: CalendarDate): boolean;
}

export type BankCalendar = KnownCalendar | PayoutCalendar;

/** A calendar that is closed for longer is wrong. */
const CLOSED_DAYS_MAX = 366;

const DAYS_IN_FOUR_CENTURIES = 146_097;
const THURSDAY = 4;

const HOLIDAYS: Readonly<Record<KnownCalendar, (year: number) => readonly number[]>> = {
  target2: target2Holidays,
  fedach: federalReserveHolidays,
};

/** Holidays of a year as day numbers, cached because counting days asks for them repeatedly. */
const known = new Map<string, ReadonlySet<number>>();

/** Whether payments settle on that day. */
export function isBusinessDay(calendar: BankCalendar, date: CalendarDate): boolean {
  return settles(calendar, dayNumberOf(date));
}

/** The day itself if it is a business day, else the next business day. */
export function businessDayFrom(calendar: BankCalendar, date: CalendarDate): CalendarDate {
  return calendarDateOf(nextSettling(calendar, dayNumberOf(date), 1));
}

/**
 * The `count`-th business day after a day, which need not be a business day itself. A count of zero is
 * `businessDayFrom`.
 */
export function addBusinessDays(calendar: BankCalendar, date: CalendarDate, count: number): CalendarDate {
  let day = dayNumberOf(businessDayFrom(calendar, date));
  // Counting starts at the day itself: a payment of Saturday that takes one day arrives on Monday.
  let left = isBusinessDay(calendar, date) ? count : count - 1;
  for (; left > 0; left--) day = nextSettling(calendar, day + 1, 1);
  return calendarDateOf(day);
}

/** The last business day on or before the day. */
export function businessDayUpTo(calendar: BankCalendar, date: CalendarDate): CalendarDate {
  return calendarDateOf(nextSettling(calendar, dayNumberOf(date), -1));
}

export function dayBefore(date: CalendarDate): CalendarDate {
  return calendarDateOf(dayNumberOf(date) - 1);
}

/** The day itself, or the first one after it, or before it, on which payments settle. */
function nextSettling(calendar: BankCalendar, day: number, step: 1 | -1): number {
  for (let closed = 0; closed <= CLOSED_DAYS_MAX; closed++)
    if (settles(calendar, day + closed * step)) return day + closed * step;
  throw new RangeError(
    `the calendar has no business day within ${CLOSED_DAYS_MAX} days of ${calendarDateOf(day)}`,
  );
}

function settles(calendar: BankCalendar, day: number): boolean {
  if (typeof calendar === 'object') return calendar.isBusinessDay(calendarDateOf(day));
  const weekday = weekdayOf(day);
  if (weekday === 0 || weekday === 6) return false;
  return !holidaysOf(calendar, yearOf(day)).has(day);
}

function holidaysOf(calendar: KnownCalendar, year: number): ReadonlySet<number> {
  const key = `${calendar}:${year}`;
  let holidays = known.get(key);
  if (holidays === undefined) {
    holidays = new Set(HOLIDAYS[calendar](year));
    known.set(key, holidays);
  }
  return holidays;
}

/** The six closing days of TARGET2, fixed by the European Central Bank. */
function target2Holidays(year: number): number[] {
  const easter = easterSundayOf(year);
  return [
    dayNumber(year, 1, 1),
    easter - 2,
    easter + 1,
    dayNumber(year, 5, 1),
    dayNumber(year, 12, 25),
    dayNumber(year, 12, 26),
  ];
}

/** The holidays of the Federal Reserve Banks. A holiday on a Sunday moves to Monday; one on a Saturday is dropped. */
function federalReserveHolidays(year: number): number[] {
  const fixed = [
    dayNumber(year, 1, 1),
    dayNumber(year, 6, 19),
    dayNumber(year, 7, 4),
    dayNumber(year, 11, 11),
    dayNumber(year, 12, 25),
  ].map((day) => (weekdayOf(day) === 0 ? day + 1 : day));
  return [
    ...fixed,
    nthWeekday(year, 1, 1, 3),
    nthWeekday(year, 2, 1, 3),
    nthWeekday(year, 6, 1, 1) - 7,
    nthWeekday(year, 9, 1, 1),
    nthWeekday(year, 10, 1, 2),
    nthWeekday(year, 11, THURSDAY, 4),
  ];
}

/** The `nth` such weekday (0 is Sunday) of a month. */
function nthWeekday(year: number, month: number, weekday: number, nth: number): number {
  const first = dayNumber(year, month, 1);
  return first + ((weekday - weekdayOf(first) + 7) % 7) + (nth - 1) * 7;
}

/** Western Easter by the Gregorian computus. */
function easterSundayOf(year: number): number {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const leapSkips = century - Math.floor(century / 4);
  const moonShift = Math.floor((8 * century + 13) / 25);
  const moon = (leapSkips - moonShift + 19 * golden + 15) % 30;
  const fullMoon =
    moon - Math.floor(moon / 28) * (1 - Math.floor(29 / (moon + 1)) * Math.floor((21 - golden) / 11));
  const weekday = (year + Math.floor(year / 4) + fullMoon + 2 - leapSkips) % 7;
  // Counted in days after the 28th of March.
  return dayNumber(year, 3, 28) + fullMoon - weekday;
}

/** Days since the first of January 1970. */
function dayNumberOf(date: CalendarDate): number {
  const [year, month, day] = date.split('-').map(Number);
  return dayNumber(year!, month!, day!);
}

/** Years start in March here, so that the leap day is the last day of a year. */
function dayNumber(year: number, month: number, day: number): number {
  const fromMarch = month <= 2 ? year - 1 : year;
  const era = Math.floor(fromMarch / 400);
  const yearOfEra = fromMarch - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * DAYS_IN_FOUR_CENTURIES + dayOfEra - 719_468;
}

function calendarDateOf(day: number): CalendarDate {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / DAYS_IN_FOUR_CENTURIES);
  const dayOfEra = shifted - era * DAYS_IN_FOUR_CENTURIES;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const dayOfMonth = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(dayOfMonth, 2)}`;
}

function yearOf(day: number): number {
  return Number(calendarDateOf(day).slice(0, 4));
}

/** 0 is Sunday; the first of January 1970 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + THURSDAY) % 7) + 7) % 7;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
