/** Everything that is checked automatically. */
export type CheckName =
  | 'age'
  | 'document_expiry'
  | 'document_reuse'
  | 'mrz_present'
  | 'mrz_structure'
  | 'mrz_document_type'
  | 'mrz_name'
  | 'mrz_date_of_birth'
  | 'mrz_document_number'
  | 'mrz_issuing_country'
  | 'mrz_nationality'
  | 'mrz_expiry'
  | 'sanctions'
  | 'provider';

export type CheckOutcome =
  | 'passed'
  /** A person must look. */
  | 'review'
  /** Certainly wrong, such as a date in the past. */
  | 'failed';

/** The result of one check, for operators. It has no personal data, since it is kept after erasure. */
export interface CheckResult {
  readonly check: CheckName;
  readonly outcome: CheckOutcome;
  /** The similarity from 0 to 100; only of names and sanctions. */
  readonly score?: number;
  /** The entries of the sanctions list that the name is like, best first. */
  readonly listEntries?: readonly { readonly uid: string; readonly score: number }[];
  /** How many entries the sanctions list had; null if there was no list. */
  readonly listSize?: number | null;
}
