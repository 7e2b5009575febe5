import {
  addBusinessDays,
  businessDayFrom,
  businessDayUpTo,
  type CalendarDate,
  dayBefore,
  isBusinessDay,
} from '../../../domain/banking/bank-calendar.js';
import { localTimeOf } from '../bank-rails/local-time.js';
import type { RailTerms } from '../bank-rails/payout-rail.js';

/** The last business day whose cut-off has passed. */
export function lastCutOffOf(terms: RailTerms, now: Date): CalendarDate {
  const { date, minutes } = localTimeOf(terms, now);
  const isPast = isBusinessDay(terms.calendar, date) && minutes >= terms.cutOffMinutes;
  return isPast ? date : businessDayUpTo(terms.calendar, dayBefore(date));
}

/**
 * The day on which a bank is asked to pay what is in a file made now: that of the cut-off, and the rail's
 * lead days later. The cut-off's own file, made right after it, still counts to its day.
 */
export function settlementDayOf(terms: RailTerms, now: Date, cutOffDay?: CalendarDate): CalendarDate {
  const { calendar, leadDays } = terms;
  const { date, minutes } = localTimeOf(terms, now);
  const isInTime = minutes < terms.cutOffMinutes || cutOffDay === date;
  const day = isInTime || !isBusinessDay(calendar, date) ? date : addBusinessDays(calendar, date, 1);
  return leadDays === 0
    ? businessDayFrom(calendar, day)
    : addBusinessDays(calendar, businessDayFrom(calendar, day), leadDays);
}

/** The day on which silence means that a payout was paid which the bank was to pay on `settlesOn`, and has. */
export function paidAfterOf(terms: RailTerms, settlesOn: CalendarDate, now: Date): CalendarDate {
  const { date } = localTimeOf(terms, now);
  return addBusinessDays(terms.calendar, settlesOn > date ? settlesOn : date, terms.paidAfterDays);
}
