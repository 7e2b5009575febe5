import { describe, expect, it } from 'vitest';
import { type ApiError } from '../../../kit/http/errors.js';
import { last4Of, payeeAccountOf } from './bank-account-check.js';
import type { CreatePayoutAccountDto } from './payout-account.dto.js';

/** The examples of the IBAN registry, country by country. */
const IBANS =
  'AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741 AT611904300234573201 ' +
  'AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034 BG80BNBG96611020345678 ' +
  'BH67BMAG00001299123456 BR1500000000000010932840814P2 CH9300762011623852957 CR05015202001026284066 ' +
  'CY17002001280000001200527600 CZ6508000000192000145399 DE89370400440532013000 DK5000400440116243 ' +
  'DO28BAGR00000001212453611324 EE382200221020145685 ES9121000418450200051332 FI2112345600000785 ' +
  'FO6264600001631634 FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917 ' +
  'GI75NWBK000000007099453 GL8964710001000206 GR1601101250000000012300695 GT82TRAJ01020000001210029690 ' +
  'HR1210010051863000160 HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999 ' +
  'IS140159260076545510730339 IT60X0542811101000000123456 JO94CBJO0010000000000131000302 ' +
  'KW81CBKU0000000000001234560101 KZ86125KZT5004100100 LB62099900000001001901229114 ' +
  'LI21088100002324013AA LT121000011101001000 LU280019400644750000 LV80BANK0000435195001 ' +
  'MC5811222000010123456789030 MD24AG000225100013104168 ME25505000012345678951 MK07250120000058984 ' +
  'MT84MALT011000012345MTLCAST001S MU17BOMM0101101030300200000MUR NL91ABNA0417164300 NO9386011117947 ' +
  'PK36SCBL0000001123456702 PL61109010140000071219812874 PS92PALS000000000400123456702 ' +
  'PT50000201231234567890154 QA58DOHB00001234567890ABCDEFG RO49AAAA1B31007593840000 RS35260005601001611379 ' +
  'SA0380000000608010167519 SE4550000000058398257466 SI56263300012039086 SK3112000000198742637541 ' +
  'SM86U0322509800000000270100 TN5910006035183598478831 TR330006100519786457841326 ' +
  'UA213223130000026007233566001 VG96VPVG0000012345678901 XK051212012345678906';

const body = (more: Partial<CreatePayoutAccountDto>): CreatePayoutAccountDto => ({
  type: 'iban',
  holder_name: 'Anna',
  currency: 'EUR',
  ...more,
});

function problemsOf(dto: CreatePayoutAccountDto): string[] {
  try {
    payeeAccountOf(dto);
    return [];
  } catch (error) {
    return (error as ApiError).details!.map(({ field }) => field);
  }
}

describe('an IBAN', () => {
  it.each(IBANS.split(' '))('%s is taken, and none with one digit or two letters changed', (iban) => {
    expect(payeeAccountOf(body({ iban }))).toEqual({ type: 'iban', iban, bic: null });
    for (let place = 2; place < iban.length; place++) {
      const character = iban.charAt(place);
      if (!/\d/.test(character)) continue;
      const changed = iban.slice(0, place) + String((Number(character) + 1) % 10) + iban.slice(place + 1);
      expect(problemsOf(body({ iban: changed })), changed).toEqual(['iban']);
    }
    expect(problemsOf(body({ iban: iban.slice(0, -1) }))).toEqual(['iban']);
    expect(problemsOf(body({ iban: `${iban}0` }))).toEqual(['iban']);
  });

  it('may be written with spaces and small letters, and with nothing else between', () => {
    const account = payeeAccountOf(body({ iban: 'gb29 nwbk 6016 1331 9268 19', bic: 'nwbkgb2l' }));
    expect(account).toEqual({ type: 'iban', iban: 'GB29NWBK60161331926819', bic: 'NWBKGB2L' });
    expect(last4Of(account)).toBe('6819');
    for (const iban of ['GB29-NWBK-60161331926819', 'GB29NWBK60161331926819\n', '=GB29NWBK60161331926819']) {
      expect(problemsOf(body({ iban }))).toEqual(['iban']);
    }
  });

  it.each([
    ['no-break', '\u00a0'],
    ['narrow no-break', '\u202f'],
    ['thin', '\u2009'],
    ['figure', '\u2007'],
    ['ideographic', '\u3000'],
    ['zero-width', '\u200b'],
    ['tabulator', '\t'],
    ['several', ' \u00a0\ufeff'],
  ])('may be written with %s spaces, and is stored without', (_what, space) => {
    const iban = ['DE89', '3704', '0044', '0532', '0130', '00'].join(space);
    expect(payeeAccountOf(body({ iban }))).toMatchObject({ iban: 'DE89370400440532013000' });
  });

  it('is needed, with a BIC that is one and nothing of another type', () => {
    expect(problemsOf(body({}))).toEqual(['iban']);
    const iban = 'DE89370400440532013000';
    expect(problemsOf(body({ iban, bic: 'COBA' }))).toEqual(['bic']);
    expect(problemsOf(body({ iban, routing_number: '021000021' }))).toEqual(['routing_number']);
  });
});

describe('a US account', () => {
  const us = {
    type: 'ach',
    routing_number: '021000021',
    account_number: '1234567',
    account_type: 'savings',
  } as const;

  it('is a routing number, an account number and its type', () => {
    expect(payeeAccountOf(body(us))).toEqual({
      type: 'ach',
      routingNumber: '021000021',
      accountNumber: '1234567',
      accountType: 'savings',
    });
    expect(problemsOf(body({ type: 'ach' }))).toEqual(['routing_number', 'account_number', 'account_type']);
    expect(problemsOf(body({ ...us, routing_number: '021000022' }))).toEqual(['routing_number']);
    expect(problemsOf(body({ ...us, iban: 'DE89370400440532013000' }))).toEqual(['iban']);
  });
});
