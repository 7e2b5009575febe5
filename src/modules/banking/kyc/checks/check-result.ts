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
  /** Wrong beyond doubt, such as a date that has passed. */
  | 'failed';

/** How one check went, for operators. It is kept when personal data is erased, and so has none. */
export interface CheckResult {
  readonly check: CheckName;
  readonly outcome: CheckOutcome;
  /** How well it fits, from 0 to 100; of names and sanctions only. */
  readonly score?: number;
  /** The entries of the sanctions list that the name is like, best first. */
  readonly listEntries?: readonly { readonly uid: string; readonly score: number }[];
  /** How many entries the sanctions list had; null where there was none to check against. */
  readonly listSize?: number | null;
}
