import { electronicFormatIBAN, isValidBIC, validateIBAN, ValidationErrorsIBAN } from 'ibantools';
import { isRoutingNumber, isUsAccountNumber } from '../../../domain/banking/aba.js';
import { ApiError, type FieldError } from '../../../kit/http/errors.js';
import type { PayeeAccount } from '../bank-rails/payout-rail.js';
import type { CreatePayoutAccountDto } from './payout-account.dto.js';

type Field = Exclude<keyof CreatePayoutAccountDto, 'type' | 'holder_name' | 'currency'>;

/** What each type of account is named by. */
const FIELDS: Readonly<Record<CreatePayoutAccountDto['type'], readonly Field[]>> = {
  iban: ['iban', 'bic'],
  ach: ['routing_number', 'account_number', 'account_type'],
};

const IBAN_PROBLEMS: Readonly<Record<ValidationErrorsIBAN, string>> = {
  [ValidationErrorsIBAN.NoIBANProvided]: 'iban is needed with type iban',
  [ValidationErrorsIBAN.NoIBANCountry]: 'iban must start with the letters of a country that has IBANs',
  [ValidationErrorsIBAN.WrongBBANLength]: 'iban is too long or too short for its country',
  [ValidationErrorsIBAN.WrongBBANFormat]: 'iban has letters or digits where its country has none',
  [ValidationErrorsIBAN.ChecksumNotNumber]: 'iban must have two check digits after its country',
  [ValidationErrorsIBAN.WrongIBANChecksum]: 'iban has a typing error: its check digits do not fit',
  [ValidationErrorsIBAN.WrongAccountBankBranchChecksum]:
    'iban has a typing error: its inner check digits do not fit',
  [ValidationErrorsIBAN.QRIBANNotAllowed]: 'iban must be that of an account',
};

/** Of every width, and of none: what copying from a page, a PDF or a spreadsheet puts between the groups. */
const SPACES = /[\p{Zs}\t\u200b\u2060\ufeff]/gu;

/**
 * Reads the account that the body describes: an IBAN by the structure of its country, its length and its
 * check digits (ISO 13616), the BIC where one is given; a US account by its routing number's prefix and
 * checksum and the form of its number. Throws `validation_failed` (400) with every field that is wrong.
 */
export function payeeAccountOf(body: CreatePayoutAccountDto): PayeeAccount {
  const problems = fieldsOutOfPlace(body);
  const account = body.type === 'iban' ? ibanAccountOf(body, problems) : usAccountOf(body, problems);
  if (problems.length > 0) throw ApiError.validation(problems);
  return account;
}

/** The end of an account's number, by which its owner knows it. */
export function last4Of(account: PayeeAccount): string {
  return (account.type === 'iban' ? account.iban : account.accountNumber).slice(-4);
}

/** What makes two accounts the same account. */
export function identityOf(account: PayeeAccount): readonly string[] {
  return account.type === 'iban'
    ? [account.type, account.iban]
    : [account.type, account.routingNumber, account.accountNumber];
}

function fieldsOutOfPlace(body: CreatePayoutAccountDto): FieldError[] {
  const foreign = body.type === 'iban' ? FIELDS.ach : FIELDS.iban;
  return foreign
    .filter((field) => body[field] !== undefined)
    .map((field) => ({ field, message: `${field} must be left out with type ${body.type}` }));
}

function ibanAccountOf({ iban, bic }: CreatePayoutAccountDto, problems: FieldError[]): PayeeAccount {
  // Only spaces are left out: any other stranger in it is a mistake.
  const written = (iban ?? '').replace(SPACES, '').toUpperCase();
  const { errorCodes } = validateIBAN(written);
  const [error] = errorCodes;
  if (iban === undefined || error !== undefined || electronicFormatIBAN(written) !== written) {
    const problem =
      iban === undefined
        ? ValidationErrorsIBAN.NoIBANProvided
        : (error ?? ValidationErrorsIBAN.WrongBBANFormat);
    problems.push({ field: 'iban', message: IBAN_PROBLEMS[problem] });
  }
  if (bic !== undefined && !isValidBIC(bic.toUpperCase())) {
    problems.push({ field: 'bic', message: 'bic must be 8 or 11 characters such as COBADEFFXXX' });
  }
  return { type: 'iban', iban: written, bic: bic?.toUpperCase() ?? null };
}

function usAccountOf(body: CreatePayoutAccountDto, problems: FieldError[]): PayeeAccount {
  const {
    routing_number: routingNumber = '',
    account_number: accountNumber = '',
    account_type: accountType,
  } = body;
  if (!isRoutingNumber(routingNumber)) {
    problems.push({
      field: 'routing_number',
      message: 'routing_number must be the nine digits of a US bank',
    });
  }
  if (!isUsAccountNumber(accountNumber)) {
    problems.push({ field: 'account_number', message: 'account_number must be 4 to 17 digits' });
  }
  if (accountType === undefined) {
    problems.push({ field: 'account_type', message: 'account_type is needed with type ach' });
  }
  return { type: 'ach', routingNumber, accountNumber, accountType: accountType ?? 'checking' };
}
