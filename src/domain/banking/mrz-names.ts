/** Names of people against those of a machine-readable zone, which has the letters A to Z only. */

export type NameComparison =
  | 'same'
  | 'different'
  /** The name has letters that ICAO Doc 9303 has no table for here. */
  | 'unreadable';

/**
 * What letters may become in a zone: first what ICAO Doc 9303 part 3, section 6 recommends, then what
 * issuers use as well. Letters that are not here lose their marks.
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

/** Left out of a zone, or a gap in it. */
const APOSTROPHES = /^['’‘ʼʻ`´]$/u;
/** A gap in a zone, or left out. */
const GAPS = /^[\s\p{Pd}]$/u;
/** Left out. */
const STOPS = /^[.,·]$/u;

interface ZoneName {
  readonly primaryName: readonly string[];
  readonly secondaryName: readonly string[];
  readonly nameMayBeCut: boolean;
}

/**
 * Whether a person's names are those of the zone. A zone may have more first names than the person gives,
 * and may have been cut off at its end. Where it has no first names, all of the names stand in one.
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

/** Each letter as what it may be in a zone. */
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
  // A mark that could not be joined with its letter is left out, like those that could.
  if (STOPS.test(character) || /^\p{Mn}$/u.test(character)) return [''];
  const known = ALTERNATIVES.get(character);
  if (known) return known;
  const bare = character.normalize('NFD').replace(/\p{Mn}/gu, '');
  return /^[A-Z]+$/.test(bare) ? [bare] : ALTERNATIVES.get(bare);
}

/**
 * Whether some choice among the alternatives spells the text. All places that any choice can reach are
 * followed at once, so that a name of many such letters takes no longer than another.
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
      // Nothing is left of the text: the rest of the name was cut off.
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
