const SECONDS = /^\d+$/;
/** All three forms of a date in HTTP (RFC 9110) begin with the name of a day; `Date.parse` takes numbers for dates, too. */
const DAY_NAME = /^[A-Z][a-z]{2,8},? /;

/** The pause that a `Retry-After` asks for, in seconds or until a date; undefined where it is not understood. */
export function readRetryAfter(text: string, now: Date): number | undefined {
  if (SECONDS.test(text)) return Number(text) * 1_000;
  const untilMs = DAY_NAME.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(untilMs) ? undefined : Math.max(0, untilMs - now.getTime());
}

const QUOTED_LENGTH_MAX = 60;

/** Tells whoever asked for a pause that it was not understood; null where it was, or where none was asked for. */
export function retryAfterRemark(text: string | undefined, now: Date): string | null {
  if (text === undefined || readRetryAfter(text, now) !== undefined) return null;
  return `Its Retry-After is not understood: "${text.slice(0, QUOTED_LENGTH_MAX)}".`;
}
