/** Compares a person's names with those in a machine-readable zone, which allows only A to Z. */

export type NameComparison =
  | 'same'
  | 'different'
  /** ICAO Doc 9303 has no transliteration here for some letter of the name. */
  | 'unreadable';

/**
 * How issuers transliterate letters in a zone: first the recommendation of ICAO Doc 9303 part 3, section 6, then
 * variants in use. Letters that are not listed lose their diacritics.
 */
const TRANSLITERATIONS: Readonly<Record<string, readonly string[]>> = {
  Ä: ['AE', 'A'],
  Å: ['AA', 'A'],
  Æ: ['AE'],
  Ð: ['D'],
  Đ: ['D'],
  Ĳ: ['IJ'],
  Ñ: ['N', 'NXX'],
  Ö: ['OE', 'O'],
  Ø: ['OE', 'O'],
  Œ: ['OE'],
  Þ: ['TH'],
  Ü: ['UE', 'UXX', 'U'],
  ẞ: ['SS'],
  ß: ['SS'],
  Ħ: ['H'],
  İ: ['I'],
  Ł: ['L'],
  Ŧ: ['T'],
  Ŋ: ['N'],
  ĸ: ['Q'],
  Ə: ['E'],
  А: ['A'],
  Б: ['B'],
  В: ['V'],
  Г: ['G', 'H'],
  Ґ: ['G'],
  Д: ['D'],
  Ђ: ['D', 'DJ'],
  Ѓ: ['G'],
  Е: ['E', 'IE'],
  Ё: ['E', 'IO'],
  Є: ['IE'],
  Ж: ['ZH', 'Z'],
  З: ['Z'],
  Ѕ: ['DZ'],
  И: ['I', 'Y'],
  Й: ['I'],
  І: ['I'],
  Ї: ['I', 'YI'],
  Ј: ['J'],
  К: ['K'],
  Л: ['L'],
  Љ: ['LJ'],
  М: ['M'],
  Н: ['N'],
  Њ: ['NJ'],
  О: ['O'],
  П: ['P'],
  Р: ['R'],
  С: ['S'],
  Т: ['T'],
  Ћ: ['C'],
  Ќ: ['K'],
  У: ['U'],
  Ў: ['U'],
  Ф: ['F'],
  Х: ['KH', 'H'],
  Ц: ['TS', 'C'],
  Ч: ['CH', 'C'],
  Џ: ['DZ'],
  Ш: ['SH', 'S'],
  Щ: ['SHCH', 'SHT'],
  Ъ: ['IE', 'A', ''],
  Ы: ['Y'],
  Ь: ['', 'I'],
  Э: ['E'],
  Ю: ['IU', 'YU'],
  Я: ['IA', 'YA'],
  ʹ: [''],
};

const ALTERNATIVES = new Map(
  Object.entries(TRANSLITERATIONS).map(([letter, texts]) => [letter.normalize('NFC'), texts]),
);

/** A zone omits it or writes a gap. */
const APOSTROPHES = /^['’‘ʼʻ`´]$/u;
/** A zone writes a gap or omits it. */
const GAPS = /^[\s\p{Pd}]$/u;
/** A zone omits it. */
const STOPS = /^[.,·]$/u;

interface ZoneName {
  readonly primaryName: readonly string[];
  readonly secondaryName: readonly string[];
  readonly nameMayBeCut: boolean;
}

/**
 * Whether a person's names match the zone. A zone may have more first names than the person gives, and may be
 * truncated. Where it has no first names, one field has all names.
 */
export function compareWithZone(firstName: string, lastName: string, zone: ZoneName): NameComparison {
  const first = lettersOf(firstName);
  const last = lettersOf(lastName);
  if (first === undefined || last === undefined) return 'unreadable';
  const { secondaryName, nameMayBeCut } = zone;
  const primary = zone.primaryName.join('<');
  if (secondaryName.length === 0) {
    const options = { mayEndEarly: nameMayBeCut, mayGoOn: false };
    const inOne = [last, first, [...first, GAP, ...last], [...last, GAP, ...first]];
    return inOne.some((letters) => fits(letters, primary, options)) ? 'same' : 'different';
  }
  return fits(last, primary, { mayEndEarly: false, mayGoOn: false }) &&
    fits(first, secondaryName.join('<'), { mayEndEarly: nameMayBeCut, mayGoOn: true })
    ? 'same'
    : 'different';
}

/** Each letter with its possible spellings in a zone. */
type Letters = readonly (readonly string[])[];

const GAP = ['<', ''] as const;

function lettersOf(name: string): Letters | undefined {
  const letters: (readonly string[])[] = [];
  for (const character of name.trim().normalize('NFC').toUpperCase()) {
    const alternatives = alternativesOf(character);
    if (alternatives === undefined) return undefined;
    letters.push(alternatives);
  }
  return letters;
}

function alternativesOf(character: string): readonly string[] | undefined {
  if (APOSTROPHES.test(character)) return ['', '<'];
  if (GAPS.test(character)) return GAP;
  // A mark that could not be composed with its letter is omitted, like the composed ones.
  if (STOPS.test(character) || /^\p{Mn}$/u.test(character)) return [''];
  const known = ALTERNATIVES.get(character);
  if (known) return known;
  const bare = character.normalize('NFD').replace(/\p{Mn}/gu, '');
  return /^[A-Z]+$/.test(bare) ? [bare] : ALTERNATIVES.get(bare);
}

/**
 * Whether some choice of spellings gives the text. All reachable positions are followed at once, so the time does not
 * grow exponentially with the number of such letters.
 */
function fits(
  letters: Letters,
  text: string,
  { mayEndEarly, mayGoOn }: { readonly mayEndEarly: boolean; readonly mayGoOn: boolean },
): boolean {
  let reached = new Set([0]);
  for (const alternatives of letters) {
    const next = new Set<number>();
    for (const place of reached) {
      // The text has ended: the rest of the name was truncated.
      if (mayEndEarly && place === text.length && place > 0) return true;
      for (const alternative of alternatives) {
        if (text.startsWith(alternative, place)) next.add(place + alternative.length);
        else if (
          mayEndEarly &&
          alternative !== '' &&
          text.slice(place) !== '' &&
          alternative.startsWith(text.slice(place))
        ) {
          return true;
        }
      }
    }
    reached = next;
  }
  return [...reached].some((place) => place === text.length || (mayGoOn && text.charAt(place) === '<'));
}
