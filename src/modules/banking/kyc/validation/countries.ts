import { iso31661, iso31661Alpha2ToAlpha3 } from 'iso-3166';

const COUNTRIES: Readonly<Record<string, string>> = iso31661Alpha2ToAlpha3;

/** What ICAO Doc 9303 part 3, section 5 has beside ISO 3166-1: organisations, refugees, the stateless, Utopia. */
const ZONE_ONLY = [
  ...['EUE', 'GBD', 'GBN', 'GBO', 'GBP', 'GBS', 'IAO', 'RKS', 'UNA', 'UNK', 'UNO', 'UTO'],
  ...['XBA', 'XCC', 'XCE', 'XCO', 'XEC', 'XES', 'XIM', 'XMP', 'XOM', 'XPO', 'XXA', 'XXB', 'XXC', 'XXX'],
] as const;

const THREE_LETTERS = new Set<string>([...iso31661.map(({ alpha3 }) => alpha3), ...ZONE_ONLY]);

/** What else stands in zones of a country than its own three letters. */
const OTHER_ZONE_CODES: Readonly<Record<string, readonly string[]>> = {
  DEU: ['D'],
  GBR: ['GBD', 'GBN', 'GBO', 'GBP', 'GBS'],
  XKX: ['RKS'],
};

/** Whether it is a country's code of ISO 3166-1 alpha-2, or `XK`, as everybody calls Kosovo. */
export function isCountryCode(code: string): boolean {
  return code === 'XK' || Object.hasOwn(COUNTRIES, code);
}

/** Whether it is a country's code, or one of three letters that a document may have instead. */
export function isDocumentCountryCode(code: string): boolean {
  return isCountryCode(code) || THREE_LETTERS.has(code);
}

/** The three letters of a code that `isDocumentCountryCode` takes, so that a country has one code. */
export function threeLettersOf(code: string): string {
  return code === 'XK' ? 'XKX' : (COUNTRIES[code] ?? code);
}

/** Whether a machine-readable zone with this code is of the country. */
export function isZoneCodeOf(country: string, zoneCode: string): boolean {
  const threeLetters = threeLettersOf(country);
  return threeLetters === zoneCode || (OTHER_ZONE_CODES[threeLetters]?.includes(zoneCode) ?? false);
}
