/** The end of the year 9999, the last second that RFC 3339 can write. */
const SECONDS_MAX = 253_402_300_799;
const WHOLE_NUMBER = /^-?\d{1,15}$/;

/** Reads seconds since 1970; charts also ask for times before it. `undefined` for what is no whole number. */
export function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined || !WHOLE_NUMBER.test(text)) return undefined;
  return Math.min(Math.max(Number(text), 0), SECONDS_MAX);
}

export function utcTimeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

export function unixTimeOf(utcTime: string): number {
  return Math.floor(Date.parse(utcTime) / 1_000);
}
