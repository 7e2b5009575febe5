/**
 * The times of feeds as they are found: RFC 2822 and ISO 8601, with their zones left out or abbreviated, and a
 * number of other forms that `Date.parse` understands.
 */

/** Zones that `Date.parse` does not know, as feeds name them. */
const ZONE_OFFSETS: Readonly<Record<string, string>> = {
  WET: '+0000',
  WEST: '+0100',
  BST: '+0100',
  CET: '+0100',
  CEST: '+0200',
  EET: '+0200',
  EEST: '+0300',
  MSK: '+0300',
  IST: '+0530',
  SGT: '+0800',
  HKT: '+0800',
  JST: '+0900',
  KST: '+0900',
  AEST: '+1000',
  AEDT: '+1100',
};

const NAMED_ZONE = new RegExp(` ?(${Object.keys(ZONE_OFFSETS).join('|')})$`, 'i');
const KNOWN_ZONE = /(?:Z|\b(?:UTC?|GMT|[ECMP][SD]T)|[+-]\d{2}:?\d{2})(?: ?\([^()]*\))?$/i;
const ISO_DAY = /^\d{4}-\d{2}-\d{2}$/;
const ISO_TIME = /^\d{4}-\d{2}-\d{2}T/;
const EPOCH_SECONDS = /^\d{9,10}$/;
const LENGTH_MAX = 100;

/** Nothing was syndicated before; such times are those of a clock that was never set. */
const EARLIEST_MS = Date.UTC(1990, 0, 1);

/**
 * Parses a feed's publication time; a time without a zone is read as UTC. `undefined` for an invalid time, or one
 * before 1990 or after `now`.
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
  const [named, zone] = NAMED_ZONE.exec(words) ?? [];
  if (named !== undefined && zone !== undefined) {
    return `${words.slice(0, -named.length)} ${ZONE_OFFSETS[zone.toUpperCase()]}`;
  }
  if (ISO_DAY.test(words) || KNOWN_ZONE.test(words)) return words;
  return ISO_TIME.test(words) ? `${words}Z` : `${words} UTC`;
}
