/** The machine-readable zone of travel documents, as ICAO Doc 9303 parts 3 to 6 lay it out. */

/** TD1 is the size of a card with three lines, TD2 with two; TD3 is a passport. */
export type MrzFormat = 'TD1' | 'TD2' | 'TD3';

/** What a zone says, without its fillers. */
export interface Mrz {
  readonly format: MrzFormat;
  /** `P` for passports; `A`, `C` or `I` for other documents. The issuer chooses a second letter. */
  readonly documentCode: string;
  /** As in the zone: three letters, but `D` for Germany. */
  readonly issuer: string;
  readonly nationality: string;
  readonly documentNumber: string;
  /** `YYMMDD`; unknown parts of a date of birth are `<<`. */
  readonly birthDate: string;
  readonly expiryDate: string;
  /** The parts of the last name, and those of the first names; the latter may be missing. */
  readonly primaryName: readonly string[];
  readonly secondaryName: readonly string[];
  /** Whether the field of the names is full, so that names may be truncated. */
  readonly nameMayBeCut: boolean;
}

/** Which check of a zone fails. */
export type MrzFault =
  | 'lines'
  | 'document_number'
  | 'birth_date'
  | 'expiry_date'
  | 'personal_number'
  | 'composite';

export type MrzReading =
  | { readonly ok: true; readonly mrz: Mrz }
  | { readonly ok: false; readonly faults: readonly MrzFault[] };

/** A line, and the start and end in it. */
type Place = readonly [line: number, start: number, end: number];

interface Layout {
  readonly format: MrzFormat;
  readonly lines: number;
  readonly length: number;
  readonly documentCode: RegExp;
  readonly issuer: Place;
  readonly nationality: Place;
  readonly documentNumber: Place;
  /** Where a number continues that is too long for its field; null for passports. */
  readonly numberRest: Place | null;
  readonly birthDate: Place;
  readonly expiryDate: Place;
  /** Followed by its own check digit; only passports have one. */
  readonly personalNumber: Place | null;
  readonly name: Place;
  /** The fields that the composite check digit covers. It stands at the end of the last line that it covers. */
  readonly composite: readonly Place[];
  readonly compositeDigit: Place;
}

const LAYOUTS: readonly Layout[] = [
  {
    format: 'TD3',
    lines: 2,
    length: 44,
    documentCode: /^P/,
    issuer: [0, 2, 5],
    nationality: [1, 10, 13],
    documentNumber: [1, 0, 9],
    numberRest: null,
    birthDate: [1, 13, 19],
    expiryDate: [1, 21, 27],
    personalNumber: [1, 28, 42],
    name: [0, 5, 44],
    composite: [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 43],
    ],
    compositeDigit: [1, 43, 44],
  },
  {
    format: 'TD2',
    lines: 2,
    length: 36,
    documentCode: /^[ACI]/,
    issuer: [0, 2, 5],
    nationality: [1, 10, 13],
    documentNumber: [1, 0, 9],
    numberRest: [1, 28, 35],
    birthDate: [1, 13, 19],
    expiryDate: [1, 21, 27],
    personalNumber: null,
    name: [0, 5, 36],
    composite: [
      [1, 0, 10],
      [1, 13, 20],
      [1, 21, 35],
    ],
    compositeDigit: [1, 35, 36],
  },
  {
    format: 'TD1',
    lines: 3,
    length: 30,
    documentCode: /^[ACI]/,
    issuer: [0, 2, 5],
    nationality: [1, 15, 18],
    documentNumber: [0, 5, 14],
    numberRest: [0, 15, 30],
    birthDate: [1, 0, 6],
    expiryDate: [1, 8, 14],
    personalNumber: null,
    name: [2, 0, 30],
    composite: [
      [0, 5, 30],
      [1, 0, 7],
      [1, 8, 15],
      [1, 18, 29],
    ],
    compositeDigit: [1, 29, 30],
  },
];

const LINE = /^[A-Z0-9<]+$/;
const NAME = /^[A-Z<]+$/;
const BIRTH_DATE = /^\d\d(?:0[1-9]|1[0-2]|<<)(?:0[1-9]|[12]\d|3[01]|<<)$|^<{6}$/;
const EXPIRY_DATE = /^\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;
const WEIGHTS = [7, 3, 1] as const;

/** The check digit of a text of digits, capital letters and `<` (part 3, 4.9). */
export function checkDigitOf(text: string): string {
  let sum = 0;
  for (let i = 0; i < text.length; i++) sum += valueOf(text.charAt(i)) * WEIGHTS[i % 3]!;
  return String(sum % 10);
}

/** Reads a zone and verifies its check digits. Lines may have spaces and lower case, as people type them. */
export function readMrz(typed: readonly string[]): MrzReading {
  const lines = typed.map((line) => line.replace(/\s/g, '').toUpperCase());
  const layout = LAYOUTS.find((each) => isLaidOut(lines, each));
  if (layout === undefined) return { ok: false, faults: ['lines'] };

  const at = ([line, start, end]: Place): string => lines[line]!.slice(start, end);
  const number = documentNumberIn(lines, layout);
  const faults: MrzFault[] = [];
  if (number === undefined) faults.push('document_number');
  if (!BIRTH_DATE.test(at(layout.birthDate)) || !isChecked(lines, layout.birthDate))
    faults.push('birth_date');
  if (!EXPIRY_DATE.test(at(layout.expiryDate)) || !isChecked(lines, layout.expiryDate)) {
    faults.push('expiry_date');
  }
  if (layout.personalNumber && !isChecked(lines, layout.personalNumber, { mayBeEmpty: true })) {
    faults.push('personal_number');
  }
  if (checkDigitOf(layout.composite.map(at).join('')) !== at(layout.compositeDigit)) faults.push('composite');
  if (number === undefined || faults.length > 0) return { ok: false, faults };

  const name = at(layout.name);
  const [primary = '', secondary = ''] = name.split('<<', 2);
  return {
    ok: true,
    mrz: {
      format: layout.format,
      documentCode: withoutFillers(lines[0]!.slice(0, 2)),
      issuer: withoutFillers(at(layout.issuer)),
      nationality: withoutFillers(at(layout.nationality)),
      documentNumber: number,
      birthDate: at(layout.birthDate),
      expiryDate: at(layout.expiryDate),
      primaryName: partsOf(primary),
      secondaryName: partsOf(secondary),
      nameMayBeCut: !name.endsWith('<'),
    },
  };
}

function isLaidOut(lines: readonly string[], { lines: count, length, documentCode, name }: Layout): boolean {
  return (
    lines.length === count &&
    lines.every((line) => line.length === length && LINE.test(line)) &&
    documentCode.test(lines[0]!) &&
    NAME.test(lines[name[0]]!.slice(name[1], name[2]))
  );
}

/** The document number, or `undefined` if its check digit is wrong. */
function documentNumberIn(
  lines: readonly string[],
  { documentNumber, numberRest }: Layout,
): string | undefined {
  const [line, start, end] = documentNumber;
  const number = lines[line]!.slice(start, end);
  const digit = lines[line]!.charAt(end);
  if (digit !== '<' || numberRest === null) {
    return checkDigitOf(number) === digit ? withoutFillers(number) : undefined;
  }
  // Where the number continues, its check digit is the last character before the next filler.
  const [restLine, restStart, restEnd] = numberRest;
  const rest = lines[restLine]!.slice(restStart, restEnd).split('<', 1)[0]!;
  const [tail, restDigit] = [rest.slice(0, -1), rest.slice(-1)];
  // Part 5 counts the filler between the two parts as part of the number; not every issuer does.
  const fits = checkDigitOf(number + tail) === restDigit || checkDigitOf(`${number}<${tail}`) === restDigit;
  return tail !== '' && fits ? number + tail : undefined;
}

/** Whether the check digit after a field is right. An empty field may have a filler as check digit. */
function isChecked(
  lines: readonly string[],
  [line, start, end]: Place,
  { mayBeEmpty = false }: { readonly mayBeEmpty?: boolean } = {},
): boolean {
  const text = lines[line]!.slice(start, end);
  const digit = lines[line]!.charAt(end);
  return digit === checkDigitOf(text) || (mayBeEmpty && digit === '<' && withoutFillers(text) === '');
}

function valueOf(character: string): number {
  if (character === '<') return 0;
  const code = character.charCodeAt(0);
  return code >= 65 ? code - 55 : code - 48;
}

function withoutFillers(text: string): string {
  return text.replaceAll('<', '');
}

function partsOf(name: string): readonly string[] {
  return name.split('<').filter((part) => part !== '');
}
