/**
 * The times of feeds as they are found: RFC 2822 and ISO 8601, with their zones left out or abbreviated, and a
 * number of other forms that `Date.parse` understands.
 */

/** Zones that `Date.parse` does not know, as feeds name them; none that two regions share without a usual one. */
const ZONE_OFFSETS: Readonly<Record<string, string>> = {
  HST: '-1000',
  AKST: '-0900',
  AKDT: '-0800',
  NST: '-0330',
  NDT: '-0230',
  BRT: '-0300',
  WET: '+0000',
  WEST: '+0100',
  BST: '+0100',
  CET: '+0100',
  MET: '+0100',
  WAT: '+0100',
  CEST: '+0200',
  MEST: '+0200',
  MESZ: '+0200',
  MEZ: '+0100',
  CAT: '+0200',
  EET: '+0200',
  SAST: '+0200',
  EEST: '+0300',
  EAT: '+0300',
  IDT: '+0300',
  MSK: '+0300',
  TRT: '+0300',
  PKT: '+0500',
  IST: '+0530',
  ICT: '+0700',
  WIB: '+0700',
  AWST: '+0800',
  HKT: '+0800',
  PHT: '+0800',
  SGT: '+0800',
  JST: '+0900',
  KST: '+0900',
  ACST: '+0930',
  ACDT: '+1030',
  AEST: '+1000',
  AEDT: '+1100',
  NZST: '+1200',
  NZDT: '+1300',
};

const NAMED_ZONE = new RegExp(` ?(${Object.keys(ZONE_OFFSETS).join('|')})$`, 'i');
/** Behind a time of day: `GMT+2`, `UTC +05:30`, `+1`. */
const SHORT_OFFSET = /(:\d{2}(?:\.\d+)?) ?(?:GMT|UTC?)? ?([+-])(\d{1,2})(?::?(\d{2}))?$/i;
const KNOWN_ZONE = /(?:Z|\b(?:UTC?|GMT|[ECMP][SD]T)|[+-]\d{2}:?\d{2})(?: ?\([^()]*\))?$/i;
const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T/;
const EPOCH_SECONDS = /^\d{9,10}$/;
const LENGTH_MAX = 100;

/** Nothing was syndicated before; such times are those of a clock that was never set. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);

/**
 * Parses a feed's publication time; a time without a zone is read as UTC. `undefined` for a time that is not understood,
 * or one before 1990 or after `now`.
 */
export function parseFeedDate(text: string, now: Date): Date | undefined {
  const words = text.trim().replace(/\s+/g, ' ');
  if (words.length > LENGTH_MAX) return undefined;
  const timeMs = EPOCH_SECONDS.test(words) ? Number(words) * 1_000 : Date.parse(withZone(words));
  // Of a time that is not a number, neither is true.
  return timeMs >= EARLIEST_MS && timeMs <= now.getTime() ? new Date(timeMs) : undefined;
}

/** Without a zone the clock of this machine would decide. */
function withZone(words: string): string {
  const offset = SHORT_OFFSET.exec(words);
  if (offset !== null) {
    const [whole, time, sign, hours, minutes = '00'] = offset;
    return `${words.slice(0, -whole.length)}${time}${sign}${hours!.padStart(2, '0')}:${minutes}`;
  }
  const [named, zone] = NAMED_ZONE.exec(words) ?? [];
  if (named !== undefined && zone !== undefined) {
    return `${words.slice(0, -named.length)} ${ZONE_OFFSETS[zone.toUpperCase()]}`;
  }
  if (ISO_DAY.test(words) || KNOWN_ZONE.test(words)) return words;
  return ISO_TIME.test(words) ? `${words}Z` : `${words} UTC`;
}
