import type { CalendarDate } from '../../../domain/banking/bank-calendar.js';

/** The local wall-clock time of a rail. */
export interface LocalTime {
  readonly date: CalendarDate;
  /** Since midnight. */
  readonly minutes: number;
}

export function localTimeOf({ timeZone }: { readonly timeZone: string }, now: Date): LocalTime {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  }).formatToParts(now);
  const part = (type: Intl.DateTimeFormatPartTypes): string =>
    parts.find((each) => each.type === type)?.value ?? '';
  return {
    date: `${part('year')}-${part('month')}-${part('day')}`,
    minutes: Number(part('hour')) * 60 + Number(part('minute')),
  };
}
