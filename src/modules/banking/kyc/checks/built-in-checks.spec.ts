import { describe, expect, it } from 'vitest';
import type { PersonalData } from '../kyc-provider.js';
import { statusByChecks } from './automatic-decision.js';
import { ageOn, checkPerson, type CheckCircumstances } from './built-in-checks.js';
import type { CheckResult } from './check-result.js';
import { isCountryCode, isDocumentCountryCode, isZoneCodeOf } from '../validation/countries.js';
import { requirementsOf } from './requirements.js';

/** The person of ICAO's specimens, in the year before her passport expired. */
const PERSON: PersonalData = {
  firstName: 'Anna Maria',
  lastName: 'Eriksson',
  dateOfBirth: '1974-08-12',
  nationality: 'UTO',
  address: { line1: 'Street 1', line2: null, city: 'City', region: null, postalCode: '1', country: 'PT' },
  document: {
    type: 'passport',
    number: 'L898902C3',
    issuingCountry: 'UTO',
    expiresOn: '2012-04-15',
    mrz: ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'],
  },
};
const CIRCUMSTANCES: CheckCircumstances = {
  today: '2011-06-01',
  ageMinYears: 18,
  documentIsUsed: false,
  sanctions: [],
  sanctionsListSize: 7_000,
};
const notPassed = (results: readonly CheckResult[]): unknown[] =>
  results.filter(({ outcome }) => outcome !== 'passed').map(({ check, outcome }) => `${check} ${outcome}`);

describe('checkPerson', () => {
  it('finds nothing wrong with the specimens of ICAO', () => {
    expect(notPassed(checkPerson(PERSON, CIRCUMSTANCES))).toEqual([]);
    const cards = [
      ['I<UTOD231458907<<<<<<<<<<<<<<<', '7408122F1204159UTO<<<<<<<<<<<6', 'ERIKSSON<<ANNA<MARIA<<<<<<<<<<'],
      ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'],
    ];
    for (const mrz of cards) {
      const document = { ...PERSON.document, type: 'id_card' as const, number: 'D23145890', mrz };
      expect(notPassed(checkPerson({ ...PERSON, document }, CIRCUMSTANCES))).toEqual([]);
    }
  });

  it('takes a document to the end of its last day', () => {
    const onDay = (today: string): unknown => notPassed(checkPerson(PERSON, { ...CIRCUMSTANCES, today }));
    expect(onDay('2012-04-15')).toEqual([]);
    expect(onDay('2012-04-16')).toEqual(['document_expiry failed']);
  });

  it('has a person look at names that are like those of a list, and where there is none', () => {
    const sanctions = [{ uid: '7157', score: 92 }];
    const results = checkPerson(PERSON, { ...CIRCUMSTANCES, sanctions });
    expect(results.at(-1)).toEqual({
      check: 'sanctions',
      outcome: 'review',
      score: 92,
      listEntries: sanctions,
      listSize: 7_000,
    });
    const without = { ...CIRCUMSTANCES, sanctions: undefined, sanctionsListSize: null };
    expect(notPassed(checkPerson(PERSON, without))).toEqual(['sanctions review']);
  });

  it('never holds anything of the person', () => {
    const text = JSON.stringify(checkPerson({ ...PERSON, lastName: 'Other' }, CIRCUMSTANCES));
    for (const word of ['Anna', 'Eriksson', 'Other', 'L898902C3', '1974']) expect(text).not.toContain(word);
  });

  it('names a digit that is wrong by the field that it checks', () => {
    const [first, second] = PERSON.document.mrz as [string, string];
    const withLine = (line: string): unknown =>
      notPassed(
        checkPerson({ ...PERSON, document: { ...PERSON.document, mrz: [first, line] } }, CIRCUMSTANCES),
      );
    expect(withLine(second.replace('C36', 'C37'))).toEqual(['mrz_document_number failed']);
    expect(withLine(second.replace('7408122', '7408123'))).toEqual(['mrz_date_of_birth failed']);
    expect(withLine(second.replace('1204159', '1204158'))).toEqual(['mrz_expiry failed']);
    expect(withLine(`${second.slice(0, -1)}1`)).toEqual(['mrz_structure failed']);
  });
});

describe('ageOn', () => {
  it.each([
    ['2008-06-02', '2026-06-01', 17],
    ['2008-06-01', '2026-06-01', 18],
    ['2008-02-29', '2026-02-28', 17],
    ['2008-02-29', '2026-03-01', 18],
    ['2008-12-31', '2027-01-01', 18],
  ])('of who was born on %s is on %s %i', (born, day, years) => {
    expect(ageOn(born, day)).toBe(years);
  });
});

describe('statusByChecks', () => {
  const rules = { autoApprove: true, autoReject: true, awaitsProvider: false };
  const passed: CheckResult = { check: 'age', outcome: 'passed' };
  const review: CheckResult = { check: 'sanctions', outcome: 'review' };
  const failed: CheckResult = { check: 'age', outcome: 'failed' };

  it('approves nobody in whom anything was found', () => {
    expect(statusByChecks([passed], rules)).toBe('approved');
    expect(statusByChecks([passed, review], rules)).toBe('in_review');
    expect(statusByChecks([passed], { ...rules, autoApprove: false })).toBe('in_review');
    expect(statusByChecks([review, failed], rules)).toBe('rejected');
    expect(statusByChecks([failed], { ...rules, autoReject: false })).toBe('in_review');
    expect(statusByChecks([passed], { ...rules, awaitsProvider: true })).toBe('pending');
    expect(statusByChecks([failed], { ...rules, awaitsProvider: true })).toBe('rejected');
  });
});

describe('requirementsOf', () => {
  it('warns nobody of a list, or of a document that somebody else has used', () => {
    const results: CheckResult[] = [
      { check: 'sanctions', outcome: 'review' },
      { check: 'document_reuse', outcome: 'review' },
      { check: 'provider', outcome: 'failed' },
      { check: 'mrz_present', outcome: 'review' },
    ];
    expect(requirementsOf(results, 18)).toEqual([]);
    expect(requirementsOf([{ check: 'age', outcome: 'failed' }], 21)).toEqual([
      { field: 'date_of_birth', code: 'too_young', message: 'You must be at least 21 years old.' },
    ]);
  });
});

describe('country codes', () => {
  it('are those of ISO 3166-1, and for documents those of ICAO too', () => {
    expect(['PT', 'DE', 'XK', 'GB'].map(isCountryCode)).toEqual([true, true, true, true]);
    expect(['XQ', 'pt', 'PRT', 'UTO', '', 'toString'].map(isCountryCode)).toEqual(Array(6).fill(false));
    expect(['PT', 'PRT', 'UTO', 'XXA', 'RKS'].map(isDocumentCountryCode)).toEqual(Array(5).fill(true));
    expect(['D', 'ZZZ', 'toString'].map(isDocumentCountryCode)).toEqual([false, false, false]);
  });

  it.each([
    ['DE', 'D', true],
    ['DEU', 'D', true],
    ['GB', 'GBR', true],
    ['GB', 'GBD', true],
    ['XK', 'RKS', true],
    ['XXA', 'XXA', true],
    ['PT', 'PRT', true],
    ['PT', 'PT', false],
    ['FR', 'D', false],
  ])('of %s may be %s in a zone: %s', (country, zoneCode, isSo) => {
    expect(isZoneCodeOf(country, zoneCode)).toBe(isSo);
  });
});
