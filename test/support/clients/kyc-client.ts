/** Shared by the banking specs: people with documents whose machine-readable zones are valid. */
import { expect } from 'vitest';
import { checkDigitOf } from '../../../src/domain/banking/mrz.js';
import type { Caller, Json } from '../caller.js';

export interface TestPassport {
  readonly number: string;
  readonly issuer: string;
  readonly nationality: string;
  /** `YYMMDD`. */
  readonly birthDate: string;
  readonly expiryDate: string;
  /** In the zone's form, such as `ERIKSSON<<ANNA<MARIA`. */
  readonly names: string;
}

/** The two lines of a passport, with their check digits. */
export function passportLines({
  number,
  issuer,
  nationality,
  birthDate,
  expiryDate,
  names,
}: TestPassport): string[] {
  const checked = (text: string): string => text + checkDigitOf(text);
  const start = checked(number.padEnd(9, '<'));
  const [birth, expiry, personal] = [checked(birthDate), checked(expiryDate), checked('<'.repeat(14))];
  const composite = checkDigitOf(start + birth + expiry + personal);
  return [
    `P<${issuer.padEnd(3, '<')}${names}`.padEnd(44, '<'),
    `${start}${nationality.padEnd(3, '<')}${birth}F${expiry}${personal}${composite}`,
  ];
}

let nextNumber = 100_000_000 + Math.floor(Math.random() * 100_000_000);

/** A body for `POST /kyc` that passes all checks; each has a document of its own. */
export function kycBody(overrides: Json = {}): Json {
  const number = String(nextNumber++);
  const { document = {}, address = {}, zone = {}, ...person } = overrides;
  return {
    first_name: 'Anna Maria',
    last_name: 'Eriksson',
    date_of_birth: '1974-08-12',
    nationality: 'PT',
    address: {
      line1: 'Rua Augusta 24',
      city: 'Lisboa',
      postal_code: '1100-053',
      country: 'PT',
      ...address,
    },
    ...person,
    document: {
      type: 'passport',
      number,
      issuing_country: 'PT',
      expires_on: '2045-04-15',
      mrz: passportLines({
        number,
        issuer: 'PRT',
        nationality: 'PRT',
        birthDate: '740812',
        expiryDate: '450415',
        names: 'ERIKSSON<<ANNA<MARIA',
        ...zone,
      }),
      ...document,
    },
  };
}

/** Submits a case, which must be accepted. */
export async function submitKyc(caller: Caller, overrides: Json = {}): Promise<Json> {
  const reply = await caller.post('/kyc', kycBody(overrides));
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 202 });
  return reply.body;
}

/** Submits a case and has an operator approve it; returns its id. */
export async function approvedKyc(caller: Caller, operator: Caller, overrides: Json = {}): Promise<string> {
  const { kyc_id } = await submitKyc(caller, overrides);
  const decision = { decision: 'approved', reason: 'Document and data agree.' };
  const reply = await operator.post(`/admin/kyc/${kyc_id}/decision`, decision);
  expect(reply, JSON.stringify(reply.body)).toMatchObject({ status: 200, body: { status: 'approved' } });
  return kyc_id;
}
