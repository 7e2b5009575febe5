import type { KycRequirement } from '../kyc-case.entity.js';
import type { CheckName, CheckResult } from './check-result.js';

/**
 * What a person can do about a failed check. Sanctions matches and reused documents are not disclosed: that would warn
 * the people concerned.
 */
const REQUIREMENTS: Readonly<Record<CheckName, ((ageMinYears: number) => KycRequirement) | null>> = {
  age: (ageMinYears) => ({
    field: 'date_of_birth',
    code: 'too_young',
    message: `You must be at least ${ageMinYears} years old.`,
  }),
  document_expiry: () => ({
    field: 'document.expires_on',
    code: 'document_expired',
    message: 'The document has expired: send one that is valid.',
  }),
  document_reuse: null,
  mrz_present: () => ({
    field: 'document.mrz',
    code: 'mrz_missing',
    message: 'Send the lines of letters and digits at the edge of the document, as they stand there.',
  }),
  mrz_structure: () => ({
    field: 'document.mrz',
    code: 'mrz_unreadable',
    message: 'Copy the lines once more: two of 44 or 36 characters, or three of 30, with every < in them.',
  }),
  mrz_document_type: () => ({
    field: 'document.type',
    code: 'document_type_mismatch',
    message: 'The lines are those of another type of document.',
  }),
  mrz_name: () => ({
    field: 'last_name',
    code: 'name_mismatch',
    message: 'Give first and last name as the document has them.',
  }),
  mrz_date_of_birth: () => ({
    field: 'date_of_birth',
    code: 'date_of_birth_mismatch',
    message: 'The date of birth is not the one in the lines of the document: correct whichever is wrong.',
  }),
  mrz_document_number: () => ({
    field: 'document.number',
    code: 'document_number_mismatch',
    message: 'The number is not the one in the lines of the document: correct whichever is wrong.',
  }),
  mrz_issuing_country: () => ({
    field: 'document.issuing_country',
    code: 'issuing_country_mismatch',
    message: 'The country is not the one in the lines of the document: correct whichever is wrong.',
  }),
  mrz_nationality: () => ({
    field: 'nationality',
    code: 'nationality_mismatch',
    message: 'The nationality is not the one in the lines of the document: correct whichever is wrong.',
  }),
  mrz_expiry: () => ({
    field: 'document.expires_on',
    code: 'expiry_mismatch',
    message: 'The date is not the one in the lines of the document: correct whichever is wrong.',
  }),
  sanctions: null,
  provider: null,
};

/** What the person should send otherwise, in the order of the checks. */
export function requirementsOf(
  results: readonly CheckResult[],
  ageMinYears: number,
): readonly KycRequirement[] {
  return results.flatMap(({ check, outcome }) => {
    // A driving licence without these lines goes to an operator; nothing is missing.
    if (outcome === 'passed' || (check === 'mrz_present' && outcome === 'review')) return [];
    const requirement = REQUIREMENTS[check]?.(ageMinYears);
    return requirement ? [requirement] : [];
  });
}
