import type { JSX } from 'preact';
import { locale } from '../words/language.js';

const CLOCK = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat(locale, { dateStyle: 'short' });
const MOMENT = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });

/** The time of day, or the day where it is over. */
export function Time({ at }: { readonly at: string }): JSX.Element {
  const time = new Date(at);
  const isToday = time.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={at}>
      {(isToday ? CLOCK : DAY).format(time)}
    </time>
  );
}

/** Day and time; a dash for what has not happened. */
export function Moment({ at }: { readonly at: string | null | undefined }): JSX.Element {
  if (at == null) return <>–</>;
  return (
    <time dateTime={at} title={at}>
      {MOMENT.format(new Date(at))}
    </time>
  );
}
