/**
 * For `node --import` alone, with `?ahead_ms=` at the end: the wall clock of the process is ahead by so much. The service never
 * imports it.
 */
const aheadMs = Number(new URL(import.meta.url).searchParams.get('ahead_ms'));

const now = Date.now.bind(Date);
const shiftedNow = (): number => now() + aheadMs;

globalThis.Date = new Proxy(Date, {
  apply: (date) => new date(shiftedNow()).toString(),
  construct: (date, values, target) =>
    Reflect.construct(date, values.length === 0 ? [shiftedNow()] : values, target) as object,
  get: (date, name) => (name === 'now' ? shiftedNow : Reflect.get(date, name)) as unknown,
});
