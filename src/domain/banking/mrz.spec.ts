import fc from 'fast-check';
import { parse } from 'mrz';
import { describe, expect, it } from 'vitest';
import { checkDigitOf, readMrz, type Mrz, type MrzFormat } from './mrz.js';

/** The specimens of ICAO Doc 9303: part 4 (TD3), part 6 (TD2) and part 5 (TD1). */
const TD3 = ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'];
const TD2 = ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'];
const TD1 = [
  'I<UTOD231458907<<<<<<<<<<<<<<<',
  '7408122F1204159UTO<<<<<<<<<<<6',
  'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
];
/** From part 11: a number that is longer than its field. */
const TD1_LONG_NUMBER = [
  'I<UTOD23145890<7349<<<<<<<<<<<',
  '3407127M9507122UTO<<<<<<<<<<<2',
  'STEVENSON<<PETER<JOHN<<<<<<<<<',
];
const TD2_LONG_NUMBER = ['I<UTOSTEVENSON<<PETER<JOHN<<<<<<<<<<', 'D23145890<UTO3407127M95071227349<<<8'];
const SPECIMENS: readonly [format: MrzFormat, lines: readonly string[]][] = [
  ['TD3', TD3],
  ['TD2', TD2],
  ['TD1', TD1],
];

describe('readMrz', () => {
  it.each(SPECIMENS)('reads the specimen of %s', (format, lines) => {
    expect(readMrz(lines)).toEqual({
      ok: true,
      mrz: {
        format,
        documentCode: format === 'TD3' ? 'P' : 'I',
        issuer: 'UTO',
        nationality: 'UTO',
        documentNumber: format === 'TD3' ? 'L898902C3' : 'D23145890',
        birthDate: '740812',
        expiryDate: '120415',
        primaryName: ['ERIKSSON'],
        secondaryName: ['ANNA', 'MARIA'],
        nameMayBeCut: false,
      } satisfies Mrz,
    });
  });

  it.each(SPECIMENS)('refuses the specimen of %s with any digit changed to any other', (_format, lines) => {
    let changed = 0;
    for (const [line, text] of lines.entries()) {
      for (let i = 0; i < text.length; i++) {
        if (!/\d/.test(text.charAt(i))) continue;
        for (let digit = 0; digit <= 9; digit++) {
          if (String(digit) === text.charAt(i)) continue;
          const wrong = lines.with(line, text.slice(0, i) + digit + text.slice(i + 1));
          expect(readMrz(wrong).ok, wrong.join('\n')).toBe(false);
          changed++;
        }
      }
    }
    expect(changed).toBeGreaterThan(200);
  });

  it('agrees with an independent reader on the check digits of random passports', () => {
    const alphanumeric = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
    const number = fc.string({ unit: fc.constantFrom(...alphanumeric, '<'), minLength: 9, maxLength: 9 });
    const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(number, digits, (documentNumber, [a, b, c, d, e]) => {
        const line = `${documentNumber}${a}FRA740812${b}F300415${c}<<<<<<<<<<<<<<${d}${e}`;
        const lines = [TD3[0]!.replace('UTO', 'FRA'), line];
        const theirs = parse(lines).details.filter(({ field }) => field?.endsWith('CheckDigit'));
        const ours = readMrz(lines);
        expect(ours.ok).toBe(theirs.every(({ valid }) => valid));
      }),
    );
    expect(parse([TD3[0]!.replace('UTO', 'FRA'), TD3[1]!.replace('UTO', 'FRA')]).valid).toBe(true);
  });

  it('says which parts are wrong', () => {
    const faultsOf = (lines: readonly string[]): unknown => {
      const reading = readMrz(lines);
      return reading.ok ? [] : reading.faults;
    };
    expect(faultsOf([TD3[0]!, TD3[1]!.replace('L898902C3', 'L898902C4')])).toEqual([
      'document_number',
      'composite',
    ]);
    expect(faultsOf([TD3[0]!, TD3[1]!.replace('740812', '740813')])).toEqual(['birth_date', 'composite']);
    expect(faultsOf([TD3[0]!, TD3[1]!.replace('120415', '120416')])).toEqual(['expiry_date', 'composite']);
    expect(faultsOf([TD3[0]!, TD3[1]!.replace('ZE184226B', 'ZE184226C')])).toEqual([
      'personal_number',
      'composite',
    ]);
    expect(faultsOf([TD3[0]!, `${TD3[1]!.slice(0, -1)}1`])).toEqual(['composite']);
  });

  it.each([
    ['nothing', []],
    ['one line', [TD3[0]!]],
    ['a line too long', [TD3[0]!, `${TD3[1]!}<`]],
    ['lines of two formats', [TD3[0]!, TD2[1]!]],
    ['another alphabet', [TD3[0]!.replace('A', 'А'), TD3[1]!]],
    ['digits of another script', [TD3[0]!, TD3[1]!.replace('8', '８')]],
    ['digits in the name', [TD3[0]!.replace('ANNA', 'ANN4'), TD3[1]!]],
    ['a visa', [TD3[0]!.replace('P<', 'V<'), TD3[1]!]],
  ])('finds no zone in %s', (_what, lines) => {
    expect(readMrz(lines)).toEqual({ ok: false, faults: ['lines'] });
  });

  it('reads what people type, with spaces and small letters', () => {
    expect(readMrz(TD3.map((line) => ` ${line.toLowerCase().replace('<<', '< <')} `)).ok).toBe(true);
  });

  it.each([
    ['TD1', TD1_LONG_NUMBER],
    ['TD2', TD2_LONG_NUMBER],
  ])('reads a number that is longer than its field, in %s', (_format, lines) => {
    expect(readMrz(lines)).toMatchObject({ ok: true, mrz: { documentNumber: 'D23145890734' } });
    const wrong = lines.map((line) => line.replace('7349', '7359'));
    expect(readMrz(wrong)).toMatchObject({ ok: false });
  });

  it('takes a birth that is not known to the day', () => {
    const birth = `74<<<<${checkDigitOf('74<<<<')}`;
    const composed = `L898902C36UTO${birth}F1204159ZE184226B<<<<<1`;
    const over = composed.slice(0, 10) + composed.slice(13, 20) + composed.slice(21, 43);
    expect(readMrz([TD3[0]!, composed + checkDigitOf(over)])).toMatchObject({
      ok: true,
      mrz: { birthDate: '74<<<<' },
    });
  });
});
