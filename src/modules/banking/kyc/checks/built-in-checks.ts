import { compareWithZone } from '../../../../domain/banking/mrz-names.js';
import { readMrz, type Mrz, type MrzFault } from '../../../../domain/banking/mrz.js';
import type { DocumentType, PersonalData } from '../kyc-provider.js';
import type { NameMatch } from '../sanctions/name-index.js';
import type { CheckName, CheckOutcome, CheckResult } from './check-result.js';
import { isZoneCodeOf } from '../validation/countries.js';

/** Facts for the checks besides the person's data. */
export interface CheckCircumstances {
  /** By the clock of the database, such as `2026-11-21`. */
  readonly today: string;
  readonly ageMinYears: number;
  /** Whether another person has used the same document. */
  readonly documentIsUsed: boolean;
  /** Similar names on the sanctions list; `undefined` if there is no list. */
  readonly sanctions: readonly NameMatch[] | undefined;
  readonly sanctionsListSize: number | null;
}

const CHECKS_OF_FAULTS: Readonly<Record<MrzFault, CheckName>> = {
  lines: 'mrz_structure',
  document_number: 'mrz_document_number',
  birth_date: 'mrz_date_of_birth',
  expiry_date: 'mrz_expiry',
  personal_number: 'mrz_structure',
  composite: 'mrz_structure',
};

/** Runs all automatic checks, in a fixed order. */
export function checkPerson(person: PersonalData, circumstances: CheckCircumstances): readonly CheckResult[] {
  const { today, ageMinYears, documentIsUsed } = circumstances;
  const isOldEnough = ageOn(person.dateOfBirth, today) >= ageMinYears;
  return [
    { check: 'age', outcome: isOldEnough ? 'passed' : 'failed' },
    { check: 'document_expiry', outcome: person.document.expiresOn >= today ? 'passed' : 'failed' },
    { check: 'document_reuse', outcome: documentIsUsed ? 'review' : 'passed' },
    ...checkZone(person),
    checkSanctions(circumstances),
  ];
}

/** Age in full years on a day; both days are such as `1974-08-12`. Birthdays of 29 February count on 1 March. */
export function ageOn(dateOfBirth: string, day: string): number {
  const years = Number(day.slice(0, 4)) - Number(dateOfBirth.slice(0, 4));
  return day.slice(5) < dateOfBirth.slice(5) ? years - 1 : years;
}

function checkZone(person: PersonalData): readonly CheckResult[] {
  const { document } = person;
  if (document.mrz.length === 0) {
    // Driving licences of most countries have none.
    const isMissing = document.type !== 'driving_licence';
    return [{ check: 'mrz_present', outcome: isMissing ? 'failed' : 'review' }];
  }
  const reading = readMrz(document.mrz);
  if (!reading.ok) {
    // The composite digit is wrong whenever another is; report it only if it is the only fault.
    const parts = reading.faults.filter((fault) => fault !== 'composite');
    const faults = parts.length === 0 ? reading.faults : parts;
    return [...new Set(faults.map((fault) => CHECKS_OF_FAULTS[fault]))].map((check) => ({
      check,
      outcome: 'failed',
    }));
  }
  const { mrz } = reading;
  const outcomes: readonly (readonly [CheckName, CheckOutcome])[] = [
    ['mrz_structure', 'passed'],
    ['mrz_document_type', isTypeOf(document.type, mrz) ? 'passed' : 'review'],
    ['mrz_name', nameOutcome(person, mrz)],
    ['mrz_date_of_birth', birthOutcome(person.dateOfBirth, mrz.birthDate)],
    ['mrz_document_number', orFailed(zoneNumberOf(document.number) === mrz.documentNumber)],
    ['mrz_issuing_country', orFailed(isZoneCodeOf(document.issuingCountry, mrz.issuer))],
    ['mrz_nationality', orFailed(isZoneCodeOf(person.nationality, mrz.nationality))],
    ['mrz_expiry', orFailed(shortDate(document.expiresOn) === mrz.expiryDate)],
  ];
  return outcomes.map(([check, outcome]) => ({ check, outcome }));
}

function orFailed(isRight: boolean): CheckOutcome {
  return isRight ? 'passed' : 'failed';
}

function isTypeOf(type: DocumentType, { format }: Mrz): boolean {
  return (type === 'passport') === (format === 'TD3');
}

/** Names have many spellings, so a person must decide if the zone differs. */
function nameOutcome({ firstName, lastName }: PersonalData, mrz: Mrz): CheckOutcome {
  return compareWithZone(firstName, lastName, mrz) === 'same' ? 'passed' : 'review';
}

/** A zone may omit unknown parts of a birth date; then a person must decide. */
function birthOutcome(dateOfBirth: string, zoneDate: string): CheckOutcome {
  const date = shortDate(dateOfBirth);
  const fits = [...zoneDate].every((digit, i) => digit === '<' || digit === date.charAt(i));
  if (!fits) return 'failed';
  return zoneDate.includes('<') ? 'review' : 'passed';
}

/** `YYMMDD`. */
function shortDate(date: string): string {
  return date.slice(2).replaceAll('-', '');
}

function zoneNumberOf(number: string): string {
  return number.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

function checkSanctions({ sanctions, sanctionsListSize }: CheckCircumstances): CheckResult {
  if (sanctions === undefined) return { check: 'sanctions', outcome: 'review', listSize: null };
  const listSize = sanctionsListSize;
  if (sanctions.length === 0) return { check: 'sanctions', outcome: 'passed', listSize };
  return {
    check: 'sanctions',
    outcome: 'review',
    score: sanctions[0]!.score,
    listEntries: sanctions,
    listSize,
  };
}
