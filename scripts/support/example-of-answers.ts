import { createHash } from 'node:crypto';

type Json = string | number | boolean | null | Json[] | { [field: string]: Json };

const ID = /\b([a-z]{3})_[0-9A-HJKMNP-TV-Z]{11}\b/g;
const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z$/;
const DATE = /^20[2-9]\d-\d{2}-\d{2}$/;
const LOCAL_ADDRESS = /https?:\/\/(?:127\.0\.0\.1|localhost):\d+/g;
const HEX = /^(0x)?[0-9a-f]{32,}$/i;
const BASE64 = /^[A-Za-z0-9+/_-]{40,}={0,2}$/;
/** What the service makes for one caller to keep: `tpa_…`, `whsec_…`. */
const SECRET = /^(tp[a-z]_|whsec_)[\w+/=-]+$/;
const SECRET_FIELD = /^(?:api_key|client_secret|key|secret|ticket|token|\w+_token|recovery_codes)$/;
const CURSOR_FIELD = /^(?:next_)?cursor$/;
const SECONDS_FIELD = /^(?:exp|iat)$/;

const FIRST_MOMENT = Date.parse('2026-11-02T09:00:00.000Z');

/** More of a list tells a reader nothing new; rows of prices are told apart from one another by the second. */
const ROWS_MAX = 1;
const SCALARS_MAX = 3;
const PAIRS_MAX = 2;

/** Texts such as pages of the blog are cut there. */
const TEXT_MAX = 240;

/**
 * An answer as an example: short, the same at each recording, and without anything that could be a secret. Ids count
 * from 1 for each prefix, times follow one another in their order, addresses of a test's service become one.
 */
export function exampleOf(answer: unknown): Json {
  const short = shortened(answer as Json);
  const stable = new StableTexts(timesIn(short));
  return stable.in(short, '');
}

/** How much of its schema an example shows: the number of fields and elements that are not null, up to some depth. */
export function filledFieldsOf(value: unknown): number {
  if (value === null) return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, each) => sum + filledFieldsOf(each), 1);
}

function shortened(value: Json): Json {
  if (typeof value === 'string') return value.length > TEXT_MAX && /\s/.test(value) ? textUpTo(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, shortened(each)]));
  }
  const isOfLists = value.every((each) => Array.isArray(each));
  const isOfObjects = value.some((each) => typeof each === 'object' && each !== null);
  const most = isOfLists ? PAIRS_MAX : isOfObjects ? ROWS_MAX : SCALARS_MAX;
  const fullest = isOfObjects && !isOfLists ? value.toSorted(byFilledFields) : value;
  return fullest.slice(0, most).map(shortened);
}

function byFilledFields(a: Json, b: Json): number {
  return filledFieldsOf(b) - filledFieldsOf(a);
}

function textUpTo(text: string): string {
  return `${text.slice(0, text.lastIndexOf(' ', TEXT_MAX))} …`;
}

function timesIn(value: Json): string[] {
  if (typeof value === 'string') return TIME.test(value) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(timesIn) : [];
}

/** Replaces what differs from one recording to the next. */
class StableTexts {
  private readonly moments: ReadonlyMap<number, number>;
  private readonly numbers = new Map<string, Map<string, number>>();

  constructor(times: readonly string[]) {
    const sorted = [...new Set(times.map((time) => Date.parse(time)))].sort((a, b) => a - b);
    this.moments = new Map(sorted.map((time, at) => [time, FIRST_MOMENT + at * 60_000]));
  }

  in(value: Json, field: string): Json {
    if (typeof value === 'string') return this.text(value, field);
    if (typeof value === 'number') return SECONDS_FIELD.test(field) ? FIRST_MOMENT / 1000 : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each) => this.in(each, field));
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.in(each, name)]));
  }

  private text(text: string, field: string): string {
    if (TIME.test(text)) return this.moment(text);
    if (DATE.test(text)) return '2026-11-02';
    if (CURSOR_FIELD.test(field)) return 'b2ZfdGhlX25leHRfcGFnZQ';
    const secret = SECRET.exec(text)?.[1];
    if (secret !== undefined) return madeUpSecret(secret, text.length);
    if (SECRET_FIELD.test(field) && text.length >= 16 && !/\s/.test(text))
      return madeUpSecret('', text.length);
    const hex = HEX.exec(text);
    if (hex !== null) return (hex[1] ?? '') + digitsOf(field, text.length - (hex[1] ?? '').length, 'hex');
    if (BASE64.test(text)) return base64Like(text, field);
    return text
      .replaceAll(ID, (id, prefix: string) => `${prefix}_${this.numberOf(prefix, id).padStart(11, '0')}`)
      .replaceAll(UUID, (id) => `01890000-0000-7000-8000-${this.numberOf('uuid', id).padStart(12, '0')}`)
      .replaceAll(LOCAL_ADDRESS, 'https://tradepost.example');
  }

  private moment(time: string): string {
    const moment = new Date(this.moments.get(Date.parse(time))!).toISOString();
    return time.includes('.') ? moment : moment.replace('.000', '');
  }

  private numberOf(kind: string, id: string): string {
    const known = this.numbers.get(kind) ?? new Map<string, number>();
    this.numbers.set(kind, known);
    const number = known.get(id) ?? known.size + 1;
    known.set(id, number);
    return String(number);
  }
}

/** Such as `tpa_exampleexample`, as long as a real one. */
function madeUpSecret(prefix: string, length: number): string {
  return prefix + 'example'.repeat(Math.ceil(length / 7)).slice(0, length - prefix.length);
}

function digitsOf(field: string, length: number, encoding: 'hex' | 'base64'): string {
  let digits = '';
  for (let part = 0; digits.length < length; part++) {
    digits += createHash('sha256').update(`${field} ${part}`).digest(encoding).replaceAll('=', '');
  }
  return digits.slice(0, length);
}

/** As many bytes, in the same alphabet, with the same padding. */
function base64Like(text: string, field: string): string {
  const padding = /=*$/.exec(text)![0];
  const digits = digitsOf(field, text.length - padding.length, 'base64');
  const bytes = Buffer.from(digits + padding, 'base64');
  return /[-_]/.test(text) || padding === ''
    ? bytes.toString('base64url') + padding
    : bytes.toString('base64');
}
