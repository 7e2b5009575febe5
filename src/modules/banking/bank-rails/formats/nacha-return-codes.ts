/** Reasons of ACH returns, in the words of the NACHA rules, shortened. */
const REASONS: Readonly<Record<string, string>> = {
  R01: 'insufficient funds',
  R02: 'the account is closed',
  R03: 'there is no such account, or it belongs to somebody else',
  R04: 'the account number is invalid',
  R05: 'a debit to a consumer’s account was not authorised',
  R06: 'returned at the request of the originating bank',
  R07: 'the authorisation was revoked',
  R08: 'the payment was stopped',
  R09: 'uncollected funds',
  R10: 'the originator is not known to the receiver, or not authorised',
  R11: 'the entry is not in accordance with the authorisation',
  R12: 'the account was sold to another bank',
  R13: 'the receiving bank is not reached by ACH',
  R14: 'the representative payee has died or cannot continue',
  R15: 'the beneficiary or account holder has died',
  R16: 'the account is frozen',
  R17: 'the entry cannot be processed by its criteria, or looks fraudulent',
  R18: 'the effective date is improper',
  R19: 'the amount is in error',
  R20: 'the account takes no such payments',
  R21: 'the company identification is invalid',
  R22: 'the individual identification is invalid',
  R23: 'the receiver refused the credit',
  R24: 'a duplicate entry',
  R25: 'an error in the addenda',
  R26: 'an error in a mandatory field',
  R27: 'an error in the trace number',
  R28: 'the check digit of the routing number is wrong',
  R29: 'the corporate customer says that it is not authorised',
  R30: 'the receiving bank takes no truncated checks',
  R31: 'the return was permitted after its time',
  R32: 'the receiving bank does not settle',
  R33: 'an XCK entry was returned',
  R34: 'the participation of the receiving bank is limited',
  R35: 'an improper debit entry',
  R36: 'an improper credit entry',
  R37: 'the source document was presented for payment',
  R38: 'the source document was stopped',
  R39: 'an improper source document',
  R40: 'the agency returned the enrolment',
  R41: 'the transaction code is invalid',
  R42: 'the routing number or its check digit is wrong',
  R43: 'the account number is invalid for the agency',
  R44: 'the individual identification is invalid for the agency',
  R45: 'the name is invalid for the agency',
  R46: 'the representative payee indicator is invalid',
  R47: 'a duplicate enrolment',
  R50: 'a state law affects the acceptance of represented checks',
  R51: 'the represented check is ineligible or improper',
  R52: 'the represented check was stopped',
  R53: 'the check and its entry were both presented',
  R61: 'the return went to the wrong bank',
  R62: 'the return of an erroneous or reversing debit',
  R67: 'a duplicate return',
  R68: 'the return came too late',
  R69: 'errors in the fields of the return',
  R70: 'the permitted return was not accepted',
  R71: 'the dishonoured return went to the wrong bank',
  R72: 'the dishonoured return came too late',
  R73: 'the original return came in time',
  R74: 'the return was corrected',
  R75: 'the return is no duplicate',
  R76: 'no errors were found',
  R77: 'the dishonour of the return is not accepted',
  R80: 'a coding error of an international entry',
  R81: 'the originator takes no part in international entries',
  R82: 'the identification of the foreign bank is invalid',
  R83: 'the foreign bank cannot settle',
  R84: 'the gateway does not process the entry',
  R85: 'an international entry was coded wrongly',
};

/** The code with which a bank returns a second copy of an entry. */
const DUPLICATE_ENTRY = 'R24';

/** Codes with which banks argue about a return: they do not say where the money of the entry is. */
const ABOUT_RETURNS = /^R(?:6[17-9]|7[0-7])$/;

/** The meaning of a code from R01 to R85; undefined for unknown codes. */
export function returnReasonOf(code: string): string | undefined {
  return Object.hasOwn(REASONS, code) ? REASONS[code] : undefined;
}

/** What a return with this code says of the entry that was sent. */
export function statusOfReturn(code: string): 'returned' | 'duplicate' | 'unclear' {
  if (code === DUPLICATE_ENTRY) return 'duplicate';
  return returnReasonOf(code) === undefined || ABOUT_RETURNS.test(code) ? 'unclear' : 'returned';
}
