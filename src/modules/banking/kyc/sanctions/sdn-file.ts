import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import type { ListedName } from './name-index.js';

/** What OFAC writes where it has nothing. */
const NOTHING = '-0-';
const PERSON = 'individual';
/** Of a row; the longest of OFAC's are remarks of a few thousand. */
const ROW_CHARACTERS_MAX = 100_000;

/** A person of the list. */
export interface ListedPerson extends ListedName {
  /** Such as `SDGT`; empty if the list names none. */
  readonly program: string;
}

/**
 * Reads the people of a file like OFAC's `sdn.csv`: number, name, type, program, and columns that do not matter
 * here, without a header. Vessels, aircraft and organisations are left out. Rejects where it cannot be read.
 */
export async function readPeople(path: string): Promise<readonly ListedPerson[]> {
  const people: ListedPerson[] = [];
  for await (const [uid = '', name = '', type = '', program = ''] of rowsOf(path)) {
    if (type.toLowerCase() !== PERSON || name === '' || name === NOTHING) continue;
    people.push({ uid, name, program: program === NOTHING ? '' : program });
  }
  return people;
}

/** Reads a file like OFAC's `alt.csv`: the entry's number, a number, a type, and the other name. */
export async function readOtherNames(path: string): Promise<readonly ListedName[]> {
  const names: ListedName[] = [];
  for await (const [uid = '', , , name = ''] of rowsOf(path)) {
    if (uid !== '' && name !== '' && name !== NOTHING) names.push({ uid, name });
  }
  return names;
}

async function* rowsOf(path: string): AsyncIterable<readonly string[]> {
  const { parse } = await import('csv-parse');
  const rows = parse({
    bom: true,
    trim: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: ROW_CHARACTERS_MAX,
  });
  // An error of the file ends the rows too, so the reader gets it.
  pipeline(createReadStream(path, 'utf8'), rows, () => undefined);
  for await (const row of rows as AsyncIterable<string[]>) yield row;
}
